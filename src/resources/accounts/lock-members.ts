import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { ApiError, notFound } from '../../errors.ts'
import { heldPermissions } from '../auth/held-permissions.ts'
import { lockStore } from '../stores/queries.ts'
import type { Actor } from './audit.ts'

/**
 * The members of a store, all of them locked in one order: two owners who remove each other wait for each other. So do two
 * operators in a store without members.
 */
const lockRows = async (db: Tx, store_id: StoreId) => {
  const { rows } = await lockStore(db, store_id)
  if (rows.length === 0) throw notFound('store')
  const ofStore = db.selectFrom('membership as m').where('m.store_id', '=', store_id).orderBy('m.account_id')
  await ofStore.select('m.account_id').forUpdate().execute()
  // Read after waiting: the snapshot of the statement that waited is older than what it waited for.
  return ofStore
    .select(['m.account_id', 'm.role', heldPermissions('m').as('permissions')])
    .select((eb) =>
      eb
        .selectFrom('staff_role as r')
        .select('r.name')
        .whereRef('r.store_id', '=', 'm.store_id')
        .whereRef('r.id', '=', 'm.role_id')
        .as('named'),
    )
    .execute()
}

const isOperator = async (db: Tx, id: string) =>
  (await db
    .selectFrom('account')
    .select('id')
    .where('id', '=', id)
    .where('is_operator', '=', true)
    .forShare()
    .executeTakeFirst()) !== undefined

/**
 * Locks the members of a store for somebody who changes what people may do there, and checks that it is still an owner or an
 * operator: what a request was allowed when it came may have been taken away while it waited.
 */
export const lockMembers = async (db: Tx, actor: Actor, store_id: StoreId) => {
  const members = await lockRows(db, store_id)
  const own = members.find(({ account_id }) => account_id === actor.id)
  if (actor.id === null || own?.role === 'owner' || (await isOperator(db, actor.id))) return members
  throw own ? new ApiError('forbidden', 'Only an owner of the store may do this.') : notFound('store')
}

/** The role of an account in a store, read under the lock of all its members. */
export const lockMembership = async (db: Tx, actor: Actor, store_id: StoreId, account_id: string) => {
  const rows = await lockMembers(db, actor, store_id)
  const found = rows.find((row) => row.account_id === account_id)
  if (!found) return undefined
  const { role, permissions, named } = found
  return { role, permissions, ...(named !== null && { named }) }
}
