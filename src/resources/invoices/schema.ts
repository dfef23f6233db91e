import { type Static, Type } from 'typebox'
import { listQuery, Money, nullable, oneOf, resource, Text, Timestamp, Uuid } from '../../core/input/schemas.ts'

export const INVOICE_STATUSES = ['open', 'paid', 'void', 'overdue'] as const

export const Invoice = resource(
  'Invoice',
  Type.Object(
    {
      id: Uuid,
      number: Type.Integer({ description: 'Without gaps over all stores of the operator.' }),
      status: oneOf(INVOICE_STATUSES, { description: '`overdue`: open after `due_at`.' }),
      seller: Type.String({ description: 'Name and address of the operator.' }),
      store_name: Type.String(),
      period_start: Timestamp,
      period_end: Timestamp,
      lines: Type.Array(Type.Object({ text: Type.String(), amount: Type.Number() }, { additionalProperties: false })),
      currency: Type.String(),
      subtotal: Type.Number(),
      tax_percent: Type.Number(),
      tax: Type.Number(),
      total: Type.Number(),
      due_at: Timestamp,
      paid_at: nullable(Timestamp),
      created_at: Timestamp,
    },
    { additionalProperties: false },
  ),
)
export type Invoice = Static<typeof Invoice>

export const InvoiceQuery = listQuery(['created_at'], 'created_at', {
  status: Type.Optional(oneOf(INVOICE_STATUSES)),
})

export const Payment = resource(
  'Payment',
  Type.Object(
    {
      url: nullable(Type.String({ description: "The operator's payment page. null: the operator marks it as paid." })),
      expires_at: nullable(Timestamp),
      amount: Type.Number(),
      currency: Type.String(),
    },
    { additionalProperties: false },
  ),
)

export const PaymentNotice = Type.Object({
  invoice_id: Uuid,
  amount: Money({ description: 'The whole amount of the invoice.' }),
  currency: Text(3),
  reference: Type.Optional(Text(200, { description: "Names the payment in the operator's books." })),
})
export type PaymentNotice = Static<typeof PaymentNotice>
