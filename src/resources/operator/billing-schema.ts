import { Type } from 'typebox'
import { oneOf, Text, Timestamp, Uuid } from '../../core/input/schemas.ts'
import { INVOICE_STATUSES } from '../invoices/schema.ts'
import { LIMITS } from '../plans/limit-names.ts'
import { PERIODS, PlanSchema } from '../plans/schema.ts'

const MAX_AMOUNT = 999_999_999
const MAX_LIMIT = 1_000_000_000_000_000
export const PER_PAGE = 50

const shape = <T extends Type.TProperties>(properties: T) => Type.Object(properties, { additionalProperties: false })

const Limits = Type.Object(
  Object.fromEntries(LIMITS.map((name) => [name, Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_LIMIT }))])),
  { additionalProperties: false },
)
const PlanFields = {
  name: Text(100, { minLength: 1 }),
  price: Type.Number({ minimum: 0, maximum: MAX_AMOUNT }),
  limits: Limits,
}
export const NewPlan = Type.Object({
  ...PlanFields,
  currency: Text(3, { minLength: 3 }),
  period: oneOf(PERIODS),
})
export const PlanChange = Type.Object({
  ...Type.Partial(Type.Object(PlanFields)).properties,
  is_offered: Type.Optional(Type.Boolean()),
})
export const PlanId = Type.Object({ plan: Uuid })
export const Id = Type.Object({ id: Uuid })

export const OperatorPlan = shape({ ...PlanSchema.properties, stores: Type.Integer() })

export const OperatorInvoice = shape({
  id: Uuid,
  number: Type.Integer(),
  store_id: Uuid,
  store_name: Type.String(),
  status: oneOf(INVOICE_STATUSES),
  total: Type.Number(),
  currency: Type.String(),
  due_at: Timestamp,
  created_at: Timestamp,
})

export const InvoiceQuery = Type.Object({
  /** The number of the last invoice that is known. */
  before: Type.Optional(Type.Integer({ minimum: 1 })),
})
export const Paid = Type.Object({ reference: Type.Optional(Text(200)) })
