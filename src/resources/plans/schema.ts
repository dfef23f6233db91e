import { type Static, Type } from 'typebox'
import { nullable, oneOf, resource, Timestamp, Uuid } from '../../core/input/schemas.ts'
import { LIMITS } from './limit-names.ts'

export const PERIODS = ['month', 'year'] as const

const ABOUT: Record<(typeof LIMITS)[number], string> = {
  products: 'Products of the store.',
  orders: 'Orders created in a calendar month (UTC). Deleting an order does not give its place back.',
  storage: 'Bytes of files. Identical files count once.',
  people: 'People who may use the console for this store.',
  apps: 'Installed apps.',
  webhooks: 'Webhooks of all apps.',
  calls: 'Calls of each app in a minute. More are refused with 429.',
}

const PlanLimits = Type.Object(
  Object.fromEntries(
    LIMITS.map((name) => [name, Type.Optional(Type.Integer({ minimum: 0, description: ABOUT[name] }))]),
  ),
  { additionalProperties: false, description: 'A limit that is absent does not exist.' },
)

export const PlanSchema = resource(
  'Plan',
  Type.Object(
    {
      id: Uuid,
      name: Type.String(),
      price: Type.Number({ description: 'Of one period, without tax.' }),
      currency: Type.String(),
      period: oneOf(PERIODS),
      limits: PlanLimits,
      is_offered: Type.Boolean({ description: 'Whether stores can switch to it.' }),
    },
    { additionalProperties: false },
  ),
)

export const SubscriptionSchema = resource(
  'Subscription',
  Type.Object(
    {
      plan_id: Uuid,
      period_start: Timestamp,
      period_end: Timestamp,
      next_plan_id: nullable(Uuid),
    },
    { additionalProperties: false, description: 'The plan of the store. `next_plan_id` follows at `period_end`.' },
  ),
)

export const Use = Type.Object(
  Object.fromEntries(
    LIMITS.filter((name) => name !== 'calls').map((name) => [
      name,
      Type.Optional(
        Type.Object(
          { used: Type.Integer(), limit: Type.Integer() },
          { additionalProperties: false, description: ABOUT[name] },
        ),
      ),
    ]),
  ),
  { additionalProperties: false, description: 'How much the store uses of each limit of its plan.' },
)

export const PlanChoice = Type.Object({ plan_id: Uuid })
export type PlanChoice = Static<typeof PlanChoice>

export const PlanSwitch = resource(
  'PlanSwitch',
  Type.Object(
    {
      plan_id: Uuid,
      effective_at: Timestamp,
      amount: Type.Number({ description: 'To be paid now, without tax.' }),
      currency: Type.String(),
      invoice_id: nullable(Uuid),
    },
    { additionalProperties: false },
  ),
)
