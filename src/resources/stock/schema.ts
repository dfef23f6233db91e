import Type, { type Static } from 'typebox'
import { Integer, nullable, resource, Text, Uuid } from '../../core/input/schemas.ts'

const MAX_STOCK_LINES = 1_000

const StockChange = Type.Object({
  variant_id: Type.Optional(Type.String({ format: 'uuid', description: 'Either this or `sku`.' })),
  sku: Type.Optional(Text(255, { minLength: 1, description: 'Exact SKU. It must belong to one variant only.' })),
  quantity: Type.Optional(Integer({ minimum: 0, description: 'The new quantity. Either this or `delta`.' })),
  delta: Type.Optional(Integer({ description: 'Added to the current quantity; negative to take units.' })),
})
export type StockChange = Static<typeof StockChange>

export const StockChanges = Type.Object({
  stock: Type.Array(StockChange, {
    minItems: 1,
    maxItems: MAX_STOCK_LINES,
    description: 'At most 1,000 lines, each for another variant.',
  }),
})
export type StockChanges = Static<typeof StockChanges>

export const StockQuery = Type.Object({
  atomic: Type.Boolean({
    default: false,
    description: 'true: all lines or none. false: each line on its own.',
  }),
})

export const StockLevel = resource(
  'StockLevel',
  Type.Object(
    {
      variant_id: nullable(Uuid),
      product_id: nullable(Uuid),
      sku: nullable(Type.String()),
      quantity: nullable(
        Type.Integer({ description: 'Quantity after the request; null if the line names no variant.' }),
      ),
      previous_quantity: nullable(Type.Integer()),
      errors: Type.Record(Type.String(), Type.Array(Type.String()), {
        description: 'Why the line was refused, by field. Empty if it was applied.',
      }),
    },
    { additionalProperties: false },
  ),
)
