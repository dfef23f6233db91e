import { sql } from 'kysely'
import { ApiError, invalid, notFound, OperatorError } from '../errors.ts'
import { emailKey, isEmail } from '../input/email.ts'
import { type Db, type Tx, transact } from '../storage/database.ts'
import { recordAct } from './audit.ts'
import { grantRole, inviteMember, linkAccount, revokeRole } from './manage-accounts.ts'
import { createLink } from './one-time-links.ts'
import { findStore } from './queries.ts'
import { MAX_PEOPLE } from './schema.ts'
import type { SessionAccount } from './sessions.ts'

/** A member's role in a store. */
interface Membership {
  role: 'owner' | 'staff'
  permissions?: readonly string[] | undefined
}

/** Only owners and operators manage people. A store that the account may not open is reported as missing. */
export const requireOwner = async (db: Db, account: SessionAccount, store: string) => {
  const found = await findStore(db, account, store)
  if (!found) throw notFound('store')
  if (found.role === 'staff') throw new ApiError('forbidden', 'Only an owner of the store may do this.')
}

const select = (db: Db, store: string) =>
  db
    .selectFrom('membership as m')
    .innerJoin('account as a', 'a.id', 'm.account_id')
    .select(['a.id as account_id', 'a.email', 'a.name', 'm.role', 'm.permissions'])
    .select(sql<boolean>`coalesce(a.last_seen_at > m.created_at, false)`.as('has_joined'))
    .where('m.store_id', '=', store)

type Row = Awaited<ReturnType<ReturnType<typeof select>['execute']>>[number]

const show =
  ({ id }: SessionAccount) =>
  ({ role, name, has_joined, ...row }: Row) => ({
    ...row,
    name: has_joined ? name : '',
    role: role as 'owner' | 'staff',
    has_joined,
    is_you: row.account_id === id,
  })

/** The members of a store, owners first. */
export const listPeople = async (db: Db, account: SessionAccount, store: string) => {
  const rows = await select(db, store).orderBy('m.role').orderBy('a.email_key').limit(MAX_PEOPLE).execute()
  return rows.map(show(account))
}

const requirePerson = async (db: Db, account: SessionAccount, store: string, id: string) => {
  const row = await select(db, store).where('a.id', '=', id).executeTakeFirst()
  if (!row) throw notFound('person')
  return show(account)(row)
}

const checkMembership = ({ role, permissions = [] }: Membership) => {
  if (role === 'staff' && permissions.length === 0)
    throw invalid({ permissions: ['must have at least one permission'] })
}

const grantOf = (store: string, { role, permissions = [] }: Membership) => ({
  store,
  role,
  exact: true,
  ...(role === 'staff' && { permissions }),
})

/** Converts an operator's error into a validation error. */
const asFault = (field: string) => (error: unknown) => {
  throw error instanceof OperatorError ? invalid({ [field]: [error.message] }) : error
}

export const invitePerson = async (
  db: Db,
  actor: SessionAccount,
  store: string,
  { email, name = '', ...membership }: { email: string; name?: string | undefined } & Membership,
) => {
  checkMembership(membership)
  if (!isEmail(email.trim())) throw invalid({ email: ['must be an email address'] })
  const people = await listPeople(db, actor, store)
  if (people.length >= MAX_PEOPLE) throw invalid({ email: [`would be more than ${MAX_PEOPLE} people`] })
  if (people.some((person) => emailKey(person.email) === emailKey(email.trim())))
    throw invalid({ email: ['belongs to this store already'] })
  const { account, code } = await inviteMember(db, actor, { email, name }, grantOf(store, membership)).catch(
    asFault('email'),
  )
  return { person: await requirePerson(db, actor, store, account.id), code }
}

export const changePerson = async (
  db: Db,
  actor: SessionAccount,
  store: string,
  id: string,
  membership: Membership,
) => {
  const { email } = await requirePerson(db, actor, store, id)
  checkMembership(membership)
  await grantRole(db, actor, email, grantOf(store, membership)).catch(asFault('role'))
  return requirePerson(db, actor, store, id)
}

export const removePerson = async (db: Db, actor: SessionAccount, store: string, id: string) => {
  const { email, role } = await requirePerson(db, actor, store, id)
  await revokeRole(db, actor, email, { role, store }).catch(asFault('role'))
}

/** Whether the account is nothing but a member of this store who has never set a password. */
const onlyInvitedHere = async (db: Tx, store: string, id: string) => {
  const { rows } = await sql`select 1 from account a where a.id = ${id} and a.password is null and not a.is_operator
    and a.disabled_at is null
    and not exists (select 1 from membership m where m.account_id = a.id and m.store_id <> ${store})
    and not exists (select 1 from app_member m where m.account_id = a.id)
    for update of a`.execute(db)
  return rows.length > 0
}

/**
 * A new link for somebody whose invitation has expired. A link sets the password of the whole account, so owners may
 * create one only for people who are members of their store alone. Operators may create one for anybody.
 */
export const linkPerson = async (db: Db, actor: SessionAccount, store: string, id: string) => {
  const { email } = await requirePerson(db, actor, store, id)
  if (actor.is_operator) return linkAccount(db, actor, email).catch(asFault('email'))
  return transact(db, async (db) => {
    if (!(await onlyInvitedHere(db, store, id)))
      throw new ApiError('forbidden', 'An operator of the service makes the link for this person.')
    await recordAct(db, actor, { act: 'create_link', subject: email, store_id: store })
    return createLink(db, id, 'invite')
  })
}
