import { sql } from 'kysely'
import type { Db } from '../storage/database.ts'
import { MAX_STORES } from './schema.ts'
import type { SessionAccount } from './sessions.ts'

const withAccess = (db: Db, { id, is_operator }: SessionAccount) =>
  db
    .selectFrom('store as s')
    .leftJoin('membership as m', (join) => join.onRef('m.store_id', '=', 's.id').on('m.account_id', '=', id))
    .select(['s.id', 's.name', 's.domain', 's.currency', 's.time_zone', 'm.role', 'm.permissions'])
    .$if(!is_operator, (query) => query.where('m.account_id', 'is not', null))

type Row = Awaited<ReturnType<ReturnType<typeof withAccess>['execute']>>[number]

const show =
  ({ is_operator }: SessionAccount) =>
  ({ role, permissions, ...store }: Row) => ({
    ...store,
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
  const row = await withAccess(db, account).where('s.id', '=', id).executeTakeFirst()
  return row && show(account)(row)
}

export const findConsoleInstallation = (db: Db, store: string) =>
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
