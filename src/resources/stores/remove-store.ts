import { sql } from 'kysely'
import { ADVISORY_LOCKS } from '../../core/storage/advisory-locks.ts'
import { type Blobs, blobKey, jobInputKey, thumbnailKey } from '../../core/storage/blobs/blobs.ts'
import type { Db, Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

interface StoreContents {
  products: number
  orders: number
  customers: number
  files: number
}

export const countContents = async (db: Db, store: StoreId): Promise<StoreContents> => {
  const { rows } = await sql<StoreContents>`select
    (select count(*) from product where store_id = ${store}) as products,
    (select count(*) from orders where store_id = ${store}) as orders,
    (select count(*) from customer where store_id = ${store}) as customers,
    (select count(*) from file where store_id = ${store}) as files`.execute(db)
  return rows[0] as StoreContents
}

interface Reference {
  child: string
  parent: string
  cascades: boolean
}

/** The tables with a store's rows, children before parents. */
const tablesOfStore = async (db: Tx): Promise<string[]> => {
  const { rows } = await sql<Reference>`
    select f.conrelid::regclass::text as child, f.confrelid::regclass::text as parent, f.confdeltype = 'c' as cascades
    from pg_constraint f join pg_attribute a on a.attrelid = f.conrelid and a.attname = 'store_id'
    where f.contype = 'f' and f.connamespace = current_schema()::regnamespace order by 1, 2`.execute(db)
  const childrenOf = (table: string, references: readonly Reference[]) =>
    references.filter(({ parent }) => parent === table).map(({ child }) => child)
  const going = new Set<string>(['store'])
  for (const table of going)
    for (const child of childrenOf(
      table,
      rows.filter(({ cascades }) => cascades),
    ))
      going.add(child)
  const sorted = new Set<string>()
  const seen = new Set<string>()
  const visit = (table: string) => {
    if (seen.has(table)) return
    seen.add(table)
    for (const child of childrenOf(table, rows)) visit(child)
    if (going.has(table) && table !== 'store') sorted.add(table)
  }
  visit('store')
  return [...sorted]
}

/** Rows per statement: bounds the memory for triggers that run at the end of a statement. */
const BATCH = 20_000

const deleteRows = async (db: Tx, table: string, store: StoreId) => {
  const named = sql.table(table)
  for (let deleted = BATCH; deleted === BATCH; ) {
    const { numAffectedRows } = await sql`delete from ${named} where store_id = ${store}
      and ctid = any (array(select ctid from ${named} where store_id = ${store} limit ${sql.lit(BATCH)}))`.execute(db)
    deleted = Number(numAffectedRows)
  }
}

/** Without a reference to the store in a distributed database. */
const ON_COORDINATOR = [
  'invitation',
  'membership',
  'staff_role',
  'saved_view',
  'installation',
  'subscription',
  'order_use',
]

/**
 * Deletes a store, its data and its files. Files are deleted first, so that an interrupted removal can be repeated. The
 * store's row is locked, so nothing can be added meanwhile. Returns the number of deleted blobs, or undefined if there
 * is no such store.
 *
 * Deletes children before parents. With cascades, PostgreSQL would look up each order in every referring table, and
 * update each line because its product is gone before deleting the line itself.
 */
export const deleteStore = async (db: Tx, blobs: Blobs, id: StoreId): Promise<number | undefined> => {
  const store = await db.selectFrom('store').select('id').where('id', '=', id).forUpdate().executeTakeFirst()
  if (!store) return undefined
  const kept = await db.selectFrom('blob').select('sha256').where('store_id', '=', id).execute()
  const keys = kept.map(({ sha256 }) => sha256.toString('hex'))
  await blobs.remove(keys.flatMap((hex) => [blobKey(store.id, hex), thumbnailKey(store.id, hex)]))
  const { rows: jobs } = await sql<{ id: string }>`select id from bulk_job where store_id = ${id}`.execute(db)
  await blobs.remove(jobs.map((job) => jobInputKey(store.id, job.id)))
  await sql`set local storefront.removing_store = 'on'`.execute(db)
  for (const table of new Set([...ON_COORDINATOR, ...(await tablesOfStore(db))])) await deleteRows(db, table, store.id)
  await db.deleteFrom('store').where('id', '=', id).execute()
  // The job that merges counters would insert some that this does not see.
  await sql`select pg_advisory_xact_lock(${sql.lit(ADVISORY_LOCKS.rowCounts)})`.execute(db)
  // Counters have no reference to the store.
  const unreferenced = ['tally', 'phone_count', 'first_order', 'analytic_change', 'change', 'idempotency', 'store_work']
  for (const table of [...unreferenced, 'removed_installation', 'lifecycle_post', 'call_tally', 'permission_use'])
    await deleteRows(db, table, store.id)
  await sql`set local storefront.removing_store = 'off'`.execute(db)
  return kept.length
}
