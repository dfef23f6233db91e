import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { ValidationErrors } from '../errors.ts'
import type { AppRecord } from '../http/access.ts'
import { earliest } from '../input/date-bounds.ts'
import type { Tx } from '../storage/database.ts'
import type { StoreId } from '../storage/store-id.ts'
import type { Written } from './answer.ts'
import { addToCustomerTotals, lockCustomers, resolveCustomer } from './customer-totals.ts'
import type { NewOrder } from './order-input.ts'
import {
  amountSpent,
  checkEmail,
  checkTip,
  checkTotals,
  decimal,
  generateRef,
  holdsStock,
  orderTotals,
  type Totals,
  thousandths,
} from './rules.ts'
import { orderSearchText, type SearchableOrder } from './search.ts'
import { checkStock, lockVariants, type OrderableVariant, takeUnits } from './stock.ts'

interface References {
  id: string
  currency: string
  country: boolean
  landing_page: string | null
  payment_method: string | null
}

/** Checks that what the order refers to exists, and locks it until the order is written. */
const loadReferences = async (
  db: Tx,
  store: StoreId,
  input: NewOrder,
  errors: ValidationErrors,
): Promise<References> => {
  const { country_id = null, landing_page_id = null, payment_method_id = null } = input
  const { rows } = await sql<References>`
    select new_id() as id, s.currency, exists (select from country where id = ${country_id}) as country,
      l.id as landing_page, p.id as payment_method
    from store s
    left join lateral (
      select id from landing_page where store_id = s.id and id = ${landing_page_id}::uuid for key share
    ) l on true
    left join lateral (
      select id from payment_method where store_id = s.id and id = ${payment_method_id}::uuid for key share
    ) p on true
    where s.id = ${store}`.execute(db)
  const found = rows[0] as References
  if (country_id !== null && !found.country) errors.add('country_id', 'must be the id of a country')
  if (landing_page_id !== null && !found.landing_page) errors.add('landing_page_id', 'must be a landing page')
  if (payment_method_id !== null && !found.payment_method) errors.add('payment_method_id', 'must be a payment method')
  return found
}

interface Line {
  variant: OrderableVariant
  quantity: number
  price: string
  stock_taken: number
}

/** The ordered variants, locked, with their current price and title. */
const buildLines = async (
  db: Tx,
  store: StoreId,
  input: NewOrder,
  takes: boolean,
  errors: ValidationErrors,
): Promise<Line[]> => {
  const wanted = input.variants ?? []
  const variants = await lockVariants(db, store, [...new Set(wanted.map(({ variant_id }) => variant_id))])
  for (const [index, { variant_id }] of wanted.entries())
    if (!variants.has(variant_id)) errors.add(`variants.${index}.variant_id`, 'must be a variant of a product')
  if (takes) checkStock(wanted, variants, errors, (index) => `variants.${index}.quantity`)
  return wanted.flatMap(({ variant_id, quantity, price }) => {
    const variant = variants.get(variant_id)
    if (!variant) return []
    const taken = takes && variant.stock_tracked ? quantity : 0
    return [{ variant, quantity, price: price === undefined ? variant.price : String(price), stock_taken: taken }]
  })
}

/** The columns of the order: the given values and the defaults. */
const columnsOf = (input: NewOrder, totals: Totals, currency: string) => ({
  status: input.status ?? 'pending',
  currency: input.currency ?? currency,
  customer_first_name: input.customer_first_name ?? '',
  customer_last_name: input.customer_last_name ?? '',
  customer_email: input.customer_email ?? '',
  customer_phone: input.customer_phone ?? '',
  customer_address: input.customer_address ?? '',
  customer_city: input.customer_city ?? '',
  customer_state: input.customer_state ?? '',
  customer_postal_code: input.customer_postal_code ?? '',
  country_id: input.country_id ?? null,
  billing_first_name: input.billing_first_name ?? '',
  billing_last_name: input.billing_last_name ?? '',
  billing_email: input.billing_email ?? '',
  billing_phone: input.billing_phone ?? '',
  billing_address: input.billing_address ?? '',
  billing_city: input.billing_city ?? '',
  billing_state: input.billing_state ?? '',
  billing_postal_code: input.billing_postal_code ?? '',
  shipping_rate: input.shipping_rate ?? 0,
  shipping_name: input.shipping_name ?? null,
  discount: input.discount ?? 0,
  discount_code: input.discount_code ?? null,
  tip: decimal(totals.tip),
  tip_type: input.tip_type ?? null,
  tip_value: input.tip_value ?? 0,
  fee: input.fee ?? 0,
  subtotal: decimal(totals.subtotal),
  total: decimal(totals.total),
  quantity: totals.quantity,
  is_archived: input.is_archived ?? false,
  is_cancelled: input.is_cancelled ?? false,
  cancelled_at: input.is_cancelled ? sql<string>`now()` : null,
  paid_at: input.status === 'paid' ? sql<string>`now()` : null,
  meta_data: JSON.stringify(input.meta_data ?? {}),
  payment_method_id: input.payment_method_id ?? null,
  landing_page_id: input.landing_page_id ?? null,
  source_link: input.source_link ?? null,
  created_at: earliest(input.created_at) ?? sql<string>`now()`,
})

type OrderColumns = ReturnType<typeof columnsOf> & {
  id: string
  customer_id: string | null
  delivery_statuses: string[]
}

/** Generates refs until one is free, also when concurrent orders generate the same one. */
const insertOrder = async (db: Tx, store: StoreId, order: OrderColumns): Promise<string> => {
  for (;;) {
    const inserted = await db
      .insertInto('orders')
      .values({ store_id: store, ...order, ref: generateRef((below) => randomInt(below)) })
      .onConflict((conflict) => conflict.columns(['store_id', 'ref']).doNothing())
      .returning('ref')
      .executeTakeFirst()
    if (inserted) return inserted.ref
  }
}

/** Inserts lines, delivery, first history entry and search text in one statement. */
const insertParts = (
  db: Tx,
  store: StoreId,
  app: AppRecord,
  order: SearchableOrder & { status: string },
  lines: Line[],
) => {
  const rows = lines.map(({ variant, quantity, price, stock_taken }, position) => ({
    position,
    product_id: variant.product_id,
    variant_id: variant.id,
    quantity,
    price,
    sku: variant.sku,
    title: variant.title,
    is_digital: variant.is_digital,
    options: variant.options,
    stock_taken,
  }))
  return sql`
    with searched as (
      insert into order_search (store_id, order_id, created_at, text)
      select store_id, id, created_at, ${orderSearchText(order)} from orders
      where store_id = ${store} and id = ${order.id}
    ),
    noted as (
      insert into order_event (store_id, order_id, app_id, app_name, account_id, account_name, subject, subject_id, to_state)
      values (${store}, ${order.id}, ${app.id}, ${app.name}, ${app.account?.id ?? null}, ${app.account?.name ?? null},
        'status', ${order.id}, ${order.status})
    ),
    lines as (
      insert into order_line (store_id, order_id, position, product_id, variant_id, quantity, price, sku, title,
        is_digital, options, stock_taken)
      select ${store}, ${order.id}, l.* from json_to_recordset(${JSON.stringify(rows)}::json) l (
        position int, product_id uuid, variant_id uuid, quantity int, price numeric, sku text, title text,
        is_digital boolean, options json, stock_taken int)
      returning id, quantity, is_digital
    ),
    sent as (
      insert into delivery (store_id, order_id)
      select ${store}, ${order.id} where ${needsDelivery(lines)}::boolean returning id
    )
    insert into delivery_line (store_id, order_id, delivery_id, order_line_id, quantity)
    select ${store}, ${order.id}, sent.id, lines.id, lines.quantity from sent, lines where not lines.is_digital`.execute(
    db,
  )
}

/** Digital products are not shipped. */
const needsDelivery = (lines: readonly Line[]) => lines.length === 0 || lines.some(({ variant }) => !variant.is_digital)

/** Writes an order with everything that follows from it, in one transaction. */
export const placeOrder = async (db: Tx, store: StoreId, app: AppRecord, input: NewOrder): Promise<Written> => {
  const errors = new ValidationErrors()
  checkEmail(input.customer_email, errors)
  checkTip(input, errors)
  const { id, currency } = await loadReferences(db, store, input, errors)
  const takes = holdsStock({ status: input.status ?? 'pending', is_cancelled: input.is_cancelled ?? false })
  const lines = await buildLines(db, store, input, takes, errors)
  const totals = orderTotals({
    lines: lines.map(({ price, quantity }) => ({ price: thousandths(price), quantity })),
    shipping_rate: input.shipping_rate ?? 0,
    fee: input.fee ?? 0,
    discount: input.discount ?? 0,
    tip_type: input.tip_type ?? null,
    tip_value: input.tip_value ?? 0,
  })
  checkTotals(totals, errors)
  errors.throwIfAny()

  await takeUnits(
    db,
    store,
    lines.map(({ variant, stock_taken }) => ({ variant_id: variant.id, quantity: stock_taken })),
  )
  const columns = columnsOf(input, totals, currency)
  const customer_id = await resolveCustomer(db, store, columns)
  if (customer_id) await lockCustomers(db, store, [customer_id])
  const delivery_statuses = needsDelivery(lines) ? ['unfulfilled'] : []
  const order = { ...columns, id, customer_id, delivery_statuses }
  const ref = await insertOrder(db, store, order)
  await insertParts(db, store, app, { ...order, ref }, lines)
  if (customer_id) await addToCustomerTotals(db, store, [{ id: customer_id, orders: 1, spent: amountSpent(order) }])
  return { order: id }
}
