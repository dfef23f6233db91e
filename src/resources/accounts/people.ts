import { emailKey, isEmail } from '../../core/input/email.ts'
import { type Db, type Tx, transact } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { ApiError, invalid, notFound, OperatorError } from '../../errors.ts'
import { heldPermissions } from '../auth/held-permissions.ts'
import { recordAct } from './audit.ts'
import { changeMembership, removeMembership } from './change-role.ts'
import { grantedAccess } from './granted-access.ts'
import { inviteIn, listInvitations, withdrawIn } from './invitations.ts'
import { lockMembers } from './lock-members.ts'
import { createLink } from './one-time-links.ts'
import { findStore } from './queries.ts'
import type { Grant } from './roles.ts'
import { MAX_PEOPLE } from './schema.ts'
import type { SessionAccount } from './sessions.ts'
import { listStaffRoles } from './staff-roles.ts'

/** A member's role in a store. */
export interface Membership {
  role: 'owner' | 'staff'
  permissions?: readonly string[] | undefined
  /** A named role of the store, instead of permissions. */
  role_id?: string | null | undefined
}

/** Only owners and operators manage people. A store that the account may not open is reported as missing. */
export const requireOwner = async (db: Db, account: SessionAccount, store: string) => {
  const found = await findStore(db, account, store)
  if (!found) throw notFound('store')
  if (found.role === 'staff') throw new ApiError('forbidden', 'Only an owner of the store may do this.')
  return found
}

/** As requireOwner, and returns the store's id. While a store is suspended, only operators change who belongs to it. */
export const requireOwnerToChange = async (db: Db, account: SessionAccount, store: string) => {
  const { id, is_suspended, role } = await requireOwner(db, account, store)
  if (is_suspended && role !== 'operator') throw new ApiError('store_suspended')
  return id
}

const selectPeople = (db: Db, store: StoreId) =>
  db
    .selectFrom('membership as m')
    .innerJoin('account as a', 'a.id', 'm.account_id')
    .select(['a.id as account_id', 'a.email', 'a.name', 'm.role', 'm.role_id'])
    .select(heldPermissions('m').as('permissions'))
    .where('m.store_id', '=', store)

type PersonRow = Awaited<ReturnType<ReturnType<typeof selectPeople>['execute']>>[number]

const showPerson =
  ({ id }: SessionAccount) =>
  ({ role, ...row }: PersonRow) => ({ ...row, role: role as 'owner' | 'staff', is_you: row.account_id === id })

const selectInvitations = (db: Db, store: StoreId) => listInvitations(db).where('i.store_id', '=', store)

type InvitationRow = Awaited<ReturnType<ReturnType<typeof selectInvitations>['execute']>>[number]

const showInvitation = ({ id, email, name, role, role_id, permissions, link_expires_at }: InvitationRow) => ({
  id,
  email,
  name,
  role: role as 'owner' | 'staff',
  role_id,
  permissions,
  link_expires_at: link_expires_at?.toISOString() ?? null,
})

/** The members of a store, owners first, and who was invited and has not joined yet. */
export const listPeople = async (db: Db, account: SessionAccount, store: StoreId) => {
  const people = await selectPeople(db, store).orderBy('m.role').orderBy('a.email_key').limit(MAX_PEOPLE).execute()
  const invitations = await selectInvitations(db, store).limit(MAX_PEOPLE).execute()
  return {
    people: people.map(showPerson(account)),
    invitations: invitations.map(showInvitation),
    roles: await listStaffRoles(db, store),
  }
}

const requirePerson = async (db: Db, account: SessionAccount, store: StoreId, id: string) => {
  const row = await selectPeople(db, store).where('a.id', '=', id).executeTakeFirst()
  if (!row) throw notFound('person')
  return showPerson(account)(row)
}

const requireInvitation = async (db: Db, store: StoreId, id: string) => {
  const row = await selectInvitations(db, store).where('i.id', '=', id).executeTakeFirst()
  if (!row) throw notFound('invitation')
  return showInvitation(row)
}

const checkMembership = ({ role, permissions = [], role_id }: Membership) => {
  if (role_id && role === 'owner') throw invalid({ role_id: ['is for staff: an owner has every permission'] })
  if (role_id && permissions.length > 0) throw invalid({ role_id: ['has permissions of its own: give no others'] })
  if (role === 'staff' && !role_id && permissions.length === 0)
    throw invalid({ permissions: ['must have at least one permission'] })
}

const grantOf = (store: StoreId, { role, permissions = [], role_id }: Membership): Grant => ({
  store,
  role,
  exact: true,
  ...(role === 'staff' && { permissions, role_id: role_id ?? undefined }),
})

/** Converts an operator's error into a validation error. */
const asFieldError = (field: string) => (error: unknown) => {
  throw error instanceof OperatorError ? invalid({ [field]: [error.message] }) : error
}

/** Judged under the lock of the members, so that two who invite at the same moment do not replace each other's link. */
export const invitePerson = (
  db: Db,
  actor: SessionAccount,
  store: StoreId,
  { email, name = '', ...membership }: { email: string; name?: string | undefined } & Membership,
) =>
  transact(db, async (db) => {
    checkMembership(membership)
    if (!isEmail(email.trim())) throw invalid({ email: ['must be an email address'] })
    await lockMembers(db, actor, store)
    const { people, invitations } = await listPeople(db, actor, store)
    if (people.length + invitations.length >= MAX_PEOPLE)
      throw invalid({ email: [`would be more than ${MAX_PEOPLE} people`] })
    const isSame = (person: { email: string }) => emailKey(person.email) === emailKey(email.trim())
    if (people.some(isSame)) throw invalid({ email: ['belongs to this store already'] })
    if (invitations.some(isSame)) throw invalid({ email: ['has been invited already'] })
    const { id, code } = await inviteIn(db, actor, { email, name }, grantOf(store, membership))
    return { invitation: await requireInvitation(db, store, id), code }
  }).catch(asFieldError('email'))

export const changePerson = async (
  db: Db,
  actor: SessionAccount,
  store: StoreId,
  id: string,
  membership: Membership,
) => {
  const { email } = await requirePerson(db, actor, store, id)
  checkMembership(membership)
  await transact(db, (db) => changeMembership(db, actor, { id, email }, store, grantOf(store, membership))).catch(
    asFieldError('role'),
  )
  return requirePerson(db, actor, store, id)
}

export const removePerson = async (db: Db, actor: SessionAccount, store: StoreId, id: string) => {
  const { email } = await requirePerson(db, actor, store, id)
  await transact(db, (db) => removeMembership(db, actor, { id, email }, store)).catch(asFieldError('role'))
}

/** Runs with the invitation locked, after its link: a redemption locks them in this order. */
const withInvitation = <T>(
  db: Db,
  actor: SessionAccount,
  store: StoreId,
  id: string,
  work: (db: Tx, invitation: { id: string; email: string; store_id: StoreId }) => Promise<T>,
) =>
  transact(db, async (db) => {
    await lockMembers(db, actor, store)
    await db.selectFrom('one_time_link').select('id').where('invitation_id', '=', id).forUpdate().execute()
    const invitation = await db
      .selectFrom('invitation')
      .select(['id', 'email'])
      .where('id', '=', id)
      .where('store_id', '=', store)
      .forUpdate()
      .executeTakeFirst()
    if (!invitation) throw notFound('invitation')
    return work(db, { ...invitation, store_id: store })
  })

export const changeInvitation = async (
  db: Db,
  actor: SessionAccount,
  store: StoreId,
  id: string,
  membership: Membership,
) => {
  checkMembership(membership)
  await withInvitation(db, actor, store, id, async (db, { email }) => {
    const { values, shown: after } = await grantedAccess(db, store, grantOf(store, membership))
    await db
      .updateTable('invitation')
      .set({ ...values, invited_by: actor.id })
      .where('id', '=', id)
      .execute()
    await recordAct(db, actor, { act: 'change_invitation', subject: email, store_id: store, after })
  })
  return requireInvitation(db, store, id)
}

export const withdrawInvitation = (db: Db, actor: SessionAccount, store: StoreId, id: string) =>
  withInvitation(db, actor, store, id, (db, invitation) => withdrawIn(db, actor, invitation))

/** A new link for somebody whose first link was lost or has expired. The earlier one stops working. */
export const linkInvitation = (db: Db, actor: SessionAccount, store: StoreId, id: string) =>
  withInvitation(db, actor, store, id, async (db, { email }) => {
    await db.updateTable('invitation').set({ invited_by: actor.id }).where('id', '=', id).execute()
    await recordAct(db, actor, { act: 'create_link', subject: email, store_id: store })
    return createLink(db, { invitation_id: id })
  })
