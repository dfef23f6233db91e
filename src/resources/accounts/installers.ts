import { sql } from 'kysely'
import type { Tx } from '../../core/storage/database.ts'
import { forbidden, notFound } from '../../errors.ts'
import { PERMISSIONS } from '../permissions/catalogue.ts'
import { findStore } from './queries.ts'
import type { SessionAccount } from './sessions.ts'

type StoreOfPerson = NonNullable<Awaited<ReturnType<typeof findStore>>>

/** What a person may do in a store. */
export const heldIn = ({ role, permissions }: StoreOfPerson): ReadonlySet<string> =>
  new Set(role === 'staff' ? permissions : PERMISSIONS)

/** The store, and the permissions of the person there, which nobody can take away until the transaction ends. */
export const requireInstaller = async (db: Tx, account: SessionAccount, storeId: string) => {
  await sql`select 1 from membership where store_id = ${storeId} and account_id = ${account.id} for share`.execute(db)
  await sql`select 1 from staff_role r where r.store_id = ${storeId} and r.id = (select m.role_id from membership m
    where m.store_id = ${storeId} and m.account_id = ${account.id}) for share`.execute(db)
  const store = await findStore(db, account, storeId)
  if (!store) throw notFound('store')
  const held = heldIn(store)
  if (!held.has('app:install')) throw forbidden('app:install')
  return { id: store.id, held }
}
