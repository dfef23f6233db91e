import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { fillEveryTable } from '../../../tests/support/every-table.ts'
import { startShopWithOrders } from '../../../tests/support/shop-with-orders.ts'
import { openBlobs } from '../../core/storage/blobs/open-blobs.ts'
import { type Db, transact } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { deleteStore } from './remove-store.ts'

/** The number of rows of a store in each table, and their hash. Tables without a store count as a whole. */
const rowsOf = async (db: Db, store: string) => {
  const { rows: tables } = await sql<{ name: string; owned: boolean }>`
    select c.relname::text as name, a.attname is not null as owned
    from pg_class c left join pg_attribute a on a.attrelid = c.oid and a.attname = 'store_id'
    where c.relkind = 'r' and not c.relispartition and c.relnamespace = 'public'::regnamespace and c.relname <> 'rate_window'`.execute(
    db,
  )
  const counts: Record<string, string> = {}
  for (const { name, owned } of tables) {
    if (!owned) continue
    const { rows } = await sql<{ rows: string }>`select count(*) || ' ' ||
      md5(coalesce(string_agg(md5(t::text), '' order by md5(t::text)), '')) as rows
      from ${sql.table(name)} t where store_id = ${store}`.execute(db)
    counts[name] = rows[0]?.rows ?? ''
  }
  return counts
}

const NONE = '0 d41d8cd98f00b204e9800998ecf8427e'

/** The audit log and the invoices are kept when a store is removed. */
const KEPT = ['audit_entry', 'invoice']

test('a removed store leaves no row in any table, and other stores keep theirs', async () => {
  const going = await startShopWithOrders()
  const staying = await startShopWithOrders()
  const { db, connection, config } = going.api
  for (const { sell, all } of [going, staying]) {
    const order = await sell({ customer_email: 'amel@example.com' })
    await all.post(`/order/${order.id}/refund`, { amount: 3, status: 'refunded' })
    await all.get('/event')
    await sell({ customer_email: 'amel@example.com' })
  }
  const { store: filled } = await fillEveryTable(connection)
  // Calls are counted in the background.
  await going.api.services.calls.flush()
  const other = await rowsOf(db, staying.api.store.id)
  const blobs = await openBlobs(config)
  for (const store of [going.api.store.id, filled?.id as StoreId]) {
    expect(await transact(db, (db) => deleteStore(db, blobs, store))).toBeTypeOf('number')
    const left = Object.entries(await rowsOf(db, store)).filter(([name, rows]) => !KEPT.includes(name) && rows !== NONE)
    expect(left).toEqual([])
    expect(await transact(db, (db) => deleteStore(db, blobs, store))).toBeUndefined()
  }
  expect(await rowsOf(db, staying.api.store.id)).toEqual(other)
  expect(Object.values(other).filter((rows) => rows !== NONE).length).toBeGreaterThan(15)
  // Counters and events continue to work.
  await staying.sell()
  const { total } = (await staying.all.get('/order?page_size=1')).body.data.pagination
  expect(total).toBe(3)
  expect((await staying.all.get('/analytic/sales')).body.data.sales[0].total.orders).toBe(3)
  const [order] = (await staying.all.get('/order')).body.data.orders
  expect((await staying.all.delete(`/order/${order.id}`)).status).toBe(200)
  expect((await staying.all.get('/analytic/sales')).body.data.sales[0].total.orders).toBe(2)
  expect((await staying.all.get('/order?page_size=1')).body.data.pagination.total).toBe(2)
})

test('every delete trigger handles the removal of a store', async () => {
  const { api } = await startShopWithOrders()
  const { rows } = await sql<{ name: string }>`
    select tgrelid::regclass || '.' || tgname as name from pg_trigger t join pg_proc p on p.oid = t.tgfoid
    join pg_class c on c.oid = t.tgrelid and c.relnamespace = current_schema()::regnamespace
    where not tgisinternal and tgtype & 8 = 8 and pg_get_triggerdef(t.oid) not like '%store\\_remains()%'
      and p.proname not like 'announce\\_%' and p.proname not in ('forget_changes', 'forget_installation', 'forget_app')`.execute(
    api.db,
  )
  expect(rows).toEqual([])
})
