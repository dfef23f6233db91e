import { randomInt } from 'node:crypto'
import type { AppRecord } from '../../core/http/access.ts'
import { earliest } from '../../core/input/date-bounds.ts'
import { emailKey } from '../../core/input/email.ts'
import { decimal, thousandths } from '../../core/input/money.ts'
import { value } from '../../core/reading/json-text.ts'
import type { Tx } from '../../core/storage/database.ts'
import { newId } from '../../core/storage/new-id.ts'
import { placeholder, type Sql, sqlText, t } from '../../core/storage/sql.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { inStore } from '../../core/storage/store-statement.ts'
import { ValidationErrors } from '../../errors.ts'
import { countryExists } from '../countries/queries.ts'
import { createGivenColumns } from './columns.ts'
import { type NamedLine, nameVariants, UNKNOWN_SKU, variantField } from './name-variants.ts'
import { NewOrder } from './order-input.ts'
import type { Written } from './order-reply.ts'
import { phoneNumber } from './phone.ts'
import { type BundleCopy, NO_BUNDLE, type OrderedLine, readLines } from './read-lines.ts'
import {
  amountSpent,
  checkEmail,
  checkTip,
  checkTotals,
  generateRef,
  holdsStock,
  orderTotals,
  type Totals,
} from './rules.ts'
import { checkStock, type OrderableVariant, selectVariants } from './stock.ts'
import { type NewLine, writeNewOrder } from './write-order.ts'

interface Found {
  currency: string
  country: string | null
  /** Whether the payment method needs to be confirmed by phone. */
  confirms: boolean
  landing_page: string | null
  payment_method: string | null
  variants: OrderableVariant[]
  customer: string | null
}

/**
 * One statement reads and locks what an order refers to. The sequence is the same in all writes, to avoid deadlocks:
 * variants in the order of their ids, then the customer, then the store, whose currency must not change until the order is
 * written. One that has changed during the wait for the other locks is read again.
 */
const lockStatement = (landingPage: Sql, paymentMethod: Sql, confirms: Sql) => sqlText`
  with locked as materialized (${selectVariants(placeholder(1), placeholder(2))}),
  found as materialized (select coalesce(json_agg(l), '[]') as variants from locked l),
  buyer as materialized (
    select c.id from ${t.customer} c, found f
    where c.store_id = $1 and c.email_key = $3 and f.variants is not null for no key update of c
  )
  select s.currency, s.country_id as country, (s.order_desk->'confirm')::boolean and ${confirms} as confirms,
    ${landingPage} as landing_page, ${paymentMethod} as payment_method,
    (select variants from found) as variants, (select id from buyer) as customer
  from ${t.store} s where s.id = $1 for key share of s`

/** Most orders name neither a landing page nor a payment method. */
const LOCK = lockStatement(
  sqlText`null::uuid`,
  sqlText`null::uuid`,
  sqlText`s.order_desk->'confirm_payment_methods' = '[]'`,
)
const LOCK_WITH_PAGE_AND_PAYMENT = lockStatement(
  sqlText`(select id from ${t.landing_page} where store_id = $1 and id = $4 for key share)`,
  sqlText`(select id from ${t.payment_method} where store_id = $1 and id = $5 for key share)`,
  sqlText`(s.order_desk->'confirm_payment_methods' = '[]' or s.order_desk->'confirm_payment_methods' ? $5::uuid::text)`,
)

interface References {
  variants: string[]
  email: string | null
  landingPage: string | null
  paymentMethod: string | null
}

const lock = async (db: Tx, store: StoreId, input: NewOrder, lines: readonly NamedLine[]): Promise<Found> => {
  const { customer_email: email = '', landing_page_id = null, payment_method_id = null } = input
  const references: References = {
    variants: [...new Set(lines.flatMap(({ variant_id }) => variant_id ?? []))],
    email: email === '' ? null : emailKey(email),
    landingPage: landing_page_id,
    paymentMethod: payment_method_id,
  }
  const { variants: ids, email: key, landingPage, paymentMethod } = references
  const isPlain = landingPage === null && paymentMethod === null
  const found = isPlain
    ? await inStore<Found>(db, store, LOCK, [store, ids, key])
    : await inStore<Found>(db, store, LOCK_WITH_PAGE_AND_PAYMENT, [store, ids, key, landingPage, paymentMethod])
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
  for (const line of newLines) {
    const variant = variants.get(line.variant_id)
    // The SKU was looked up before the lock: the variant may have got another one, or may have been deleted.
    if (line.sku !== undefined && variant?.sku !== line.sku) errors.add(variantField(line), UNKNOWN_SKU)
    else if (!variant) errors.add(variantField(line), 'must be a variant of a product')
  }
  if (takesStock) checkStock(newLines, variants, errors, (line) => `variants.${newLines[line]?.given}.quantity`)
  return newLines.flatMap(({ variant_id, quantity, price }): NewLine[] => {
    const variant = variants.get(variant_id)
    if (!variant) return []
    const taken = takesStock && variant.stock_tracked ? quantity : 0
    return [{ variant, quantity, price: price === undefined ? variant.price : String(price), stock_taken: taken }]
  })
}

/** What is given and is no column, or one without a fixed default. */
type Otherwise = 'variants' | 'created_at' | 'status' | 'currency' | 'meta_data'

const givenColumns = createGivenColumns<NewOrder>(NewOrder.properties) satisfies (
  input: NewOrder,
) => Record<Exclude<keyof NewOrder, Otherwise>, unknown>

/** The columns of the order: input values, defaults and what is computed. */
const columnsOf = async (input: NewOrder, totals: Totals, found: Found, bundle: BundleCopy = NO_BUNDLE) => ({
  ...givenColumns(input),
  status: input.status ?? 'pending',
  currency: input.currency ?? found.currency,
  phone_e164: await phoneNumber(input.customer_phone ?? '', input.country_id ?? found.country),
  confirmation: found.confirms && (input.status ?? 'pending') === 'pending' && !input.is_cancelled ? 'waiting' : null,
  ...bundle,
  tip: decimal(totals.tip),
  subtotal: decimal(totals.subtotal),
  total: decimal(totals.total),
  quantity: totals.quantity,
  meta_data: value(input.meta_data ?? {}),
})

/** Digital products are not shipped. */
const needsDelivery = (lines: readonly NewLine[]) =>
  lines.length === 0 || lines.some(({ variant }) => !variant.is_digital)

/** Places an order: checks what it refers to, under locks, and writes it with everything that follows from it. */
export const placeOrder = async (db: Tx, store: StoreId, app: AppRecord, input: NewOrder): Promise<Written> => {
  const errors = new ValidationErrors()
  checkEmail(input.customer_email, errors)
  checkTip(input, errors)
  const given = await nameVariants(db, store, input.variants ?? [], errors)
  const found = await lock(db, store, input, given)
  await checkReferences(db, input, found, errors)
  const takesStock = holdsStock({ status: input.status ?? 'pending', is_cancelled: input.is_cancelled ?? false })
  const { newLines, bundle } = await readLines(db, store, given, errors)
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
  const columns = { id: newId(), ref, ...(await columnsOf(input, totals, found, bundle)) }
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
