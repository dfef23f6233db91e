import { randomInt } from 'node:crypto'
import { countryExists } from '../countries/queries.ts'
import { ValidationErrors } from '../errors.ts'
import type { AppRecord } from '../http/access.ts'
import { earliest } from '../input/date-bounds.ts'
import { emailKey } from '../input/email.ts'
import type { Tx } from '../storage/database.ts'
import { newId } from '../storage/new-id.ts'
import { placeholder, type Sql, sqlText } from '../storage/sql.ts'
import type { StoreId } from '../storage/store-id.ts'
import { runInStore } from '../storage/store-statement.ts'
import type { NewOrder } from './order-input.ts'
import type { Written } from './order-reply.ts'
import { type BundleCopy, NO_BUNDLE, type OrderedLine, readLines } from './read-lines.ts'
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
import { checkStock, type OrderableVariant, selectVariants } from './stock.ts'
import { type NewLine, writeNewOrder } from './write-order.ts'

interface Found {
  currency: string
  landing_page: string | null
  payment_method: string | null
  variants: OrderableVariant[]
  customer: string | null
}

/**
 * One statement reads and locks what an order refers to. The sequence is the same in all writes, to avoid deadlocks:
 * variants in the order of their ids, then the customer.
 */
const lockStatement = (landingPage: Sql, paymentMethod: Sql) => sqlText`
  with locked as materialized (${selectVariants(placeholder(1), placeholder(2))}),
  found as materialized (select coalesce(json_agg(l), '[]') as variants from locked l),
  buyer as materialized (
    select c.id from customer c, found f
    where c.store_id = $1 and c.email_key = $3 and f.variants is not null for no key update of c
  )
  select s.currency, ${landingPage} as landing_page, ${paymentMethod} as payment_method,
    (select variants from found) as variants, (select id from buyer) as customer
  from store s where s.id = $1`

/** Most orders name neither a landing page nor a payment method. */
const LOCK = lockStatement(sqlText`null::uuid`, sqlText`null::uuid`)
const LOCK_WITH_PAGE_AND_PAYMENT = lockStatement(
  sqlText`(select id from landing_page where store_id = $1 and id = $4 for key share)`,
  sqlText`(select id from payment_method where store_id = $1 and id = $5 for key share)`,
)

interface References {
  variants: string[]
  email: string | null
  landingPage: string | null
  paymentMethod: string | null
}

const lock = async (db: Tx, store: StoreId, input: NewOrder): Promise<Found> => {
  const { variants = [], customer_email: email = '', landing_page_id = null, payment_method_id = null } = input
  const references: References = {
    variants: [...new Set(variants.map(({ variant_id }) => variant_id))],
    email: email === '' ? null : emailKey(email),
    landingPage: landing_page_id,
    paymentMethod: payment_method_id,
  }
  const { variants: ids, email: key, landingPage, paymentMethod } = references
  const isPlain = landingPage === null && paymentMethod === null
  const found = isPlain
    ? await runInStore<Found>(db, store, LOCK, [store, ids, key])
    : await runInStore<Found>(db, store, LOCK_WITH_PAGE_AND_PAYMENT, [store, ids, key, landingPage, paymentMethod])
  return found as Found
}

const checkReferences = async (db: Tx, input: NewOrder, found: Found, errors: ValidationErrors) => {
  const { country_id, landing_page_id, payment_method_id } = input
  if (typeof country_id === 'string' && !(await countryExists(db, country_id)))
    errors.add('country_id', 'must be the id of a country')
  if (landing_page_id && !found.landing_page) errors.add('landing_page_id', 'must be a landing page')
  if (payment_method_id && !found.payment_method) errors.add('payment_method_id', 'must be a payment method')
}

/** The lines, with the current price and title of each variant. */
const buildLines = (
  newLines: readonly OrderedLine[],
  found: readonly OrderableVariant[],
  takesStock: boolean,
  errors: ValidationErrors,
) => {
  const variants = new Map(found.map((variant) => [variant.id, variant]))
  for (const { variant_id, given } of newLines)
    if (!variants.has(variant_id)) errors.add(`variants.${given}.variant_id`, 'must be a variant of a product')
  if (takesStock) checkStock(newLines, variants, errors, (line) => `variants.${newLines[line]?.given}.quantity`)
  return newLines.flatMap(({ variant_id, quantity, price }): NewLine[] => {
    const variant = variants.get(variant_id)
    if (!variant) return []
    const taken = takesStock && variant.stock_tracked ? quantity : 0
    return [{ variant, quantity, price: price === undefined ? variant.price : String(price), stock_taken: taken }]
  })
}

/** The columns of the order: input values and defaults. */
const columnsOf = (input: NewOrder, totals: Totals, currency: string, bundle: BundleCopy = NO_BUNDLE) => ({
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
  ...bundle,
  fee: input.fee ?? 0,
  subtotal: decimal(totals.subtotal),
  total: decimal(totals.total),
  quantity: totals.quantity,
  is_archived: input.is_archived ?? false,
  is_cancelled: input.is_cancelled ?? false,
  meta_data: JSON.stringify(input.meta_data ?? {}),
  payment_method_id: input.payment_method_id ?? null,
  landing_page_id: input.landing_page_id ?? null,
  source_link: input.source_link ?? null,
})

/** Digital products are not shipped. */
const needsDelivery = (lines: readonly NewLine[]) =>
  lines.length === 0 || lines.some(({ variant }) => !variant.is_digital)

/** Places an order: checks what it refers to, under locks, and writes it with everything that follows from it. */
export const placeOrder = async (db: Tx, store: StoreId, app: AppRecord, input: NewOrder): Promise<Written> => {
  const errors = new ValidationErrors()
  checkEmail(input.customer_email, errors)
  checkTip(input, errors)
  const found = await lock(db, store, input)
  await checkReferences(db, input, found, errors)
  const takesStock = holdsStock({ status: input.status ?? 'pending', is_cancelled: input.is_cancelled ?? false })
  const { newLines, bundle } = await readLines(db, store, input, errors)
  const lines = buildLines(newLines, found.variants, takesStock, errors)
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

  // If it is taken, the order is written again with another.
  const ref = generateRef((below) => randomInt(below))
  const columns = { id: newId(), ref, ...columnsOf(input, totals, found.currency, bundle) }
  const rows = await writeNewOrder(db, store, app, {
    columns,
    createdAt: earliest(input.created_at) ?? null,
    lines,
    isDelivered: needsDelivery(lines),
    customer: found.customer,
    spent: amountSpent(columns),
  })
  return { order: columns.id, rows }
}
