import { type Static, Type } from 'typebox'
import { creation, listQuery, Money, oneOf, resource, Text, Timestamp, Uuid } from '../../core/input/schemas.ts'

const STATUSES = ['active', 'inactive'] as const
const MAX_OPTIONS = 20

const option = {
  name: Text(255, { minLength: 1, description: 'Unique in the bundle.' }),
  quantity: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Units of the product.' }),
  price: Money({ description: 'Price of all units together.' }),
}

export const Bundle = resource(
  'Bundle',
  Type.Object(
    {
      id: Uuid,
      product_id: Uuid,
      name: Type.String(),
      status: oneOf(STATUSES),
      options: Type.Array(Type.Object({ id: Uuid, ...option }, { additionalProperties: false })),
      created_at: Timestamp,
      updated_at: Timestamp,
    },
    { additionalProperties: false },
  ),
)
export type Bundle = Static<typeof Bundle>

export const BundleQuery = listQuery(['name', 'created_at'], 'created_at', {
  product_id: Type.Optional(Uuid),
  status: Type.Optional(oneOf(STATUSES)),
})

const Name = Text(255, { minLength: 1 })

export const NewBundle = creation({
  product_id: Uuid,
  name: Name,
  status: Type.Optional(oneOf(STATUSES, { default: 'active', description: 'Only active bundles can be ordered.' })),
  options: Type.Array(Type.Object(option), { minItems: 1, maxItems: MAX_OPTIONS }),
})
export type NewBundle = Static<typeof NewBundle>

export const BundleChanges = Type.Object({
  name: Type.Optional(Name),
  status: Type.Optional(oneOf(STATUSES)),
  options: Type.Optional(
    Type.Array(Type.Object({ id: Type.Optional(Uuid), ...option }), {
      minItems: 1,
      maxItems: MAX_OPTIONS,
      description: 'All options: one with an `id` changes, one without is added, one that is not listed is removed.',
    }),
  ),
})
export type BundleChanges = Static<typeof BundleChanges>
