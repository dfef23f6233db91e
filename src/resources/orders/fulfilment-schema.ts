import { type Static, Type } from 'typebox'
import { creation, Integer, Money, nullable, oneOf, Text, Uuid } from '../../core/input/schemas.ts'
import { DELIVERY_STATUSES, REFUND_STATUSES } from './schema.ts'

const MAX_LINES = 1000

export const DeliveryParams = Type.Object({ deliveryId: Uuid })

export const DeliveryChange = Type.Object({
  status: Type.Optional(oneOf(DELIVERY_STATUSES)),
  tracking_number: Type.Optional(
    nullable(Text(255, { description: 'Requires `shipping_carrier`. Empty or null removes it.' })),
  ),
  // No `format: 'uuid'`: a malformed id gets the same reply as an unknown one.
  shipping_carrier: Type.Optional(
    nullable(Text(255, { identifies: true, description: 'Id of an active carrier. Empty or null removes it.' })),
  ),
})
export type DeliveryChange = Static<typeof DeliveryChange>

const units = { order_variant_id: Uuid, quantity: Integer({ minimum: 1 }) }
const lines = <T extends Type.TProperties>(properties: T) =>
  Type.Array(Type.Object(properties), { minItems: 1, maxItems: MAX_LINES })
const reason = Type.Optional(nullable(Text(2000)))

export const DeliverySplit = creation({
  delivery_id: Type.Optional({
    ...Uuid,
    description:
      'The delivery to take the units from. Default: the oldest unfulfilled delivery that holds all of ' +
      'these units and more.',
  }),
  variants: lines(units),
})
export type DeliverySplit = Static<typeof DeliverySplit>

export const NewReturn = creation({
  reason,
  variants: lines({
    ...units,
    reason,
    restock: Type.Optional(
      Type.Boolean({
        description:
          'Returns the units to stock, each unit once: units that cancelling the order has already returned are ' +
          'not added again, nor taken again when the cancellation is undone. If the store says so in its settings ' +
          '(`order_desk.restock_on_receipt`), this happens when the delivery of the return becomes `delivered`. ' +
          'Default: false.',
      }),
    ),
  }),
})
export type NewReturn = Static<typeof NewReturn>

export const NewRefund = creation({
  amount: Type.Optional(Money({ description: 'Default: the sum of the lines.' })),
  status: Type.Optional(oneOf(REFUND_STATUSES, { description: 'Default: pending.' })),
  reason,
  return_id: Type.Optional(nullable(Uuid)),
  variants: Type.Optional(
    lines({ ...units, amount: Type.Optional(Money({ description: 'Default: price times quantity.' })) }),
  ),
})
export type NewRefund = Static<typeof NewRefund>

export const RefundChange = Type.Object({ status: Type.Optional(oneOf(REFUND_STATUSES)), reason })
export type RefundChange = Static<typeof RefundChange>
