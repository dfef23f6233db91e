import { sql } from 'kysely'
import { emailKey, isEmail } from '../../core/input/email.ts'
import { type Db, type Tx, transact } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { ApiError, OperatorError } from '../../errors.ts'
import { heldPermissions } from '../auth/held-permissions.ts'
import { requireAppId } from '../auth/queries.ts'
import { refuseRemoved } from '../auth/refuse-removed.ts'
import { takeRoom } from '../plans/limits.ts'
import { requireStore } from '../stores/queries.ts'
import { type Actor, recordAct } from './audit.ts'
import { grantedAccess } from './granted-access.ts'
import { lockMembers } from './lock-members.ts'
import { createLink, deleteLinks, type Link, unusable } from './one-time-links.ts'
import { checkGrant, type Grant } from './roles.ts'
import { requireStaffRole } from './staff-roles.ts'

/** What a role is for: a store, an app, or with neither the whole service. */
const targetOf = async (db: Db, { store, app }: Grant) => ({
  store_id: store ? await requireStore(db, store) : null,
  app_id: app ? await requireAppId(db, app) : null,
})

type Invitee = { email: string; name: string }

/** Of this email, whatever its letters' case, to the same store, app or service. */
export const findInvitation = async (db: Db, email: string, grant: Grant) => {
  const { store_id, app_id } = await targetOf(db, grant)
  return db
    .selectFrom('invitation')
    .select(['id', 'email', 'role', 'store_id', 'app_id', heldPermissions('invitation').as('permissions')])
    .where('email_key', '=', emailKey(email))
    .where('store_id', 'is not distinct from', store_id)
    .where('app_id', 'is not distinct from', app_id)
    .executeTakeFirst()
}

/**
 * Offers a role to whoever redeems the returned code. The email names the invitation and grants nothing: no account is
 * looked up, so nobody learns whether there is one. A further invitation to the same replaces the first and its link.
 */
export const inviteIn = async (db: Tx, actor: Actor, invitee: Invitee, grant: Grant) => {
  checkGrant(grant)
  const email = invitee.email.trim()
  if (!isEmail(email)) throw new OperatorError(`${invitee.email} is not an email address.`)
  const { store_id, app_id } = await targetOf(db, grant)
  if (store_id) await lockMembers(db, actor, store_id)
  const before = await findInvitation(db, email, grant)
  if (store_id && !before) await takeRoom(db, store_id, 'people')
  const { values: access, shown } = await grantedAccess(db, store_id, grant, before?.permissions)
  const values = { ...access, email, name: invitee.name, invited_by: actor.id }
  const { id } = await db
    .insertInto('invitation')
    .values({ ...values, store_id, app_id, email_key: emailKey(email) })
    .onConflict((conflict) => conflict.columns(['store_id', 'app_id', 'email_key']).doUpdateSet(values))
    .returning('id')
    .executeTakeFirstOrThrow()
    .catch(refuseRemoved(() => new OperatorError('What the invitation is for has just been removed.')))
  await recordAct(db, actor, {
    act: 'invite',
    subject: email,
    store_id: store_id ?? undefined,
    app_id: app_id ?? undefined,
    before: before && { role: before.role, permissions: before.permissions },
    after: shown,
  })
  return { id, email, code: await createLink(db, { invitation_id: id }) }
}

export const invite = (db: Db, actor: Actor, invitee: Invitee, grant: Grant) =>
  transact(db, (db) => inviteIn(db, actor, invitee, grant))

interface Invited {
  id: string
  email: string
  store_id: StoreId | null
  app_id?: string | null
}

/** Links are deleted before their invitation, as a redemption locks them in this order. False if it has been accepted meanwhile. */
export const withdrawIn = async (db: Tx, actor: Actor, { id, email, store_id, app_id }: Invited) => {
  await deleteLinks(db, { invitation_id: id })
  const gone = await db.deleteFrom('invitation').where('id', '=', id).returning('id').executeTakeFirst()
  if (!gone) return false
  await recordAct(db, actor, {
    act: 'withdraw_invitation',
    subject: email,
    store_id: store_id ?? undefined,
    app_id: app_id ?? undefined,
  })
  return true
}

/** Its named role, or its own permissions. */
const shownAccess = async (
  db: Db,
  { store_id, role_id, permissions }: { store_id: StoreId | null; role_id: string | null; permissions: string[] },
) => (store_id && role_id ? { named: (await requireStaffRole(db, store_id, role_id)).name } : { permissions })

const alreadyThere = () =>
  new ApiError('forbidden', 'You have this access already. The link is for somebody else, and still works.')

/** Gives the role of an invitation to the account that redeems its link, and ends the invitation. */
export const acceptInvitation = async (
  db: Tx,
  account: { id: string; email: string; name: string },
  { invitation_id }: Extract<Link, { kind: 'invite' }>,
) => {
  // Waits for a change of the role, and keeps it from being deleted: what changes or deletes it comes before invitations, too.
  await sql`select 1 from staff_role r where exists (select 1 from invitation i where i.id = ${invitation_id}
    and i.store_id = r.store_id and i.role_id = r.id) for key share`.execute(db)
  // Read from the row that is deleted, so that a change of the invitation meanwhile counts.
  const invitation = await db
    .deleteFrom('invitation')
    .where('id', '=', invitation_id)
    .returning(['email', 'role', 'role_id', 'permissions', 'store_id', 'app_id'])
    .executeTakeFirst()
  if (!invitation) throw unusable()
  const { role, role_id, permissions, store_id, app_id } = invitation
  const account_id = account.id
  let added: object[]
  if (store_id) {
    const store = await db.selectFrom('store').select('suspended_at').where('id', '=', store_id).executeTakeFirst()
    if (!store) throw unusable()
    if (store.suspended_at) throw new ApiError('store_suspended')
    added = await db
      .insertInto('membership')
      .values({ store_id, account_id, role, role_id, permissions })
      .onConflict((conflict) => conflict.doNothing())
      .returning('account_id')
      .execute()
  } else if (app_id)
    added = await db
      .insertInto('app_member')
      .values({ app_id, account_id })
      .onConflict((conflict) => conflict.doNothing())
      .returning('account_id')
      .execute()
  else
    added = await db
      .updateTable('account')
      .set({ is_operator: true })
      .where('id', '=', account_id)
      .where('is_operator', '=', false)
      .returning('id')
      .execute()
  if (added.length === 0) throw alreadyThere()
  await recordAct(db, account, {
    act: 'accept_invitation',
    subject: account.email,
    store_id: store_id ?? undefined,
    app_id: app_id ?? undefined,
    after: { role, ...(await shownAccess(db, invitation)), invited: invitation.email },
  })
}

/** What the page of a link shows. */
export const describeInvitation = (db: Db, id: string) =>
  db
    .selectFrom('invitation as i')
    .leftJoin('store as s', 's.id', 'i.store_id')
    .leftJoin('app as a', 'a.id', 'i.app_id')
    .select(['i.email', 'i.name', 'i.role', 'i.store_id'])
    .select((eb) => eb.fn.coalesce('s.name', 'a.name', eb.val('')).as('place'))
    .where('i.id', '=', id)
    .executeTakeFirst()

/** All invitations that nobody has accepted, with the time until which the link works. */
export const listInvitations = (db: Db) =>
  db
    .selectFrom('invitation as i')
    .leftJoin('one_time_link as l', (join) =>
      join.onRef('l.invitation_id', '=', 'i.id').on('l.expires_at', '>', sql<Date>`now()`),
    )
    .select(['i.id', 'i.email', 'i.name', 'i.role', 'i.store_id', 'i.app_id', 'i.role_id'])
    .select(heldPermissions('i').as('permissions'))
    .select(['l.expires_at as link_expires_at', 'i.created_at'])
    .orderBy('i.created_at')
    .orderBy('i.id')
