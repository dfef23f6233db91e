import type { Config } from '../../config/config.ts'
import type { Api } from '../../core/http/api.ts'
import { writeOnce } from '../../core/http/idempotency.ts'
import { sendWritten } from '../../core/http/json-reply.ts'
import { data, errors, IdParams, ref } from '../../core/input/schemas.ts'
import { readRoutes } from '../../core/reading/read-routes.ts'
import { type Db, transact } from '../../core/storage/database.ts'
import { ApiError, invalid, notFound } from '../../errors.ts'
import { invoiceList } from './list.ts'
import { checkSignature, paymentLink } from './payment-link.ts'
import { findInvoice, payInvoice } from './queries.ts'
import { Invoice, InvoiceQuery, Payment, PaymentNotice } from './schema.ts'

export const invoiceRoutes = (app: Api, { db, config }: { db: Db; config: Config }) => {
  const subject = 'invoice'

  readRoutes(app, db, {
    url: '/invoice',
    config: { permission: 'invoice:view', extension: true },
    list: invoiceList,
    shape: Invoice,
    many: {
      operationId: 'listInvoices',
      summary: 'List invoices',
      querystring: InvoiceQuery,
    },
    one: { operationId: 'getInvoice', summary: 'Fetch one invoice', subject },
  })

  app.post(
    '/invoice/:id/pay',
    {
      config: { permission: 'invoice:pay', extension: true, subject },
      schema: {
        operationId: 'payInvoice',
        summary: 'Find out where to pay an invoice',
        description:
          "Replies with the address of the operator's payment page for this invoice. The invoice is paid when the page " +
          'reports it, or when the operator marks it as paid. The service takes no card data.',
        params: IdParams,
        response: { 200: data({ payment: ref(Payment) }), ...errors },
      },
    },
    async ({ params, store }, reply) =>
      writeOnce(db, reply, { status: 200, key: 'payment' }, async (db) => {
        const invoice = await findInvoice(db, store, params.id)
        if (!invoice) throw notFound(subject)
        if (invoice.status !== 'open') throw invalid({ status: [`must be open; this invoice is ${invoice.status}`] })
        const { BILLING_URL, BILLING_SECRET } = config
        const link =
          BILLING_URL && BILLING_SECRET ? paymentLink(BILLING_URL, BILLING_SECRET, invoice, Date.now()) : undefined
        return JSON.stringify({
          url: link?.url ?? null,
          expires_at: link?.expires_at ?? null,
          amount: Number(invoice.total),
          currency: invoice.currency,
        })
      }),
  )

  app.post(
    '/billing/paid',
    {
      config: { access: 'open', extension: true, keepsBytes: true },
      bodyLimit: 16 * 1024,
      schema: {
        operationId: 'reportPayment',
        summary: 'Report that an invoice was paid',
        description:
          "For the operator's payment service. Signed with `BILLING_SECRET` by Standard Webhooks: the headers `webhook-id`, " +
          '`webhook-timestamp` and `webhook-signature`. Reporting the same payment again changes nothing. 404 unless ' +
          '`BILLING_SECRET` is set.',
        body: PaymentNotice,
        response: { 200: data({}), ...errors },
      },
    },
    async ({ body, bodyBytes, headers }, reply) => {
      if (!config.BILLING_SECRET) throw new ApiError('not_found')
      checkSignature(config.BILLING_SECRET, headers, bodyBytes ?? Buffer.alloc(0), Date.now())
      const { invoice_id, reference = null, amount, currency } = body
      await transact(db, (db) => payInvoice(db, invoice_id, { reference, amount, currency }))
      return sendWritten(reply, 200, '{"data":{}}')
    },
  )
}
