import { sql } from 'kysely'
import { MAX_INTEGER } from '../../core/input/schemas.ts'
import type { Tx } from '../../core/storage/database.ts'
import { placeholder, type Sql, sqlText, t } from '../../core/storage/sql.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { inStore } from '../../core/storage/store-statement.ts'
import { ValidationErrors } from '../../errors.ts'
import type {} from '../stock/tables.ts'

export interface OrderableVariant {
  id: string
  product_id: string
  price: string
  sku: string | null
  quantity: number
  title: string
  is_digital: boolean
  stock_tracked: boolean
  allow_order_when_oos: boolean
  options: Record<string, string>
}

/** Locks in the order of ids, so that concurrent orders cannot deadlock. */
export const selectVariants = (store: Sql, ids: Sql) => sqlText`
  select v.id, v.product_id, v.price::text as price, v.sku, v.quantity, p.title, p.is_digital, p.stock_tracked,
    p.allow_order_when_oos, coalesce((
      select json_object_agg(o.name, b.value order by o.position, o.id)
      from ${t.variant_value} a
      join ${t.product_option} o on o.store_id = ${store} and o.id = a.option_id
      join ${t.option_value} b on b.store_id = ${store} and b.id = a.value_id
      where a.store_id = ${store} and a.variant_id = v.id), '{}') as options
  from ${t.variant} v join ${t.product} p on p.store_id = ${store} and p.id = v.product_id
  where v.store_id = ${store} and v.id = any(${ids}::uuid[])
  order by v.id for no key update of v`

const LOCK = sqlText`with locked as materialized (${selectVariants(placeholder(1), placeholder(2))})
  select coalesce(json_agg(l), '[]') as variants from locked l`

/** Reads the variants and locks them. */
export const readLockedVariants = async (
  db: Tx,
  store: StoreId,
  ids: readonly string[],
): Promise<OrderableVariant[]> => {
  if (ids.length === 0) return []
  const found = await inStore<{ variants: OrderableVariant[] }>(db, store, LOCK, [store, ids])
  return found?.variants ?? []
}

export const lockVariants = async (db: Tx, store: StoreId, ids: readonly string[]) =>
  new Map((await readLockedVariants(db, store, ids)).map((variant) => [variant.id, variant]))

interface WantedUnits {
  variant_id: string
  quantity: number
}

const MIN_STOCK = -(2 ** 31)

const left = (units: number) =>
  units <= 0
    ? 'is out of stock'
    : `must not be more than is in stock: ${units === 1 ? '1 unit is' : `${units} units are`} left`

/**
 * Several lines may order the same variant: the error names the line at which the stock runs out. What takes nothing, or gives
 * units back, is accepted although more has been sold than there was.
 */
export const checkStock = (
  orderedUnits: readonly WantedUnits[],
  variants: ReadonlyMap<string, OrderableVariant>,
  errors: ValidationErrors,
  field: (line: number) => string,
) => {
  const remaining = new Map<string, number>()
  for (const [line, { variant_id, quantity }] of orderedUnits.entries()) {
    const variant = variants.get(variant_id)
    if (!variant?.stock_tracked) continue
    const stock = remaining.get(variant_id) ?? variant.quantity
    const least = variant.allow_order_when_oos ? MIN_STOCK : 0
    if (quantity > 0 && stock - quantity < least) errors.add(field(line), left(stock))
    else remaining.set(variant_id, stock - quantity)
  }
}

/** The stock of `v` plus these units (or minus, if negative), capped at the maximum integer. */
const stockPlus = (units: string) => sql`least(v.quantity::bigint + ${sql.ref(units)}, ${MAX_INTEGER})`

/** Runs the transaction again, which then sees what has changed. */
export class ChangedMeanwhileError extends Error {
  readonly code = '40001'
}

/**
 * Whether so many units of a variant `v` may be taken. A statement that waits for a variant reads its product as it was before:
 * whether that may be oversold is looked at again when the units are taken, as addUnits() does.
 */
export const mayTake = (store: Sql, units: Sql) => sqlText`(v.quantity >= ${units} or exists (
  select 1 from ${t.product} p where p.store_id = ${store} and p.id = v.product_id and p.allow_order_when_oos))`

/** Why an order takes units or gives them back. */
interface StockCause {
  order: string
  kind: 'order_changed' | 'order_cancelled' | 'order_reactivated' | 'return'
}

interface StockMove {
  variant_id: string
  /** Units that are given back; negative if they are taken. */
  delta: number
}

/**
 * Returns the variants that there are: one may have been deleted since the line was read. The variants from which units are
 * taken must be locked.
 */
const addUnits = async (db: Tx, store: StoreId, moves: readonly StockMove[]) => {
  const { rows } = await sql<{ id: string }>`
    update variant v set quantity = ${stockPlus('w.units')}, stock_noted = v.stock_noted + w.units,
      updated_at = statement_timestamp()
    from unnest(${moves.map(({ variant_id }) => variant_id)}::uuid[], ${moves.map(({ delta }) => delta)}::int[]) w (id, units)
    where v.store_id = ${store} and v.id = w.id and (w.units > 0 or v.quantity >= -w.units or exists (
      select 1 from product p where p.store_id = ${store} and p.id = v.product_id and p.allow_order_when_oos))
    returning v.id`.execute(db)
  const known = new Set(rows.map(({ id }) => id))
  if (moves.some(({ variant_id, delta }) => delta < 0 && !known.has(variant_id)))
    throw new ChangedMeanwhileError('A product may not be oversold any more.')
  return known
}

/** Takes units from stock, or gives them back if negative, with an entry in the history of each variant. They must be locked. */
export const moveUnits = async (
  db: Tx,
  store: StoreId,
  { order, kind }: StockCause,
  orderedUnits: readonly WantedUnits[],
) => {
  const sums = new Map<string, number>()
  for (const { variant_id, quantity } of orderedUnits) sums.set(variant_id, (sums.get(variant_id) ?? 0) - quantity)
  const moves = [...sums].map(([variant_id, delta]) => ({ variant_id, delta })).filter(({ delta }) => delta !== 0)
  if (moves.length === 0) return
  const known = await addUnits(db, store, moves)
  const changes = moves.filter(({ variant_id }) => known.has(variant_id))
  if (changes.length === 0) return
  await db
    .insertInto('stock_change')
    .values(changes.map((change) => ({ store_id: store, kind, order_id: order, ...change })))
    .execute()
}

/**
 * Stock accounting of one line. While its order is active, a line takes its ordered units minus the restocked ones from
 * stock. Once the order is cancelled or abandoned, it takes only the units that had been shipped, minus the restocked
 * ones. The column `stock_taken` is the units currently taken plus the restocked ones.
 */
interface StockedLine {
  id: string
  variant_id: string | null
  quantity: number
  /** Units that the line currently takes from stock. */
  out: number
  /** Shipped units. */
  sent: number
  /** Returned units, and how many of them were restocked. */
  returned: number
  restocked: number
}

const stockedLines = async (db: Tx, store: StoreId, order: string) => {
  const { rows } = await sql<StockedLine>`
    select l.id, l.variant_id, l.quantity, greatest(0, l.stock_taken - r.restocked) as out,
      (select coalesce(sum(h.quantity), 0)::int from delivery_line h
        join delivery d on d.store_id = ${store} and d.id = h.delivery_id
        where h.store_id = ${store} and h.order_line_id = l.id
          and not d.is_return and d.status in ('shipped', 'delivered')) as sent,
      r.returned, r.restocked
    from order_line l
    cross join lateral (
      select coalesce(sum(r.quantity), 0)::int as returned,
        coalesce(sum(r.quantity) filter (where r.restock and not r.awaits_receipt), 0)::int as restocked
      from return_line r where r.store_id = ${store} and r.order_line_id = l.id
    ) r
    where l.store_id = ${store} and l.order_id = ${order}
    order by l.position, l.id`.execute(db)
  return rows
}

/** Units that a line of an active order takes from stock. */
const unitsWhileActive = ({ quantity, restocked }: StockedLine) => quantity - restocked

/**
 * Units that a line keeps taking after its order is cancelled. Returned units count as shipped, whatever the delivery's
 * status is.
 */
const unitsWhileCancelled = ({ sent, returned, restocked }: StockedLine) => Math.max(sent, returned) - restocked

type Move = StockedLine & { /** Units to take from now on. */ next: number }

const recordStockTaken = (db: Tx, store: StoreId, moves: readonly Move[]) =>
  sql`
  update order_line l set stock_taken = m.units
  from unnest(${moves.map(({ id }) => id)}::uuid[],
    ${moves.map(({ next, restocked }) => next + restocked)}::int[]) m (id, units)
  where l.store_id = ${store} and l.id = m.id`.execute(db)

/** The variants of the lines must be locked. */
const move = async (db: Tx, store: StoreId, cause: StockCause, moves: readonly Move[]) => {
  if (moves.length === 0) return
  await moveUnits(
    db,
    store,
    cause,
    moves.flatMap(({ variant_id, out, next }) => (variant_id ? [{ variant_id, quantity: next - out }] : [])),
  )
  await recordStockTaken(db, store, moves)
}

const variantsOf = (lines: readonly StockedLine[]) => lines.flatMap(({ variant_id }) => variant_id ?? [])

/** Returns the unshipped units of a cancelled or abandoned order to stock. */
export const releaseStock = async (db: Tx, store: StoreId, order: string) => {
  const lines = await stockedLines(db, store, order)
  await lockVariants(db, store, variantsOf(lines))
  const moves = lines.map((line) => ({ ...line, next: Math.min(line.out, unitsWhileCancelled(line)) }))
  await move(
    db,
    store,
    { order, kind: 'order_cancelled' },
    moves.filter(({ out, next }) => next < out),
  )
}

/**
 * Takes the units of a reactivated order from stock again. A shortage is reported for the fields that reactivated it.
 */
export const reserveStock = async (
  db: Tx,
  store: StoreId,
  order: string,
  errors: ValidationErrors,
  fields: readonly string[],
) => {
  const lines = await stockedLines(db, store, order)
  const variants = await lockVariants(db, store, variantsOf(lines))
  const moves = lines
    .filter(({ variant_id }) => variant_id && variants.get(variant_id)?.stock_tracked)
    .map((line) => ({ ...line, next: unitsWhileActive(line) }))
    .filter(({ out, next }) => next > out)
  const short = new ValidationErrors()
  const orderedUnits = moves.map(({ variant_id, out, next }) => ({
    variant_id: variant_id as string,
    quantity: next - out,
  }))
  checkStock(orderedUnits, variants, short, String)
  if (short.any)
    for (const field of fields) errors.add(field, 'cannot be changed: the ordered units are no longer in stock')
  else await move(db, store, { order, kind: 'order_reactivated' }, moves)
}

interface ReturnedUnits {
  order_variant_id: string
  quantity: number
  restock: boolean
}

/**
 * Restocks the units of a return: before the return is written, or when it `isReceived`. No unit is restocked twice: units that a cancelled
 * order has already returned to stock are only counted as restocked, so that reactivating the order does not take them
 * again.
 */
export const restockReturn = async (
  db: Tx,
  store: StoreId,
  order: { id: string; counts: boolean },
  returned: readonly ReturnedUnits[],
  { isReceived = false } = {},
) => {
  const restocked = new Map(
    returned.filter(({ restock }) => restock).map((line) => [line.order_variant_id, line.quantity]),
  )
  if (restocked.size === 0) return
  const moves = (await stockedLines(db, store, order.id)).flatMap((line): Move[] => {
    const units = restocked.get(line.id)
    if (units === undefined) return []
    const after = { ...line, returned: line.returned + (isReceived ? 0 : units), restocked: line.restocked + units }
    const kept = order.counts ? unitsWhileActive(after) : unitsWhileCancelled(after)
    return [{ ...after, next: Math.min(line.out, Math.max(kept, line.out - units)) }]
  })
  await lockVariants(db, store, variantsOf(moves))
  await move(db, store, { order: order.id, kind: 'return' }, moves)
}
