import { sql } from 'kysely'
import { ValidationErrors } from '../errors.ts'
import { MAX_INTEGER } from '../input/schemas.ts'
import type { Tx } from '../storage/database.ts'
import type { StoreId } from '../storage/store-id.ts'

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

/** By id, so that two orders for the same goods wait for each other and never in a circle. */
export const lockVariants = async (db: Tx, store: StoreId, ids: readonly string[]) => {
  if (ids.length === 0) return new Map<string, OrderableVariant>()
  const { rows } = await sql<OrderableVariant>`
    select v.id, v.product_id, v.price, v.sku, v.quantity, p.title, p.is_digital, p.stock_tracked,
      p.allow_order_when_oos, coalesce((
        select json_object_agg(o.name, b.value order by o.position, o.id)
        from variant_value a
        join product_option o on o.store_id = a.store_id and o.id = a.option_id
        join option_value b on b.store_id = a.store_id and b.id = a.value_id
        where a.store_id = v.store_id and a.variant_id = v.id), '{}') as options
    from variant v join product p on p.store_id = v.store_id and p.id = v.product_id
    where v.store_id = ${store} and v.id = any(${ids}::uuid[])
    order by v.id for no key update of v`.execute(db)
  return new Map(rows.map((variant) => [variant.id, variant]))
}

export interface WantedUnits {
  variant_id: string
  quantity: number
}

const MIN_STOCK = -(2 ** 31)

const left = (units: number) =>
  units <= 0
    ? 'is out of stock'
    : `must not be more than is in stock: ${units === 1 ? '1 unit is' : `${units} units are`} left`

/** Several lines may want the same variant: the fault is told of the line at which it runs out. */
export const checkStock = (
  wanted: readonly WantedUnits[],
  variants: ReadonlyMap<string, OrderableVariant>,
  errors: ValidationErrors,
  field: (line: number) => string,
) => {
  const remaining = new Map<string, number>()
  for (const [line, { variant_id, quantity }] of wanted.entries()) {
    const variant = variants.get(variant_id)
    if (!variant?.stock_tracked) continue
    const stock = remaining.get(variant_id) ?? variant.quantity
    const least = variant.allow_order_when_oos ? MIN_STOCK : 0
    if (stock - quantity < least) errors.add(field(line), left(stock))
    else remaining.set(variant_id, stock - quantity)
  }
}

/** The stock of `v` with these units added, or taken when negative. What would exceed the highest number stays there. */
export const stockPlus = (units: string) => sql`least(v.quantity::bigint + ${sql.ref(units)}, ${MAX_INTEGER})`

/** Moves units out of stock, or back into it when negative. The variants are locked. */
export const takeUnits = async (db: Tx, store: StoreId, wanted: readonly WantedUnits[]) => {
  const taken = wanted.filter(({ quantity }) => quantity !== 0)
  if (taken.length === 0) return
  const ids = taken.map(({ variant_id }) => variant_id)
  const units = taken.map(({ quantity }) => quantity)
  await sql`
    update variant v set quantity = ${stockPlus('w.units')}, updated_at = clock_timestamp()
    from (
      select id, -sum(units) as units from unnest(${ids}::uuid[], ${units}::int[]) w (id, units) group by id
    ) w
    where v.store_id = ${store} and v.id = w.id`.execute(db)
}

/**
 * A line keeps out of stock what was ordered less what returns restocked; once its order is called off, only what had
 * left the shop by then, less the same. `stock_taken` is what it keeps out and what returns restocked, together.
 */
interface StockedLine {
  id: string
  variant_id: string | null
  quantity: number
  /** Units that the line keeps out of stock now. */
  out: number
  /** Units that deliveries took out of the shop. */
  sent: number
  /** Units that came back, and those of them that went back on the shelf. */
  returned: number
  restocked: number
}

const stockedLines = async (db: Tx, store: StoreId, order: string) => {
  const { rows } = await sql<StockedLine>`
    select l.id, l.variant_id, l.quantity, greatest(0, l.stock_taken - r.restocked) as out,
      (select coalesce(sum(h.quantity), 0)::int from delivery_line h
        join delivery d on d.store_id = h.store_id and d.id = h.delivery_id
        where h.store_id = l.store_id and h.order_line_id = l.id
          and not d.is_return and d.status in ('shipped', 'delivered')) as sent,
      r.returned, r.restocked
    from order_line l
    cross join lateral (
      select coalesce(sum(r.quantity), 0)::int as returned,
        coalesce(sum(r.quantity) filter (where r.restock), 0)::int as restocked
      from return_line r where r.store_id = l.store_id and r.order_line_id = l.id
    ) r
    where l.store_id = ${store} and l.order_id = ${order}
    order by l.position, l.id`.execute(db)
  return rows
}

/** What a line of an order that counts keeps out of stock. */
const wantedOut = ({ quantity, restocked }: StockedLine) => quantity - restocked

/** What a line may keep out of stock once its order is called off. What came back had left, whatever its delivery says. */
const goneFor = ({ sent, returned, restocked }: StockedLine) => Math.max(sent, returned) - restocked

type Move = StockedLine & { /** What it keeps out from now on. */ next: number }

const recordStockTaken = (db: Tx, store: StoreId, moves: readonly Move[]) =>
  sql`
  update order_line l set stock_taken = m.units
  from unnest(${moves.map(({ id }) => id)}::uuid[],
    ${moves.map(({ next, restocked }) => next + restocked)}::int[]) m (id, units)
  where l.store_id = ${store} and l.id = m.id`.execute(db)

/** The variants of the lines are locked. */
const move = async (db: Tx, store: StoreId, moves: readonly Move[]) => {
  if (moves.length === 0) return
  await takeUnits(
    db,
    store,
    moves.flatMap(({ variant_id, out, next }) => (variant_id ? [{ variant_id, quantity: next - out }] : [])),
  )
  await recordStockTaken(db, store, moves)
}

const variantsOf = (lines: readonly StockedLine[]) => lines.flatMap(({ variant_id }) => variant_id ?? [])

/** The goods of an order that was called off go back on the shelf, but for those that have left the shop. */
export const releaseStock = async (db: Tx, store: StoreId, order: string) => {
  const lines = await stockedLines(db, store, order)
  await lockVariants(db, store, variantsOf(lines))
  const moves = lines.map((line) => ({ ...line, next: Math.min(line.out, goneFor(line)) }))
  await move(
    db,
    store,
    moves.filter(({ out, next }) => next < out),
  )
}

/** The goods of an order that is wanted after all; a shortage is told of the fields that made it so. */
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
    .map((line) => ({ ...line, next: wantedOut(line) }))
    .filter(({ out, next }) => next > out)
  const short = new ValidationErrors()
  const wanted = moves.map(({ variant_id, out, next }) => ({ variant_id: variant_id as string, quantity: next - out }))
  checkStock(wanted, variants, short, String)
  if (short.any)
    for (const field of fields) errors.add(field, 'cannot be changed: the ordered units are no longer in stock')
  else await move(db, store, moves)
}

export interface ReturnedUnits {
  order_variant_id: string
  quantity: number
  restock: boolean
}

/**
 * Puts back what a return restocks, before the return itself is written. No unit goes back twice: what an order that was
 * called off has given back already only counts as restocked, so that it is not taken again with the order.
 */
export const restockReturn = async (
  db: Tx,
  store: StoreId,
  order: { id: string; counts: boolean },
  given: readonly ReturnedUnits[],
) => {
  const asked = new Map(given.filter(({ restock }) => restock).map((line) => [line.order_variant_id, line.quantity]))
  if (asked.size === 0) return
  const moves = (await stockedLines(db, store, order.id)).flatMap((line): Move[] => {
    const units = asked.get(line.id)
    if (units === undefined) return []
    const after = { ...line, returned: line.returned + units, restocked: line.restocked + units }
    const kept = order.counts ? wantedOut(after) : goneFor(after)
    return [{ ...after, next: Math.min(line.out, Math.max(kept, line.out - units)) }]
  })
  await lockVariants(db, store, variantsOf(moves))
  await move(db, store, moves)
}
