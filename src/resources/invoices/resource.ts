import type { Config } from '../../config/config.ts'
import type { Resource } from '../../core/http/resource.ts'
import type { Db } from '../../core/storage/database.ts'
import { invoiceRoutes } from './routes.ts'
import { invoiceKind } from './text.ts'

const INVOICE = {
  id: '0192f0c1-4b20-7d11-8a0e-3c5b9e7d4f78',
  number: 1042,
  status: 'open',
  seller: 'Hosting SARL\n12 rue de Marseille, Tunis',
  store_name: 'Demo store',
  period_start: '2026-11-01T09:30:12.482Z',
  period_end: '2026-12-01T09:30:12.482Z',
  lines: [{ text: 'Pro', amount: 49 }],
  currency: 'TND',
  subtotal: 49,
  tax_percent: 19,
  tax: 9.31,
  total: 58.31,
  due_at: '2026-11-15T09:30:12.482Z',
  paid_at: null,
  created_at: '2026-11-01T09:30:12.482Z',
}

const PAYMENT = {
  url: 'https://pay.example/checkout?invoice=0192f0c1-4b20-7d11-8a0e-3c5b9e7d4f78&amount=58.31&currency=TND',
  expires_at: '2026-11-16T10:30:12.000Z',
  amount: 58.31,
  currency: 'TND',
}

export const invoices: Resource<{ db: Db; config: Config }> = {
  heading: 'Plans and invoices',
  routes: invoiceRoutes,
  kinds: { invoice: invoiceKind },
  events: { invoice: { permission: 'invoice:view', actions: ['created', 'paid', 'voided'] } },
  examples: {
    bodies: () => ({
      reportPayment: { invoice_id: INVOICE.id, amount: INVOICE.total, currency: 'TND', reference: 'pay_8123' },
    }),
    replies: () => ({
      listInvoices: {
        data: {
          invoices: [INVOICE],
          pagination: { total: 1, per_page: 20, current_page: 1, last_page: 1, next_cursor: null },
        },
      },
      getInvoice: { data: { invoice: INVOICE } },
      payInvoice: { data: { payment: PAYMENT } },
    }),
    schemas: () => ({ Invoice: INVOICE, Payment: PAYMENT }),
    ids: () => ({ getInvoice: INVOICE.id, payInvoice: INVOICE.id }),
  },
}
