import { requireAppId } from '../auth/queries.ts'
import { OperatorError } from '../errors.ts'
import { readPermissions } from '../permissions/read-permissions.ts'
import { type Db, type Tx, transact } from '../storage/database.ts'
import { requireStore } from '../stores/queries.ts'
import { type Actor, recordAct } from './audit.ts'
import { findMembership, requireAccount } from './queries.ts'
import { requireAnotherOperator, requireAnotherOwner } from './require-another-owner.ts'
import { checkGrant, type Grant } from './roles.ts'

const setMembership = async (db: Tx, store_id: string, account_id: string, grant: Grant) => {
  const { role, permissions = [], exact = false } = grant
  const before = await findMembership(db, store_id, account_id)
  if (before?.role === 'owner' && role !== 'owner') await requireAnotherOwner(db, store_id, account_id)
  const added = readPermissions(permissions)
  const all = role === 'staff' ? [...new Set([...(exact ? [] : (before?.permissions ?? [])), ...added])].sort() : []
  if (role === 'staff' && all.length === 0)
    throw new OperatorError('Staff needs permissions: --grant order:view, or --grant all.')
  await db
    .insertInto('membership')
    .values({ store_id, account_id, role, permissions: all })
    .onConflict((conflict) => conflict.columns(['store_id', 'account_id']).doUpdateSet({ role, permissions: all }))
    .execute()
  return { before, after: { role, permissions: all } }
}

export const applyGrant = async (db: Tx, actor: Actor, account: { id: string; email: string }, grant: Grant) => {
  checkGrant(grant)
  const { role } = grant
  const store_id = grant.store ? await requireStore(db, grant.store) : undefined
  const app_id = grant.app ? await requireAppId(db, grant.app) : undefined
  let change: { before?: object | undefined; after?: object } = { after: { role } }
  if (store_id) change = await setMembership(db, store_id, account.id, grant)
  else if (app_id)
    await db
      .insertInto('app_member')
      .values({ app_id, account_id: account.id })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  else await db.updateTable('account').set({ is_operator: true }).where('id', '=', account.id).execute()
  await recordAct(db, actor, { act: 'grant', subject: account.email, store_id, app_id, ...change })
}

export const grantRole = (db: Db, actor: Actor, email: string, grant: Grant) =>
  transact(db, async (db) => applyGrant(db, actor, await requireAccount(db, email), grant))

const removeMembership = async (db: Tx, store_id: string, account_id: string, names: readonly string[]) => {
  const before = await findMembership(db, store_id, account_id)
  if (!before) throw new OperatorError(`This account has no role in the store ${store_id}.`)
  const removed = readPermissions(names)
  if (before.role === 'staff' && removed.length > 0) {
    const permissions = before.permissions.filter((name) => !removed.includes(name))
    await db
      .updateTable('membership')
      .set({ permissions })
      .where('store_id', '=', store_id)
      .where('account_id', '=', account_id)
      .execute()
    return { before, after: { role: 'staff', permissions } }
  }
  if (before.role === 'owner') await requireAnotherOwner(db, store_id, account_id)
  await db.deleteFrom('membership').where('store_id', '=', store_id).where('account_id', '=', account_id).execute()
  return { before }
}

/** Removes a role, or only these permissions of staff. */
export const revokeRole = (db: Db, actor: Actor, email: string, grant: Grant) =>
  transact(db, async (db) => {
    const account = await requireAccount(db, email)
    checkGrant(grant)
    const store_id = grant.store ? await requireStore(db, grant.store) : undefined
    const app_id = grant.app ? await requireAppId(db, grant.app) : undefined
    let change: { before?: object; after?: object } = { before: { role: grant.role } }
    if (store_id) change = await removeMembership(db, store_id, account.id, grant.permissions ?? [])
    else if (app_id)
      await db.deleteFrom('app_member').where('app_id', '=', app_id).where('account_id', '=', account.id).execute()
    else {
      await requireAnotherOperator(db, account.id)
      await db.updateTable('account').set({ is_operator: false }).where('id', '=', account.id).execute()
    }
    await recordAct(db, actor, { act: 'revoke', subject: account.email, store_id, app_id, ...change })
  })
