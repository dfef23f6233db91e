import { sql } from 'kysely'
import type { Tx } from '../../core/storage/database.ts'
import { ApiError, forbidden, notFound } from '../../errors.ts'
import { PERMISSIONS } from '../permissions/catalogue.ts'
import { findStore } from './queries.ts'
import type { SessionAccount } from './sessions.ts'

type StoreOfPerson = NonNullable<Awaited<ReturnType<typeof findStore>>>

/** What a person may do in a store. */
export const heldIn = ({ role, permissions }: StoreOfPerson): ReadonlySet<string> =>
  new Set(role === 'staff' ? permissions : PERMISSIONS)

/**
 * The store, and the permissions of the person there, which nobody can take away until the transaction ends. While a store is
 * suspended, only operators change what apps may do there.
 */
export const requireInstaller = async (db: Tx, account: SessionAccount, storeId: string) => {
  await sql`select 1 from membership where store_id = ${storeId} and account_id = ${account.id} for share`.execute(db)
  await sql`select 1 from staff_role r where r.store_id = ${storeId} and r.id = (select m.role_id from membership m
    where m.store_id = ${storeId} and m.account_id = ${account.id}) for share`.execute(db)
  const store = await findStore(db, account, storeId)
  if (!store) throw notFound('store')
  const held = heldIn(store)
  if (!held.has('app:install')) throw forbidden('app:install')
  if (store.is_suspended && store.role !== 'operator') throw new ApiError('store_suspended')
  return { id: store.id, held }
}
