import { type Static, Type } from 'typebox'
import { listQuery, oneOf, resource, Text, Uuid } from '../../core/input/schemas.ts'

export const PAYMENT_METHOD_STATUSES = ['active', 'inactive'] as const

export const PaymentMethod = resource(
  'PaymentMethod',
  Type.Object(
    {
      id: Uuid,
      name: Type.String(),
      status: Type.String(),
      payment_types: Type.Array(Type.String()),
      connected: Type.Boolean(),
    },
    { additionalProperties: false },
  ),
)
export type PaymentMethod = Static<typeof PaymentMethod>

const Status = oneOf(PAYMENT_METHOD_STATUSES)

export const PaymentMethodQuery = listQuery(['name', 'created_at'], 'created_at', { status: Type.Optional(Status) })

const changeable = {
  name: Text(255, {
    minLength: 1,
    pattern: '\\S',
    errorMessage: 'must be 1 to 255 characters, not all spaces',
    description: 'The name that shoppers see.',
  }),
  status: Status,
  payment_types: Type.Array(
    Text(64, {
      pattern: '^[a-z0-9_]{1,64}$',
      errorMessage: 'must be a word of small letters, digits and underscores, such as card or cod',
    }),
    { maxItems: 20, description: 'Kinds of payment, such as `card`, `cod`, `bank_transfer` or `wallet`.' },
  ),
}

export const PaymentMethodChanges = Type.Object({
  name: Type.Optional(changeable.name),
  status: Type.Optional(changeable.status),
  payment_types: Type.Optional(changeable.payment_types),
})
export type PaymentMethodChanges = Static<typeof PaymentMethodChanges>

/** Fields that the operator sets. Apps cannot set `connected`: whether the account at the payment provider is set up. */
export const PaymentMethodFields = Type.Object({
  name: Type.Optional(changeable.name),
  status: Type.Optional(changeable.status),
  payment_types: Type.Optional(changeable.payment_types),
  connected: Type.Optional(Type.Boolean()),
})
export type PaymentMethodFields = Static<typeof PaymentMethodFields>
