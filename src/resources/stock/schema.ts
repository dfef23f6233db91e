import { type Static, Type } from 'typebox'
import {
  extension,
  Integer,
  listQuery,
  nullable,
  oneOf,
  resource,
  Text,
  Timestamp,
  Uuid,
} from '../../core/input/schemas.ts'

const MAX_STOCK_LINES = 1_000

const StockChange = Type.Object({
  variant_id: Type.Optional(Type.String({ format: 'uuid', description: 'Either this or `sku`.' })),
  sku: Type.Optional(Text(255, { minLength: 1, description: 'Exact SKU. It must belong to one variant only.' })),
  quantity: Type.Optional(Integer({ minimum: 0, description: 'The new quantity. Either this or `delta`.' })),
  delta: Type.Optional(Integer({ description: 'Added to the current quantity; negative to take units.' })),
  reason: Type.Optional(
    extension(
      nullable(
        Text(255, { description: 'Why, for the history of the variant. A line that changes nothing has no entry.' }),
      ),
    ),
  ),
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

const { page, page_size, cursor, total } = listQuery(['id'], 'id', {}).properties
export const HistoryQuery = Type.Object({ page, page_size, cursor, total })
export type HistoryQuery = Static<typeof HistoryQuery>

export const KINDS = [
  'opening',
  'order_placed',
  'order_changed',
  'order_cancelled',
  'order_reactivated',
  'return',
  'adjustment',
  'product_update',
] as const

export const StockChangeEntry = resource(
  'StockChange',
  Type.Object(
    {
      id: nullable(Type.String({ description: 'Null for `opening`.' })),
      kind: oneOf(KINDS, {
        description:
          '`order_cancelled` also when an order is abandoned or deleted, `product_update` also when a product is ' +
          'imported. `opening` is what was there when the variant was made, or when the history began.',
      }),
      delta: Type.Integer({ description: 'How many units were added; negative if units were taken.' }),
      quantity: Type.Integer({ description: 'Quantity after the change.' }),
      reason: nullable(Type.String()),
      order: nullable(
        Type.Object(
          { id: Uuid, ref: Type.String() },
          {
            additionalProperties: false,
            description: 'Null without the permission `order:view`, and if it was deleted.',
          },
        ),
      ),
      app_name: nullable(Type.String({ description: 'The app that made the change.' })),
      account_name: nullable(Type.String({ description: 'The person who made it in the console.' })),
      created_at: Timestamp,
    },
    { additionalProperties: false },
  ),
)
