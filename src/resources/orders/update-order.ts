import { sql } from 'kysely'
import type { AppRecord } from '../../core/http/access.ts'
import { emailKey } from '../../core/input/email.ts'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound, ValidationErrors } from '../../errors.ts'
import { countryExists } from '../countries/queries.ts'
import { addToCustomerTotals, type CustomerChange, lockCustomers, resolveCustomer } from './customer-totals.ts'
import { changedBy, trimHistory } from './order-changes.ts'
import { OrderChanges } from './order-input.ts'
import type { Written } from './order-reply.ts'
import { phoneNumber } from './phone.ts'
import { phoneCountry } from './phone-country.ts'
import { amountSpent, checkEmail, holdsStock } from './rules.ts'
import type { OrderStatus } from './schema.ts'
import { orderSearchText } from './search.ts'
import { releaseStock, reserveStock } from './stock.ts'

const STATES = ['status', 'is_cancelled', 'is_archived'] as const
/** Fields of a change that are columns; `meta_data` is compared as a whole. */
const CHANGEABLE = (Object.keys(OrderChanges.properties) as (keyof OrderChanges)[]).filter(
  (name) => name !== 'meta_data',
)

const lockOrderRow = async (db: Tx, store: StoreId, id: string) => {
  const order = await db
    .selectFrom('orders')
    .select(['id', 'ref', 'customer_id', 'total', 'confirmation', ...CHANGEABLE])
    .where('store_id', '=', store)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return order && { ...order, status: order.status as OrderStatus }
}

type OrderRow = NonNullable<Awaited<ReturnType<typeof lockOrderRow>>>

/** The given fields that differ from the stored ones. */
const differences = (order: OrderRow, changes: OrderChanges): Partial<OrderRow> =>
  Object.fromEntries(
    CHANGEABLE.filter((field) => changes[field] !== undefined && changes[field] !== order[field]).map((field) => [
      field,
      changes[field],
    ]),
  )

const checkCountry = async (db: Tx, country: string | null | undefined, errors: ValidationErrors) => {
  if (typeof country === 'string' && !(await countryExists(db, country)))
    errors.add('country_id', 'must be the id of a country')
}

const moveStock = async (db: Tx, store: StoreId, was: OrderRow, is: OrderRow, errors: ValidationErrors) => {
  if (holdsStock(was) === holdsStock(is)) return
  if (!holdsStock(is)) return releaseStock(db, store, is.id)
  const reasons = (['status', 'is_cancelled'] as const).filter((field) => was[field] !== is[field])
  await reserveStock(db, store, is.id, errors, reasons)
}

/** A different email means a different customer; a different spelling of the same email does not. */
const findCustomer = async (db: Tx, store: StoreId, was: OrderRow, is: OrderRow) =>
  emailKey(was.customer_email) === emailKey(is.customer_email) ? was.customer_id : resolveCustomer(db, store, is)

const customerChanges = (was: OrderRow, is: OrderRow): CustomerChange[] => {
  const [before, after] = [amountSpent(was), amountSpent(is)]
  if (was.customer_id === is.customer_id)
    return is.customer_id && before !== after ? [{ id: is.customer_id, orders: 0, spent: after - before }] : []
  const left = was.customer_id ? [{ id: was.customer_id, orders: -1, spent: -before }] : []
  const joined = is.customer_id ? [{ id: is.customer_id, orders: 1, spent: after }] : []
  return [...left, ...joined]
}

const recordStates = async (db: Tx, store: StoreId, app: AppRecord, was: OrderRow, is: OrderRow) => {
  const events = STATES.filter((field) => was[field] !== is[field]).map((field) => ({
    store_id: store,
    order_id: is.id,
    ...changedBy(app),
    subject: field,
    subject_id: is.id,
    from_state: String(was[field]),
    to_state: String(is[field]),
  }))
  if (events.length === 0) return
  await db.insertInto('order_event').values(events).execute()
  await trimHistory(db, store, is.id)
}

/** The columns that follow from the phone number and from whether the order stands. */
const followingColumns = async (db: Tx, store: StoreId, is: OrderRow, changed: Partial<OrderRow>) => ({
  ...((changed.customer_phone !== undefined || changed.country_id !== undefined) && {
    phone_e164: await phoneNumber(is.customer_phone, is.country_id ?? (await phoneCountry(db, store))),
  }),
  ...(changed.is_cancelled !== undefined && { confirmation: confirmationAfter(is.confirmation, is.is_cancelled) }),
})

/** Nobody calls for an order that is cancelled. If that is undone, somebody has to call again. */
const confirmationAfter = (state: string | null, isCancelled: boolean) => {
  if (isCancelled) return state === null || state === 'confirmed' || state === 'refused' ? state : 'cancelled'
  return state === null || state === 'confirmed' ? state : 'waiting'
}

const saveOrder = async (db: Tx, store: StoreId, is: OrderRow, changed: Partial<OrderRow>, meta: string | undefined) =>
  db
    .updateTable('orders')
    .set({
      ...changed,
      ...(await followingColumns(db, store, is, changed)),
      customer_id: is.customer_id,
      ...(meta !== undefined && { meta_data: meta }),
      // Keeps the time of the first payment, whatever the status is later.
      ...(changed.status === 'paid' && { paid_at: sql<string>`coalesce(paid_at, ${new Date()}::timestamptz)` }),
      ...(changed.is_cancelled !== undefined && { cancelled_at: changed.is_cancelled ? sql<string>`now()` : null }),
      updated_at: sql<string>`statement_timestamp()`,
    })
    .where('store_id', '=', store)
    .where('id', '=', is.id)
    .execute()

const metaDiffers = async (db: Tx, store: StoreId, id: string, meta: string | undefined) =>
  meta !== undefined &&
  (await db
    .selectFrom('orders')
    .select('id')
    .where('store_id', '=', store)
    .where('id', '=', id)
    .where(sql<boolean>`meta_data::jsonb <> ${meta}::jsonb`)
    .executeTakeFirst()) !== undefined

/** Writes the fields that differ and everything that follows from them. Setting the current values changes nothing. */
export const updateOrder = async (
  db: Tx,
  store: StoreId,
  app: AppRecord,
  id: string,
  changes: OrderChanges,
): Promise<Written> => {
  const was = await lockOrderRow(db, store, id)
  if (!was) throw notFound('order')
  const changed = differences(was, changes)
  const given = changes.meta_data && JSON.stringify(changes.meta_data)
  const meta = (await metaDiffers(db, store, id, given)) ? given : undefined
  if (Object.keys(changed).length === 0 && meta === undefined) return { order: id }

  const is: OrderRow = { ...was, ...changed }
  const errors = new ValidationErrors()
  checkEmail(changed.customer_email, errors)
  await checkCountry(db, changed.country_id, errors)
  await moveStock(db, store, was, is, errors)
  errors.throwIfAny()

  is.customer_id = await findCustomer(db, store, was, is)
  const sums = customerChanges(was, is)
  if (sums.length > 0) await lockCustomers(db, store, [was.customer_id, is.customer_id])
  await saveOrder(db, store, is, changed, meta)
  await recordStates(db, store, app, was, is)
  const text = orderSearchText(is)
  if (text !== orderSearchText(was))
    await db
      .updateTable('order_search')
      .set({ text })
      .where('store_id', '=', store)
      .where('order_id', '=', id)
      .execute()
  await addToCustomerTotals(db, store, sums)
  return { order: id }
}
