import { type Db, type Tx, transact } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { OperatorError } from '../../errors.ts'
import { requireAppId } from '../auth/queries.ts'
import { readPermissions } from '../permissions/read-permissions.ts'
import { requireStore } from '../stores/queries.ts'
import { type Actor, recordAct } from './audit.ts'
import { grantedAccess } from './granted-access.ts'
import { findInvitation, inviteIn, withdrawIn } from './invitations.ts'
import { lockMembership } from './lock-members.ts'
import { deleteLinksOf } from './one-time-links.ts'
import { findAccount, isInvited } from './queries.ts'
import { requireAnotherOperator, requireAnotherOwner } from './require-another-owner.ts'
import { checkGrant, type Grant } from './roles.ts'

export interface Member {
  id: string
  email: string
}

/** Changes the role of a member of the store. False if the account is none. */
export const changeMembership = async (db: Tx, actor: Actor, account: Member, store_id: StoreId, grant: Grant) => {
  const before = await lockMembership(db, actor, store_id, account.id)
  if (!before) return false
  if (before.role === 'owner' && grant.role !== 'owner') await requireAnotherOwner(db, store_id, account.id)
  const { values, shown } = await grantedAccess(db, store_id, grant, before.permissions)
  await db
    .updateTable('membership')
    .set(values)
    .where('store_id', '=', store_id)
    .where('account_id', '=', account.id)
    .execute()
  await recordAct(db, actor, { act: 'grant', subject: account.email, store_id, before, after: shown })
  return true
}

/**
 * Changes the role of a member of the store at once. Any other role is offered with a link, whose code is returned: an
 * email is only what somebody typed, also that of an account.
 */
export const grantRole = (db: Db, actor: Actor, email: string, grant: Grant): Promise<string | undefined> =>
  transact(db, async (db) => {
    checkGrant(grant)
    const account = await findAccount(db, email)
    if (account && grant.store) {
      const store_id = await requireStore(db, grant.store)
      if (await changeMembership(db, actor, account, store_id, grant)) return undefined
    }
    if (!account && !(await isInvited(db, email)))
      throw new OperatorError(`There is no account with the email ${email}. Use user create to invite somebody.`)
    return (await inviteIn(db, actor, { email: account?.email ?? email, name: account?.name ?? '' }, grant)).code
  })

/** Removes a member from the store, or only these permissions of staff; those that are left are then no named role. */
export const removeMembership = async (
  db: Tx,
  actor: Actor,
  account: Member,
  store_id: StoreId,
  names: readonly string[] = [],
) => {
  const before = await lockMembership(db, actor, store_id, account.id)
  if (!before) return false
  const removed = readPermissions(names)
  const left =
    before.role === 'staff' && removed.length > 0
      ? { role: 'staff', permissions: before.permissions.filter((name) => !removed.includes(name)) }
      : undefined
  if (before.role === 'owner') await requireAnotherOwner(db, store_id, account.id)
  if (left)
    await db
      .updateTable('membership')
      .set({ permissions: left.permissions, role_id: null })
      .where('store_id', '=', store_id)
      .where('account_id', '=', account.id)
      .execute()
  else await db.deleteFrom('membership').where('store_id', '=', store_id).where('account_id', '=', account.id).execute()
  await recordAct(db, actor, { act: 'revoke', subject: account.email, store_id, before, after: left })
  return true
}

const removeOtherRole = async (db: Tx, actor: Actor, account: Member, { role, app }: Grant) => {
  const app_id = app && (await requireAppId(db, app))
  if (app_id)
    await db.deleteFrom('app_member').where('app_id', '=', app_id).where('account_id', '=', account.id).execute()
  else {
    await requireAnotherOperator(db, actor, account.id)
    await db.updateTable('account').set({ is_operator: false }).where('id', '=', account.id).execute()
    await deleteLinksOf(db, account.id)
  }
  await recordAct(db, actor, { act: 'revoke', subject: account.email, app_id, before: { role } })
}

/** Removes a role, or only these permissions of staff. An invitation to the same is withdrawn. */
export const revokeRole = (db: Db, actor: Actor, email: string, grant: Grant) =>
  transact(db, async (db) => {
    checkGrant(grant)
    const account = await findAccount(db, email)
    const invitation = await findInvitation(db, email, grant)
    const isWithdrawn = invitation !== undefined && (await withdrawIn(db, actor, invitation))
    if (!account && !isWithdrawn) throw new OperatorError(`There is no account with the email ${email}.`)
    if (!account) return
    if (!grant.store) return removeOtherRole(db, actor, account, grant)
    const store_id = await requireStore(db, grant.store)
    const removed = await removeMembership(db, actor, account, store_id, grant.permissions)
    if (!removed && !isWithdrawn) throw new OperatorError(`This account has no role in the store ${store_id}.`)
  })
