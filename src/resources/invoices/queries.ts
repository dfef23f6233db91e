import { sql } from 'kysely'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { invalid, notFound } from '../../errors.ts'
import type {} from './tables.ts'

export const recordInvoiceEvent = (db: Tx, store: StoreId, id: string, action: 'created' | 'paid' | 'voided') =>
  db.insertInto('change').values({ store_id: store, kind: 'invoice', resource_id: id, op: 'n', action }).execute()

const lockInvoice = (db: Tx, id: string) =>
  db
    .selectFrom('invoice')
    .select(['store_id', 'id', 'number', 'status', 'total', 'currency', 'reference'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

interface Payment {
  reference: string | null
  /** What was paid, if the caller knows. It must be the whole invoice. */
  amount?: number
  currency?: string
}

/** Marks an invoice as paid. Doing so again with the same reference changes nothing. */
export const payInvoice = async (db: Tx, id: string, { reference, amount, currency }: Payment): Promise<void> => {
  const invoice = await lockInvoice(db, id)
  if (!invoice) throw notFound('invoice')
  if (amount !== undefined && amount !== Number(invoice.total)) throw invalid({ amount: [`must be ${invoice.total}`] })
  if (currency !== undefined && currency !== invoice.currency)
    throw invalid({ currency: [`must be ${invoice.currency}`] })
  if (invoice.status === 'paid' && invoice.reference === reference) return
  if (invoice.status !== 'open')
    throw invalid({ invoice_id: [`must be of an open invoice; this one is ${invoice.status}`] })
  await db
    .updateTable('invoice')
    .set({ status: 'paid', paid_at: sql`now()`, reference })
    .where('store_id', '=', invoice.store_id)
    .where('id', '=', id)
    .execute()
  await recordInvoiceEvent(db, invoice.store_id, id, 'paid')
}

/** Cancels an open invoice. Its number stays taken. */
export const voidInvoice = async (db: Tx, id: string): Promise<void> => {
  const invoice = await lockInvoice(db, id)
  if (!invoice) throw notFound('invoice')
  if (invoice.status === 'void') return
  if (invoice.status === 'paid') throw invalid({ invoice_id: ['must be of an invoice that is not paid'] })
  await db
    .updateTable('invoice')
    .set({ status: 'void' })
    .where('store_id', '=', invoice.store_id)
    .where('id', '=', id)
    .execute()
  await recordInvoiceEvent(db, invoice.store_id, id, 'voided')
}

export const findInvoice = (db: Tx, store: StoreId, id: string) =>
  db
    .selectFrom('invoice')
    .select(['id', 'number', 'status', 'total', 'currency'])
    .where('store_id', '=', store)
    .where('id', '=', id)
    .executeTakeFirst()
