import { MAX_INTEGER } from '../../core/input/schemas.ts'
import type { Tx } from '../../core/storage/database.ts'
import { sqlText, t } from '../../core/storage/sql.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { inStore } from '../../core/storage/store-statement.ts'
import type { StockChange } from './schema.ts'
import type {} from './tables.ts'

type Problem = 'unknown' | 'ambiguous' | 'repeated' | 'short' | 'too_large'

export interface Line {
  id: string | null
  product_id: string | null
  sku: string | null
  before: number | null
  after: number | null
  problem: Problem | null
  reason: string | null
}

/**
 * Locks the variants before they are looked at. A statement that waits for them reads their products as they were before:
 * whether they may be oversold.
 */
const LOCK = sqlText`
  with locked as materialized (
    select v.id from ${t.variant} v where v.store_id = $1 and v.id in (
      select unnest($2::uuid[]) union all
      select f.id from unnest($3::text[]) g (sku)
      cross join lateral (select id from ${t.variant} where store_id = $1 and sku = g.sku limit 2) f)
    order by v.id for no key update of v
  )
  select count(*) as locked from locked`

/**
 * Finds the variants, locks them in the order of ids, as orders do, and checks the lines against the locked rows: the
 * rows that were found may have changed while the statement waited for the locks.
 */
const CHECK = sqlText`
  with given as materialized (
    select * from unnest($2::uuid[], $3::text[], $4::int[], $5::int[], $6::text[]) with ordinality
      g (variant_id, sku, quantity, delta, reason, line)
  ), found as materialized (
    select g.line, v.id from given g join ${t.variant} v on v.store_id = $1 and v.id = g.variant_id
    union all
    select g.line, v.id from given g
    cross join lateral (select id from ${t.variant} where store_id = $1 and sku = g.sku limit 2) v
  ), locked as materialized (
    select id, product_id, sku, quantity from ${t.variant}
    where store_id = $1 and id in (select id from found) order by id for no key update
  ), matched as (
    select g.*, f.matches, l.id, l.product_id, l.sku as variant_sku, l.quantity as before,
      case when l.id is not null then coalesce(g.quantity, l.quantity::bigint + g.delta) end as after,
      row_number() over (partition by l.id order by g.line) as use
    from given g
    left join (select line, count(*) as matches, min(id::text)::uuid as id from found group by line) f
      on f.line = g.line
    left join locked l on l.id = f.id and f.matches = 1 and (g.sku is null or g.sku = l.sku)
  ), checked as materialized (
    select m.*, case
      when m.matches > 1 then 'ambiguous'
      when m.id is null then 'unknown'
      when m.use > 1 then 'repeated'
      when m.after > ${MAX_INTEGER} then 'too_large'
      when m.delta < 0 and m.after < (case when p.allow_order_when_oos then -${MAX_INTEGER} else 0 end) then 'short'
    end as problem
    from matched m left join ${t.product} p on p.store_id = $1 and p.id = m.product_id
  )`

/** `v.quantity` would be the quantity before the wait for the lock, so `before` is compared. */
const APPLY = sqlText`${CHECK}, written as (
    update ${t.variant} v set quantity = j.after, stock_noted = v.stock_noted + (j.after - j.before),
      updated_at = statement_timestamp()
    from checked j
    where v.store_id = $1 and v.id = j.id and j.problem is null and j.before <> j.after
      and not ($7 and exists (select 1 from checked where problem is not null))
    returning v.id, j.after - j.before as delta, j.reason
  ), noted as (
    insert into ${t.stock_change} (store_id, variant_id, kind, delta, reason)
    select $1::uuid, w.id, 'adjustment', w.delta, w.reason from written w
  )
  select coalesce(json_agg(json_build_object('id', id, 'product_id', product_id, 'sku', variant_sku, 'before', before,
    'after', after, 'problem', problem, 'reason', reason) order by line), '[]') as lines from checked`

const column = <K extends keyof StockChange>(changes: readonly StockChange[], field: K) =>
  changes.map((change) => change[field] ?? null)

/** Writes the valid lines; with `atomic`, only if all are valid. Returns every line with its problem, if it has one. */
export const writeStock = async (db: Tx, store: StoreId, changes: readonly StockChange[], atomic: boolean) => {
  const [ids, skus] = [column(changes, 'variant_id'), column(changes, 'sku')]
  await inStore(db, store, LOCK, [store, ids, skus])
  const values = [
    store,
    ids,
    skus,
    column(changes, 'quantity'),
    column(changes, 'delta'),
    changes.map(({ reason }) => reason || null),
    atomic,
  ]
  return (await inStore<{ lines: Line[] }>(db, store, APPLY, values))?.lines ?? []
}
