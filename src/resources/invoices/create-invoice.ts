import { sql } from 'kysely'
import { decimal, percentOf, thousandths } from '../../core/input/money.ts'
import { ADVISORY_LOCKS } from '../../core/storage/advisory-locks.ts'
import type { Tx } from '../../core/storage/database.ts'
import { newId } from '../../core/storage/new-id.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { recordInvoiceEvent } from './queries.ts'
import type {} from './tables.ts'

/** What the operator's settings say about invoices. */
export interface Billing {
  BILLING_SELLER: string
  BILLING_TAX_PERCENT: number
  BILLING_DUE_DAYS: number
}

interface NewInvoice {
  store: StoreId
  lines: readonly { text: string; amount: string }[]
  currency: string
  round: (amount: bigint) => bigint
  from: Date
  to: Date
}

/**
 * Writes an invoice under the next number, and returns its id; undefined if there is nothing to pay. Numbers are given under
 * a lock that is held until the commit: none is left out, whatever is rolled back.
 */
export const createInvoice = async (
  db: Tx,
  { BILLING_SELLER, BILLING_TAX_PERCENT, BILLING_DUE_DAYS }: Billing,
  { store, lines, currency, round, from, to }: NewInvoice,
): Promise<string | undefined> => {
  const subtotal = lines.reduce((sum, { amount }) => sum + thousandths(amount), 0n)
  if (subtotal <= 0n) return undefined
  const tax = round(percentOf(subtotal, thousandths(BILLING_TAX_PERCENT)))
  await sql`select pg_advisory_xact_lock(${sql.lit(ADVISORY_LOCKS.invoiceNumbers)})`.execute(db)
  const { number } = await db
    .selectFrom('invoice')
    .select(sql<number>`coalesce(max(number), 0) + 1`.as('number'))
    .executeTakeFirstOrThrow()
  const { name } = await db.selectFrom('store').select('name').where('id', '=', store).executeTakeFirstOrThrow()
  const id = newId()
  await db
    .insertInto('invoice')
    .values({
      store_id: store,
      id,
      number,
      store_name: name,
      seller: BILLING_SELLER,
      period_start: from,
      period_end: to,
      lines: JSON.stringify(lines.map(({ text, amount }) => ({ text, amount: Number(amount) }))),
      currency,
      subtotal: decimal(subtotal),
      tax_percent: BILLING_TAX_PERCENT,
      tax: decimal(tax),
      total: decimal(subtotal + tax),
      due_at: sql`now() + ${BILLING_DUE_DAYS} * interval '1 day'` as never,
    })
    .execute()
  await recordInvoiceEvent(db, store, id, 'created')
  return id
}
