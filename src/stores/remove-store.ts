import { sql } from 'kysely'
import { type Blobs, blobKey, jobInputKey, thumbnailKey } from '../storage/blobs/blobs.ts'
import type { Db, Tx } from '../storage/database.ts'

export interface StoreContents {
  products: number
  orders: number
  customers: number
  files: number
}

export const countContents = async (db: Db, store: string): Promise<StoreContents> => {
  const { rows } = await sql<StoreContents>`select
    (select count(*) from product where store_id = ${store}) as products,
    (select count(*) from orders where store_id = ${store}) as orders,
    (select count(*) from customer where store_id = ${store}) as customers,
    (select count(*) from file where store_id = ${store}) as files`.execute(db)
  return rows[0] as StoreContents
}

/**
 * Deletes a store, its data and its files. Files are deleted first, so that an interrupted removal can be repeated. The
 * store's row is locked, so nothing can be added meanwhile. Returns the number of deleted blobs, or undefined if there
 * is no such store.
 */
export const deleteStore = async (db: Tx, blobs: Blobs, id: string): Promise<number | undefined> => {
  const store = await db.selectFrom('store').select('id').where('id', '=', id).forUpdate().executeTakeFirst()
  if (!store) return undefined
  const kept = await db.selectFrom('blob').select('sha256').where('store_id', '=', id).execute()
  const keys = kept.map(({ sha256 }) => sha256.toString('hex'))
  await blobs.remove(keys.flatMap((hex) => [blobKey(store.id, hex), thumbnailKey(store.id, hex)]))
  const { rows: jobs } = await sql<{ id: string }>`select id from bulk_job where store_id = ${id}`.execute(db)
  await blobs.remove(jobs.map((job) => jobInputKey(store.id, job.id)))
  await db.deleteFrom('store').where('id', '=', id).execute()
  // Counters that triggers may have written for the rows deleted above.
  await sql`delete from tally where store_id = ${store.id}`.execute(db)
  await sql`delete from analytic_change where store_id = ${store.id}`.execute(db)
  return kept.length
}
