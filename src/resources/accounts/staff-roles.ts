import { sql } from 'kysely'
import { type Db, refuseDuplicate, type Tx, transact } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { ApiError, invalid, notFound, OperatorError } from '../../errors.ts'
import { readPermissions } from '../permissions/read-permissions.ts'
import { type Actor, recordAct } from './audit.ts'
import { lockMembers } from './lock-members.ts'
import { MAX_STAFF_ROLES } from './schema.ts'

const selectRoles = (db: Db, store: StoreId) =>
  db
    .selectFrom('staff_role as r')
    .select(['r.id', 'r.name', 'r.permissions', 'r.version'])
    .select(
      sql<number>`((select count(*) from membership m where m.store_id = r.store_id and m.role_id = r.id)
        + (select count(*) from invitation i where i.store_id = r.store_id and i.role_id = r.id))::int`.as('people'),
    )
    .where('r.store_id', '=', store)

/** The named roles of a store, with how many people have each, invited ones included. */
export const listStaffRoles = (db: Db, store: StoreId) => selectRoles(db, store).orderBy(sql`lower(r.name)`).execute()

export const requireStaffRole = async (db: Db, store: StoreId, id: string) => {
  const role = await selectRoles(db, store).where('r.id', '=', id).executeTakeFirst()
  if (!role) throw notFound('role')
  return role
}

/** By its id, or by its name in any case. */
export const findStaffRole = async (db: Db, store: StoreId, given: string) => {
  const roles = await listStaffRoles(db, store)
  const named = given.trim().toLowerCase()
  const found = roles.find(({ id, name }) => id === named || name.toLowerCase() === named)
  if (!found) throw new OperatorError(`The store has no role ${given}. role list shows them.`)
  return found
}

/** The role, which nobody can change or delete until the transaction ends. */
export const holdStaffRole = async (db: Tx, store: StoreId, id: string) => {
  const role = await db
    .selectFrom('staff_role')
    .select(['id', 'name'])
    .where('store_id', '=', store)
    .where('id', '=', id)
    .forShare()
    .executeTakeFirst()
  if (!role) throw invalid({ role_id: ['must be the id of a role of this store'] })
  return role
}

const lockRole = async (db: Tx, store: StoreId, id: string) => {
  const role = await db
    .selectFrom('staff_role')
    .select(['id', 'name', 'permissions', 'version'])
    .where('store_id', '=', store)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!role) throw notFound('role')
  return role
}

const nameOf = (name: string) => {
  const trimmed = name.trim()
  if (trimmed === '') throw invalid({ name: ['must not be empty'] })
  return trimmed
}

const permissionsOf = (names: readonly string[]) => {
  if (names.length === 0) throw invalid({ permissions: ['must have at least one permission'] })
  return readPermissions(names).sort()
}

const taken = () => invalid({ name: ['is already taken by another role of this store'] })

interface RoleContent {
  name: string
  permissions: readonly string[]
}

export const createStaffRole = (db: Db, actor: Actor, store: StoreId, given: RoleContent) =>
  transact(db, async (db) => {
    // Serialises those who add roles, so that they cannot exceed the limit together.
    await lockMembers(db, actor, store)
    const roles = await listStaffRoles(db, store)
    if (roles.length >= MAX_STAFF_ROLES)
      throw invalid({ name: [`would be more than ${MAX_STAFF_ROLES} roles: delete one first`] })
    const after = { name: nameOf(given.name), permissions: permissionsOf(given.permissions) }
    const { id } = await db
      .insertInto('staff_role')
      .values({ store_id: store, ...after })
      .returning('id')
      .executeTakeFirstOrThrow()
      .catch(refuseDuplicate(taken))
    await recordAct(db, actor, { act: 'create_role', subject: after.name, store_id: store, after })
    return requireStaffRole(db, store, id)
  })

interface RoleChange {
  name?: string | undefined
  permissions?: readonly string[] | undefined
  /** Of what was read: another one was saved in between, if it differs. */
  version?: number | undefined
}

/** Everybody who has the role may do at once what it says now. */
export const changeStaffRole = (db: Db, actor: Actor, store: StoreId, id: string, given: RoleChange) =>
  transact(db, async (db) => {
    await lockMembers(db, actor, store)
    const { version, name, permissions } = await lockRole(db, store, id)
    if (given.version !== undefined && given.version !== version) throw new ApiError('version_mismatch')
    const before = { name, permissions }
    const after = {
      name: given.name === undefined ? name : nameOf(given.name),
      permissions: given.permissions ? permissionsOf(given.permissions) : permissions,
    }
    if (JSON.stringify(after) !== JSON.stringify(before)) {
      await db
        .updateTable('staff_role')
        .set({ ...after, version: version + 1 })
        .where('store_id', '=', store)
        .where('id', '=', id)
        .execute()
        .catch(refuseDuplicate(taken))
      await recordAct(db, actor, { act: 'change_role', subject: after.name, store_id: store, before, after })
    }
    return requireStaffRole(db, store, id)
  })

/**
 * Deletes a role. Whoever has it gets another one, or keeps its permissions as their own. Returns how many people had it.
 * Invitations come before members, as somebody may join meanwhile.
 */
export const deleteStaffRole = (db: Db, actor: Actor, store: StoreId, id: string, replacement?: string) =>
  transact(db, async (db) => {
    await lockMembers(db, actor, store)
    const { name, permissions } = await lockRole(db, store, id)
    if (replacement === id) throw invalid({ replacement: ['must be another role'] })
    const other =
      replacement === undefined
        ? undefined
        : await holdStaffRole(db, store, replacement).catch(() => {
            throw invalid({ replacement: ['must be the id of a role of this store'] })
          })
    const next = other ? { role_id: other.id } : { role_id: null, permissions }
    let people = 0
    for (const table of ['invitation', 'membership'] as const) {
      const { numUpdatedRows } = await db
        .updateTable(table)
        .set(next)
        .where('store_id', '=', store)
        .where('role_id', '=', id)
        .executeTakeFirstOrThrow()
      people += Number(numUpdatedRows)
    }
    await db.deleteFrom('staff_role').where('store_id', '=', store).where('id', '=', id).execute()
    const after = { people, ...(people > 0 && { now: other?.name ?? 'the same permissions, without a role' }) }
    await recordAct(db, actor, {
      act: 'delete_role',
      subject: name,
      store_id: store,
      before: { name, permissions },
      after,
    })
    return people
  })
