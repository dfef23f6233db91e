import type { FastifyRequest } from 'fastify'
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound } from '../../errors.ts'
import { CONTACT_COLUMNS } from '../orders/columns.ts'
import { orderSearchText } from '../orders/search.ts'
import { eraseReviewer, hasReviews } from '../reviews/queries.ts'
import { type SharedPhones, unshareNumbers } from '../shared-phones/shared-phones.ts'
import { forgetDeleted, lockDeleted, ordersOfDeleted, recordDeleted } from './deleted-customers.ts'

const blank = Object.fromEntries(CONTACT_COLUMNS.map((column) => [column, ''])) as Record<
  (typeof CONTACT_COLUMNS)[number],
  ''
>

/** Locks the orders before the customer, as a change of an order does. */
const lockOrdersOf = (db: Tx, store: StoreId, customer: string) =>
  sql`select 1 from orders where store_id = ${store} and customer_id = ${customer} order by id for no key update`.execute(
    db,
  )

const lockCustomer = (db: Tx, store: StoreId, id: string) =>
  db
    .selectFrom('customer')
    .select('email_key')
    .where('store_id', '=', store)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

/** The phone numbers of these orders. */
const phonesOf = async (db: Tx, store: StoreId, which: RawBuilder<boolean>) => {
  const { rows } = await sql<{ phone: string }>`select distinct phone_e164 as phone from orders
    where store_id = ${store} and phone_e164 <> '?' and ${which}`.execute(db)
  return rows.map(({ phone }) => phone)
}

/** In the order of the numbers, as whoever changes the number of an order does. */
const lockCounts = (db: Tx, store: StoreId, phones: readonly string[]) =>
  sql`select 1 from phone_count where store_id = ${store} and phone = any(${phones}) order by phone
    for no key update`.execute(db)

/** Detaches these orders from their customer, and with `erase` clears their personal fields. Returns them. */
const detachOrders = (db: Tx, store: StoreId, which: RawBuilder<boolean>, erase: boolean) =>
  db
    .updateTable('orders')
    .set({
      customer_id: null,
      updated_at: sql<string>`statement_timestamp()`,
      ...(erase && {
        ...blank,
        card_brand: null,
        card_last4: null,
        meta_data: '{}',
        phone_e164: null,
        confirmation_note: null,
      }),
    })
    .where('store_id', '=', store)
    .where(which)
    .returning(['id', 'ref'])
    .execute()

/** What people have noted about the person. */
const eraseNotes = (db: Tx, store: StoreId, orders: readonly { id: string }[]) =>
  sql`update order_event set note = null where store_id = ${store} and note is not null
    and order_id = any(${orders.map(({ id }) => id)}::uuid[])`.execute(db)

/** The searchable text of an erased order: its ref and id. */
const eraseSearchTexts = async (db: Tx, store: StoreId, orders: readonly { id: string; ref: string }[]) => {
  const texts = orders.map((order) => orderSearchText({ ...blank, ...order }))
  await sql`
    update order_search s set text = e.text
    from unnest(${orders.map(({ id }) => id)}::uuid[], ${texts}::text[]) e (order_id, text)
    where s.store_id = ${store} and s.order_id = e.order_id`.execute(db)
}

/** Erases the person from the orders that earlier deletions have left, and from reviews. Returns these orders. */
const eraseRest = async (db: Tx, store: StoreId, email: string) => {
  const left = await ordersOfDeleted(db, store, email)
  // An order that has been given to another customer since is theirs.
  const orders = await detachOrders(db, store, sql`customer_id is null and id = any(${left})`, true)
  await eraseReviewer(db, store, email)
  await forgetDeleted(db, store, email)
  return orders
}

/**
 * Deletes a customer. With `erase`, their personal data in orders and reviews is cleared as well, also if they were
 * deleted earlier.
 */
export const deleteCustomer = async (
  db: Tx,
  { store, texts, sharedPhones }: Pick<FastifyRequest, 'store' | 'texts'> & { sharedPhones: SharedPhones },
  id: string,
  erase: boolean,
): Promise<void> => {
  await lockOrdersOf(db, store, id)
  // Waits for an order that is being placed for this customer, and detaches it with the others.
  const customer = await lockCustomer(db, store, id)
  const email = customer?.email_key ?? (erase ? await lockDeleted(db, store, id) : undefined)
  if (email === undefined) throw notFound('customer')
  // What is shared with other stores ends also without `erase`.
  const phones = await phonesOf(db, store, sql`customer_id = ${id}`)
  if (erase) {
    phones.push(...(await phonesOf(db, store, sql`id = any(${await ordersOfDeleted(db, store, email)})`)))
    await lockCounts(db, store, phones)
  }
  const orders = customer ? await detachOrders(db, store, sql`customer_id = ${id}`, erase) : []
  if (erase) {
    orders.push(...(await eraseRest(db, store, email)))
    if (orders.length > 0) {
      await eraseSearchTexts(db, store, orders)
      await eraseNotes(db, store, orders)
    }
  } else if (orders.length > 0 || (await hasReviews(db, store, email))) {
    const ids = orders.map(({ id }) => id)
    await recordDeleted(db, store, { id, email_key: email }, ids)
  }
  await db.deleteFrom('customer').where('store_id', '=', store).where('id', '=', id).execute()
  for (const order of orders) await texts.keep(db, 'order', order.id)
  // Last: nothing else is waited for under its lock.
  await unshareNumbers(db, store, sharedPhones, [...new Set(phones)])
}
