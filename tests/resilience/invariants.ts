import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type pg from 'pg'
import { blobKey, thumbnailKey } from '../../src/core/storage/blobs/blobs.ts'
import { STOCK } from './seeded-shop.ts'

/** For each kind of write, by its key: how often its result exists, and whether it is complete. */
const RESOURCES = `
  select customer.email as key, true as whole from customer where email like 'customer-%'
  union all
  select o.meta_data->>'key',
    (select count(*) = 2 and sum(l.quantity) = o.quantity and sum(l.stock_taken) = o.quantity
       from order_line l where (l.store_id, l.order_id) = (o.store_id, o.id))
    and (select count(*) = 2 and sum(dl.quantity) = o.quantity
       from delivery_line dl where (dl.store_id, dl.order_id) = (o.store_id, o.id))
    and o.customer_id is not null
  from orders o where o.meta_data->>'key' is not null
  union all
  select p.title,
    (select count(*) = 1 from variant v where (v.store_id, v.product_id) = (p.store_id, p.id))
    and (select count(*) = 1 from file_link l where (l.store_id, l.product_id) = (p.store_id, p.id))
  from product p where p.title like 'product-%'
  union all
  select f.name, true from file f where f.name like 'file-%'
  union all
  select i.key, true from idempotency i where i.key like 'delivery-%' and i.status = 200`

interface FoundResource {
  times: number
  whole: boolean
}

export const findResources = async (db: pg.Client): Promise<Map<string, FoundResource>> => {
  const { rows } = await db.query(
    `select replace(key, '@example.com', '') as key, count(*)::int as times, bool_and(whole) as whole
     from (${RESOURCES}) r group by 1`,
  )
  return new Map(rows.map(({ key, times, whole }) => [key, { times, whole }]))
}

/** Totals that must match, whatever was interrupted. Each row is a violation. */
const VIOLATIONS = `
  select 'stock of ' || v.title as what from variant v
  where v.quantity <> ${STOCK} - (select coalesce(sum(l.stock_taken), 0) from order_line l where l.variant_id = v.id)
    and v.title in ('Mug', 'Hat')
  union all
  select 'orders of ' || c.email from customer c
  where c.order_count <> (select count(*) from orders o where o.customer_id = c.id)
    or c.amount_spent <> (select coalesce(sum(o.total), 0) from orders o where o.customer_id = c.id)
  union all
  select 'an order without lines: ' || o.id from orders o where not exists (select from order_line l where l.order_id = o.id)
  union all
  select 'a product without a variant: ' || p.id from product p
  where not exists (select from variant v where v.product_id = p.id)
  union all
  select 'an unanswered key: ' || i.key from idempotency i where i.status is null or i.body is null
  union all
  select 'a delivery that was told as shipped: ' || i.key from idempotency i
  where i.key like 'delivery-%' and not exists (
    select from delivery d where d.id = (i.body::json->'data'->'delivery'->>'id')::uuid and d.status = 'shipped')`

export const findViolations = async (db: pg.Client): Promise<string[]> =>
  (await db.query(VIOLATIONS)).rows.map(({ what }) => what)

/** Files whose content is missing or does not match their row. */
export const findBrokenFiles = async (db: pg.Client, dataDir: string): Promise<string[]> => {
  const { rows } = await db.query(`select store_id, name, size, thumbnail, encode(sha256, 'hex') as sha256 from file`)
  const broken: string[] = []
  for (const { store_id, name, size, thumbnail, sha256 } of rows) {
    const read = (key: string) => readFile(path.join(dataDir, 'blobs', key)).catch(() => undefined)
    const bytes = await read(blobKey(store_id, sha256))
    const right = bytes?.length === Number(size) && createHash('sha256').update(bytes).digest('hex') === sha256
    if (!right || (thumbnail && !(await read(thumbnailKey(store_id, sha256)))?.length)) broken.push(name)
  }
  return broken
}
