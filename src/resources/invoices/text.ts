import { object, value } from '../../core/reading/json-text.ts'
import { rowKind } from '../../core/reading/texts.ts'
import { sqlText } from '../../core/storage/sql.ts'
import type { Invoice } from './schema.ts'
import type {} from './tables.ts'

/** An open invoice that is not paid in time is overdue; nothing has to happen for that. */
export const INVOICE_STATUS = sqlText`case when status = 'open' and due_at < statement_timestamp() then 'overdue' else status end`

interface InvoiceRow {
  id: string
  number: number
  status: string
  seller: string
  store_name: string
  period_start: string
  period_end: string
  lines: Invoice['lines']
  currency: string
  subtotal: number
  tax_percent: number
  tax: number
  total: number
  due_at: string
  paid_at: string | null
  created_at: string
}

export const invoiceKind = rowKind<unknown>({
  table: 'invoice',
  onCoordinator: true,
  columns: sqlText`id, number, ${INVOICE_STATUS} as status, seller, store_name, iso(period_start) as period_start,
    iso(period_end) as period_end, lines, currency, subtotal, tax_percent, tax, total, iso(due_at) as due_at,
    iso(paid_at) as paid_at, iso(created_at) as created_at`,
  texts: (row: InvoiceRow) => [
    [
      row.id,
      object<Invoice>({
        id: value(row.id),
        number: value(row.number),
        status: value(row.status),
        seller: value(row.seller),
        store_name: value(row.store_name),
        period_start: value(row.period_start),
        period_end: value(row.period_end),
        lines: value(row.lines),
        currency: value(row.currency),
        subtotal: value(row.subtotal),
        tax_percent: value(row.tax_percent),
        tax: value(row.tax),
        total: value(row.total),
        due_at: value(row.due_at),
        paid_at: value(row.paid_at),
        created_at: value(row.created_at),
      }),
    ],
  ],
})
