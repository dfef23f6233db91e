import { sql } from 'kysely'
import { ApiError, invalid, notFound, OperatorError } from '../errors.ts'
import type { Db } from '../storage/database.ts'
import { findStore } from './queries.ts'
import { MAX_PEOPLE } from './schema.ts'
import type { SessionAccount } from './sessions.ts'

/** A member's role in a store. */
export interface Membership {
  role: 'owner' | 'staff'
  permissions?: readonly string[] | undefined
}

/** Only owners and operators manage people. A store that the account may not open is reported as missing. */
export const requireOwner = async (db: Db, account: SessionAccount, store: string) => {
  const found = await findStore(db, account, store)
  if (!found) throw notFound('store')
  if (found.role === 'staff') throw new ApiError('forbidden', 'Only an owner of the store may do this.')
}

const selectPeople = (db: Db, store: string) =>
  db
    .selectFrom('membership as m')
    .innerJoin('account as a', 'a.id', 'm.account_id')
    .select(['a.id as account_id', 'a.email', 'a.name', 'm.role', 'm.permissions'])
    .select(sql<boolean>`coalesce(a.last_seen_at > m.created_at, false)`.as('has_joined'))
    .where('m.store_id', '=', store)

type PersonRow = Awaited<ReturnType<ReturnType<typeof selectPeople>['execute']>>[number]

const showPerson =
  ({ id }: SessionAccount) =>
  ({ role, name, has_joined, ...row }: PersonRow) => ({
    ...row,
    name: has_joined ? name : '',
    role: role as 'owner' | 'staff',
    has_joined,
    is_you: row.account_id === id,
  })

/** The members of a store, owners first. */
export const listPeople = async (db: Db, account: SessionAccount, store: string) => {
  const rows = await selectPeople(db, store).orderBy('m.role').orderBy('a.email_key').limit(MAX_PEOPLE).execute()
  return rows.map(showPerson(account))
}

export const requirePerson = async (db: Db, account: SessionAccount, store: string, id: string) => {
  const row = await selectPeople(db, store).where('a.id', '=', id).executeTakeFirst()
  if (!row) throw notFound('person')
  return showPerson(account)(row)
}

export const checkMembership = ({ role, permissions = [] }: Membership) => {
  if (role === 'staff' && permissions.length === 0)
    throw invalid({ permissions: ['must have at least one permission'] })
}

export const grantOf = (store: string, { role, permissions = [] }: Membership) => ({
  store,
  role,
  exact: true,
  ...(role === 'staff' && { permissions }),
})

/** Converts an operator's error into a validation error. */
export const asFieldError = (field: string) => (error: unknown) => {
  throw error instanceof OperatorError ? invalid({ [field]: [error.message] }) : error
}
