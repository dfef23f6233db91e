import { sql } from 'kysely'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { claimHost, releaseHost } from './host-claims.ts'

/** Makes one of the store's domains its primary domain, which links use. The store must be locked. */
export const makePrimary = async (db: Tx, store: StoreId, domain: string) => {
  await db
    .updateTable('domain')
    .set({ is_primary: false, updated_at: sql`now()` })
    .where('store_id', '=', store)
    .where('is_primary', '=', true)
    .where('id', '<>', domain)
    .execute()
  const { host } = await db
    .updateTable('domain')
    .set({ is_primary: true, updated_at: sql`now()` })
    .where('store_id', '=', store)
    .where('id', '=', domain)
    .returning('host')
    .executeTakeFirstOrThrow()
  await db.updateTable('store').set({ domain: host }).where('id', '=', store).execute()
}

/** Renames the primary domain. If another domain of the store has that host name, it becomes primary instead. */
export const setPrimaryHost = async (db: Tx, store: StoreId, host: string) => {
  const { rows } = await sql<{ id: string; host: string; has_host: boolean }>`
    select id, host, lower(host) = lower(${host}) as has_host from domain
    where store_id = ${store} and (is_primary or lower(host) = lower(${host})) order by 3 desc`.execute(db)
  const known = rows[0]
  if (known && !known.has_host) await releaseHost(db, store, known.host)
  if (!known?.has_host) await claimHost(db, store, host)
  const changed = known
    ? await db
        .updateTable('domain')
        .set({ host })
        .where('store_id', '=', store)
        .where('id', '=', known.id)
        .returning('id')
        .executeTakeFirstOrThrow()
    : await db.insertInto('domain').values({ store_id: store, host }).returning('id').executeTakeFirstOrThrow()
  await makePrimary(db, store, changed.id)
}
