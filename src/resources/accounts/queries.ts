import { sql } from 'kysely'
import { emailKey } from '../../core/input/email.ts'
import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { OperatorError } from '../../errors.ts'
import { heldPermissions } from '../auth/held-permissions.ts'
import { MAX_STORES } from './schema.ts'
import type { SessionAccount } from './sessions.ts'

const withAccess = (db: Db, { id, is_operator }: SessionAccount) =>
  db
    .selectFrom('store as s')
    .leftJoin('membership as m', (join) => join.onRef('m.store_id', '=', 's.id').on('m.account_id', '=', id))
    .select(['s.id', 's.name', 's.domain', 's.currency', 's.time_zone', 's.suspended_at', 'm.role'])
    .select(heldPermissions('m').as('permissions'))
    .$if(!is_operator, (query) => query.where('m.account_id', 'is not', null))

type Row = Awaited<ReturnType<ReturnType<typeof withAccess>['execute']>>[number]

const show =
  ({ is_operator }: SessionAccount) =>
  ({ role, permissions, suspended_at, ...store }: Row) => ({
    ...store,
    is_suspended: suspended_at !== null,
    role: is_operator ? ('operator' as const) : (role as 'owner' | 'staff'),
    permissions: role === 'staff' && !is_operator ? (permissions ?? []) : [],
  })

/** The stores that an account may open, by name. */
export const listStores = async (db: Db, account: SessionAccount, search = '') => {
  const rows = await withAccess(db, account)
    .$if(search !== '', (query) =>
      query.where(sql<boolean>`position(lower(${search}) in lower(concat_ws(' ', s.name, s.domain, s.id))) > 0`),
    )
    .orderBy('s.name')
    .orderBy('s.id')
    .limit(MAX_STORES)
    .execute()
  return rows.map(show(account))
}

/** Undefined if there is no such store or the account may not open it; callers cannot tell which. */
export const findStore = async (db: Db, account: SessionAccount, id: string) => {
  const row = await withAccess(db, account)
    .where('s.id', '=', id as StoreId)
    .executeTakeFirst()
  return row && show(account)(row)
}

export const findConsoleInstallation = (db: Db, store: StoreId) =>
  db
    .selectFrom('installation as i')
    .innerJoin('app as a', 'a.id', 'i.app_id')
    .select(['i.id', 'a.id as app_id', 'a.generation'])
    .where('i.store_id', '=', store)
    .where('a.built_in', '=', true)
    .executeTakeFirst()

export const updateAccount = (
  db: Db,
  id: string,
  changes: {
    name?: string | undefined
    language?: SessionAccount['language'] | undefined
    theme?: SessionAccount['theme'] | undefined
  },
) => {
  const fields = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  return db
    .updateTable('account')
    .set({ id, ...fields })
    .where('id', '=', id)
    .returning(['id', 'email', 'name', 'is_operator', 'language', 'theme'])
    .executeTakeFirstOrThrow()
}

export const findAccount = (db: Db, email: string) =>
  db
    .selectFrom('account')
    .select(['id', 'email', 'name', 'is_operator', 'password', 'disabled_at'])
    .where('email_key', '=', emailKey(email))
    .executeTakeFirst()

/** Whether somebody with this email has been invited to anything, and has not joined. */
export const isInvited = async (db: Db, email: string) =>
  (await db.selectFrom('invitation').select('id').where('email_key', '=', emailKey(email)).executeTakeFirst()) !==
  undefined

export const requireAccount = async (db: Db, email: string) => {
  const account = await findAccount(db, email)
  if (!account) throw new OperatorError(`There is no account with the email ${email}.`)
  return account
}

export const listAccounts = (db: Db) =>
  db
    .selectFrom('account as a')
    .select(['a.email', 'a.name', 'a.is_operator', 'a.last_seen_at', 'a.disabled_at', 'a.created_at'])
    .select(
      sql<{ store_id: StoreId; role: string }[]>`coalesce((select json_agg(json_build_object('store_id', m.store_id,
        'role', m.role) order by m.store_id) from membership m where m.account_id = a.id), '[]')`.as('stores'),
    )
    .orderBy('a.created_at')
    .execute()
