import { type Static, Type } from 'typebox'
import {
  creation,
  listQuery,
  nullable,
  oneOf,
  resource,
  Text,
  Timestamp,
  Uuid,
} from '../../../src/core/input/schemas.ts'

const Status = oneOf(['active', 'ended'])

export const Discount = resource(
  'Discount',
  Type.Object(
    { id: Uuid, code: Text(40), status: Status, product_id: nullable(Uuid), created_at: Timestamp },
    { additionalProperties: false },
  ),
)

export type Discount = Static<typeof Discount>

export const NewDiscount = creation({
  code: Text(40),
  status: Type.Optional(Status),
  product_id: Type.Optional(nullable(Uuid)),
})
export type NewDiscount = Static<typeof NewDiscount>

export const DiscountChanges = Type.Partial(Type.Object({ code: Text(40), status: Status, product_id: nullable(Uuid) }))
export type DiscountChanges = Static<typeof DiscountChanges>

export const DiscountQuery = listQuery(['created_at', 'code'], 'created_at', {
  status: Type.Optional(Status),
  product_id: Type.Optional(Uuid),
})
export type DiscountQuery = Static<typeof DiscountQuery>
