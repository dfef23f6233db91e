import { sql } from 'kysely'
import type { AppRecord } from '../../core/http/access.ts'
import type { Tx } from '../../core/storage/database.ts'
import { newId } from '../../core/storage/new-id.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound, ValidationErrors } from '../../errors.ts'
import { addToCustomerTotals, lockCustomers } from './customer-totals.ts'
import type { LineChanges } from './desk-schema.ts'
import { recordChange } from './order-changes.ts'
import type { Written } from './order-reply.ts'
import { checkOrderSize } from './order-size.ts'
import { amountSpent } from './rules.ts'
import { checkStock, lockVariants, moveUnits, type OrderableVariant } from './stock.ts'
import { announceLines, lockForLines, packLines, reasonAgainst, renewTotals } from './unshipped-order.ts'

interface StoredLine {
  id: string
  price: string
  variant_id: string | null
  quantity: number
  stock_taken: number
  is_digital: boolean
}

const storedLines = async (db: Tx, store: StoreId, order: string) => {
  const { rows } =
    await sql<StoredLine>`select id, price::text as price, variant_id, quantity, stock_taken, is_digital from order_line
    where store_id = ${store} and order_id = ${order} order by position, id`.execute(db)
  return rows
}

/** A line as it will be: stored already, or new. */
interface NextLine {
  id: string
  given: number
  stored?: StoredLine
  variant: OrderableVariant | undefined
  variant_id: string | null
  quantity: number
  price: number | undefined
  stock_taken: number
}

const refuse = (errors: ValidationErrors, field: string, message: string): never[] => {
  errors.add(field, message)
  return []
}

const nextLines = (
  given: LineChanges['variants'],
  stored: readonly StoredLine[],
  variants: ReadonlyMap<string, OrderableVariant>,
  errors: ValidationErrors,
) => {
  const byId = new Map(stored.map((line) => [line.id, line]))
  const seen = new Set<string>()
  return given.flatMap(({ id, variant_id, quantity, price }, place): NextLine[] => {
    if ((id === undefined) === (variant_id === undefined))
      return refuse(errors, `variants.${place}.id`, 'or variant_id is required, and not both')
    const line = id === undefined ? undefined : byId.get(id)
    if (id !== undefined && (!line || seen.has(id)))
      return refuse(errors, `variants.${place}.id`, line ? 'is given twice' : 'must be a line of this order')
    if (id !== undefined) seen.add(id)
    const of = line ? line.variant_id : (variant_id as string)
    const variant = of === null ? undefined : variants.get(of)
    if (!line && !variant) return refuse(errors, `variants.${place}.variant_id`, 'must be a variant of a product')
    if (line && line.quantity < quantity && !variant)
      return refuse(errors, `variants.${place}.quantity`, 'must not rise: the variant has been deleted')
    const tracked = variant?.stock_tracked ?? false
    // A line that has taken nothing, because its product was not tracked, goes on taking nothing.
    const takes = line ? line.stock_taken > 0 && tracked : tracked
    const stock_taken = takes ? quantity : Math.min(line?.stock_taken ?? 0, quantity)
    const shown = { id: line?.id ?? newId(), given: place, variant, variant_id: of, quantity, price, stock_taken }
    return [line ? { ...shown, stored: line } : shown]
  })
}

const isSame = (stored: readonly StoredLine[], next: readonly NextLine[]) =>
  stored.length === next.length &&
  stored.every(({ id, quantity, price }, place) => {
    const line = next[place] as NextLine
    return id === line.id && quantity === line.quantity && Number(price) === (line.price ?? Number(price))
  })

/** Takes from stock what the lines need more than before, and gives back what they need less. */
const moveStock = async (
  db: Tx,
  store: StoreId,
  order: string,
  stored: readonly StoredLine[],
  next: readonly NextLine[],
  variants: ReadonlyMap<string, OrderableVariant>,
  errors: ValidationErrors,
) => {
  const gone = stored.filter(({ id }) => !next.some((line) => line.id === id))
  const back = gone.flatMap(({ variant_id, stock_taken }) =>
    variant_id === null ? [] : [{ variant_id, quantity: -stock_taken, given: 0 }],
  )
  const taken = next.flatMap(({ variant_id, stock_taken, stored, given }) =>
    variant_id === null ? [] : [{ variant_id, quantity: stock_taken - (stored?.stock_taken ?? 0), given }],
  )
  // What comes back first: an exchange of sizes must not fail for want of the units that it returns.
  const moves = [...back, ...taken].sort((one, other) => one.quantity - other.quantity)
  const sums = new Map<string, number>()
  for (const { variant_id, quantity } of moves) sums.set(variant_id, (sums.get(variant_id) ?? 0) + quantity)
  // Dividing a line of an oversold product takes nothing.
  const risen = moves.filter(({ variant_id }) => (sums.get(variant_id) ?? 0) > 0)
  checkStock(risen, variants, errors, (place) => `variants.${risen[place]?.given}.quantity`)
  errors.throwIfAny()
  await moveUnits(db, store, { order, kind: 'order_changed' }, moves)
  return gone.map(({ id }) => id)
}

const writeLines = async (
  db: Tx,
  store: StoreId,
  order: string,
  gone: readonly string[],
  next: readonly NextLine[],
) => {
  if (gone.length > 0)
    await sql`delete from order_line where store_id = ${store} and order_id = ${order} and id = any(${gone}::uuid[])`.execute(
      db,
    )
  for (const [position, { id, stored, variant, quantity, price, stock_taken }] of next.entries()) {
    if (stored)
      await db
        .updateTable('order_line')
        .set({ position, quantity, stock_taken, ...(price !== undefined && { price }) })
        .where('store_id', '=', store)
        .where('id', '=', id)
        .execute()
    else if (variant)
      await db
        .insertInto('order_line')
        .values({
          store_id: store,
          order_id: order,
          id,
          position,
          product_id: variant.product_id,
          variant_id: variant.id,
          quantity,
          price: price ?? variant.price,
          sku: variant.sku,
          title: variant.title,
          is_digital: variant.is_digital,
          options: JSON.stringify(variant.options),
          stock_taken,
        })
        .execute()
  }
}

/** Puts all lines that are shipped into one delivery. */
const repackLines = async (db: Tx, store: StoreId, order: string, next: readonly NextLine[]) => {
  await sql`delete from delivery_line where store_id = ${store} and order_id = ${order} and order_line_id = any(
    ${next.map(({ id }) => id)}::uuid[])`.execute(db)
  const lines = next.map(({ id, quantity, stored, variant }) => ({
    id,
    quantity,
    is_digital: stored?.is_digital ?? variant?.is_digital ?? false,
  }))
  await packLines(db, store, order, lines)
}

const countDeliveries = async (db: Tx, store: StoreId, order: string) => {
  const { rows } = await sql<{ parcels: number }>`select count(*)::int as parcels from delivery
    where store_id = ${store} and order_id = ${order} and not is_return`.execute(db)
  return rows[0]?.parcels ?? 0
}

/** Sets the lines of an order that has not been shipped: what is not given is taken out. */
export const changeLines = async (
  db: Tx,
  store: StoreId,
  app: AppRecord,
  id: string,
  { variants: given }: LineChanges,
): Promise<Written> => {
  const order = (await lockForLines(db, store, [id])).get(id)
  if (!order) throw notFound('order')
  const errors = new ValidationErrors()
  const against =
    (await reasonAgainst(db, store, order)) ??
    (order.bundle_name === null ? undefined : 'the order is one of a bundle') ??
    ((await countDeliveries(db, store, id)) > 1 ? 'the order has more than one delivery' : undefined)
  if (against) errors.add('variants', `cannot be changed: ${against}`)
  errors.throwIfAny()
  const stored = await storedLines(db, store, id)
  const wanted = [...stored, ...given].flatMap(({ variant_id }) => variant_id ?? [])
  const variants = await lockVariants(db, store, [...new Set(wanted)])
  const next = nextLines(given, stored, variants, errors)
  errors.throwIfAny()
  if (isSame(stored, next)) return { order: id }
  if (order.customer_id) await lockCustomers(db, store, [order.customer_id])
  const gone = await moveStock(db, store, id, stored, next, variants, errors)
  await writeLines(db, store, id, gone, next)
  await repackLines(db, store, id, next)
  const after = await renewTotals(db, store, order)
  if (next.some(({ stored }) => !stored)) await announceLines(db, store, id)
  const context = { store, order: id, app }
  await recordChange(db, context, {
    subject: 'variants',
    subject_id: id,
    from_state: String(stored.length),
    to_state: String(next.length),
  })
  const spent = amountSpent(after) - amountSpent(order)
  if (order.customer_id && spent !== 0n)
    await addToCustomerTotals(db, store, [{ id: order.customer_id, orders: 0, spent }])
  await checkOrderSize(db, context)
  return { order: id }
}
