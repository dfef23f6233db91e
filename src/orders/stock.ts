import { sql } from 'kysely'
import { Faults } from '../errors.ts'
import type { StoreId } from '../http/access.ts'
import { MOST_INTEGER } from '../http/schemas.ts'
import type { Tx } from '../storage/database.ts'

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
        select jsonb_object_agg(o.name, b.value)
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

const LEAST_STOCK = -(2 ** 31)

const left = (units: number) =>
  units <= 0
    ? 'is out of stock'
    : `must not be more than is in stock: ${units === 1 ? '1 unit is' : `${units} units are`} left`

/** Several lines may want the same variant: the fault is told of the line at which it runs out. */
export const checkStock = (
  wanted: readonly WantedUnits[],
  variants: ReadonlyMap<string, OrderableVariant>,
  faults: Faults,
  field: (line: number) => string,
) => {
  const remaining = new Map<string, number>()
  for (const [line, { variant_id, quantity }] of wanted.entries()) {
    const variant = variants.get(variant_id)
    if (!variant?.stock_tracked) continue
    const stock = remaining.get(variant_id) ?? variant.quantity
    const least = variant.allow_order_when_oos ? LEAST_STOCK : 0
    if (stock - quantity < least) faults.add(field(line), left(stock))
    else remaining.set(variant_id, stock - quantity)
  }
}

/** The stock of `v` with these units added, or taken when negative. What would exceed the highest number stays there. */
export const stockWith = (units: string) => sql`least(v.quantity::bigint + ${sql.ref(units)}, ${MOST_INTEGER})`

/** Moves units out of stock, or back into it when negative. The variants are locked. */
export const takeUnits = async (db: Tx, store: StoreId, wanted: readonly WantedUnits[]) => {
  const taken = wanted.filter(({ quantity }) => quantity !== 0)
  if (taken.length === 0) return
  const ids = taken.map(({ variant_id }) => variant_id)
  const units = taken.map(({ quantity }) => quantity)
  await sql`
    update variant v set quantity = ${stockWith('w.units')}, updated_at = clock_timestamp()
    from (
      select id, -sum(units) as units from unnest(${ids}::uuid[], ${units}::int[]) w (id, units) group by id
    ) w
    where v.store_id = ${store} and v.id = w.id`.execute(db)
}

interface StockedLine {
  id: string
  variant_id: string | null
  quantity: number
  stock_taken: number
  /** Units that left the shop, or came back to it by a return, which has a say of its own about stock. */
  gone: number
}

const stockedLines = async (db: Tx, store: StoreId, order: string) => {
  const { rows } = await sql<StockedLine>`
    select l.id, l.variant_id, l.quantity, l.stock_taken, greatest(
      (select coalesce(sum(h.quantity), 0) from delivery_line h
        join delivery d on d.store_id = h.store_id and d.id = h.delivery_id
        where h.store_id = l.store_id and h.order_line_id = l.id
          and not d.is_return and d.status in ('shipped', 'delivered')),
      (select coalesce(sum(r.quantity), 0) from return_line r
        where r.store_id = l.store_id and r.order_line_id = l.id))::int as gone
    from order_line l where l.store_id = ${store} and l.order_id = ${order}
    order by l.position, l.id`.execute(db)
  return rows
}

const noteTaken = (db: Tx, store: StoreId, moves: readonly { id: string; units: number }[]) =>
  sql`
  update order_line l set stock_taken = l.stock_taken + m.units
  from unnest(${moves.map(({ id }) => id)}::uuid[], ${moves.map(({ units }) => units)}::int[]) m (id, units)
  where l.store_id = ${store} and l.id = m.id`.execute(db)

const move = async (db: Tx, store: StoreId, moves: readonly (StockedLine & { units: number })[]) => {
  if (moves.length === 0) return
  await takeUnits(
    db,
    store,
    moves.flatMap(({ variant_id, units }) => (variant_id ? [{ variant_id, quantity: units }] : [])),
  )
  await noteTaken(db, store, moves)
}

const variantsOf = (lines: readonly StockedLine[]) => lines.flatMap(({ variant_id }) => variant_id ?? [])

/** The goods of an order that was called off go back on the shelf, but for those that have left the shop. */
export const releaseStock = async (db: Tx, store: StoreId, order: string) => {
  const lines = await stockedLines(db, store, order)
  await lockVariants(db, store, variantsOf(lines))
  const moves = lines.map((line) => ({ ...line, units: Math.min(0, line.gone - line.stock_taken) }))
  await move(
    db,
    store,
    moves.filter(({ units }) => units < 0),
  )
}

/** The goods of an order that is wanted after all; a shortage is told of the fields that made it so. */
export const reserveStock = async (
  db: Tx,
  store: StoreId,
  order: string,
  faults: Faults,
  fields: readonly string[],
) => {
  const lines = await stockedLines(db, store, order)
  const variants = await lockVariants(db, store, variantsOf(lines))
  const moves = lines
    .filter(({ variant_id }) => variant_id && variants.get(variant_id)?.stock_tracked)
    .map((line) => ({ ...line, units: line.quantity - line.stock_taken }))
    .filter(({ units }) => units > 0)
  const short = new Faults()
  const wanted = moves.map(({ variant_id, units }) => ({ variant_id: variant_id as string, quantity: units }))
  checkStock(wanted, variants, short, String)
  if (short.any) for (const field of fields) faults.add(field, 'cannot be changed: its goods are no longer in stock')
  else await move(db, store, moves)
}
