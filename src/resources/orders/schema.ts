import { type Static, Type } from 'typebox'
import {
  DateBound,
  extension,
  listQuery,
  nullable,
  oneOf,
  ref,
  resource,
  several,
  Text,
  Timestamp,
  Uuid,
} from '../../core/input/schemas.ts'
import { Carrier } from '../carriers/schema.ts'
import { Country } from '../countries/schema.ts'
import { LandingPage } from '../landing-pages/schema.ts'
import { PaymentMethod } from '../payment-methods/schema.ts'
import { Variant } from '../products/schema.ts'
import { CONFIRMATION_STATES, LEVELS, OrderConfirmation, OrderSignals } from './desk-schema.ts'

export const ORDER_STATUSES = ['pending', 'paid', 'abandoned'] as const
export const DELIVERY_STATUSES = ['unfulfilled', 'fulfilled', 'shipped', 'delivered', 'cancelled'] as const
export const REFUND_STATUSES = ['pending', 'refunded'] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]
export type RefundStatus = (typeof REFUND_STATUSES)[number]

const shape = <T extends Parameters<typeof Type.Object>[0]>(properties: T) =>
  Type.Object(properties, { additionalProperties: false })

export const OrderVariant = resource(
  'OrderVariant',
  shape({
    id: Uuid,
    quantity: Type.Integer({ minimum: 1 }),
    price: Type.Number({ description: 'Price of one unit at the time of the order.' }),
    sku: nullable(Type.String()),
    title: Type.String(),
    is_digital: Type.Boolean(),
    options: Type.Record(Type.String(), Type.String(), { description: 'Option name to chosen value.' }),
    variant: nullable(ref(Variant)),
    image_url: nullable(Type.String()),
  }),
)
export type OrderVariant = Static<typeof OrderVariant>

export const Delivery = resource(
  'Delivery',
  shape({
    id: Uuid,
    status: oneOf(DELIVERY_STATUSES),
    tracking_number: nullable(Type.String()),
    tracking_link: nullable(Type.String()),
    shipping_carrier: nullable(ref(Carrier)),
    order_variants: Type.Array(ref(OrderVariant), { description: 'The lines, with the units in this delivery.' }),
  }),
)
export type Delivery = Static<typeof Delivery>

const ReturnVariant = resource(
  'ReturnVariant',
  shape({
    id: Uuid,
    order_variant_id: Uuid,
    quantity: Type.Integer({ minimum: 1 }),
    reason: nullable(Type.String()),
    restock: Type.Boolean(),
    order_variant: ref(OrderVariant),
  }),
)
export type ReturnVariant = Static<typeof ReturnVariant>

export const Return = resource(
  'Return',
  shape({
    id: Uuid,
    order_id: Uuid,
    reason: nullable(Type.String()),
    return_variants: Type.Array(ref(ReturnVariant)),
    delivery: nullable(ref(Delivery)),
    created_at: extension(Timestamp),
  }),
)
export type Return = Static<typeof Return>

const RefundVariant = resource(
  'RefundVariant',
  shape({
    id: Uuid,
    order_variant_id: Uuid,
    quantity: Type.Integer({ minimum: 1 }),
    amount: Type.Number(),
    order_variant: ref(OrderVariant),
  }),
)
export type RefundVariant = Static<typeof RefundVariant>

export const Refund = resource(
  'Refund',
  shape({
    id: Uuid,
    order_id: Uuid,
    status: oneOf(REFUND_STATUSES),
    amount: Type.Number(),
    reason: nullable(Type.String()),
    return: nullable(ref(Return)),
    refund_variants: Type.Array(ref(RefundVariant)),
    created_at: extension(Timestamp),
  }),
)
export type Refund = Static<typeof Refund>

/** What a history entry is about. For booleans, `from` and `to` are `true` and `false`. */
const EVENT_SUBJECTS = [
  'status',
  'is_cancelled',
  'is_archived',
  'delivery',
  'return',
  'refund',
  'confirmation',
  'note',
  'variants',
] as const
export type EventSubject = (typeof EVENT_SUBJECTS)[number]

export const OrderEvent = resource(
  'OrderEvent',
  shape({
    id: Uuid,
    app_id: nullable(Uuid),
    app_name: Type.String({ description: 'The app that made the change.' }),
    account_name: extension(
      nullable(Type.String({ description: 'The person who made it in the console, or through an assistant.' })),
    ),
    via: Type.Optional(extension(oneOf(['assistant'], { description: 'An assistant made it.' }))),
    subject: oneOf(EVENT_SUBJECTS),
    subject_id: Type.String({ format: 'uuid', description: 'The order, delivery, return or refund that changed.' }),
    from: nullable(Type.String({ description: 'Previous value; null on creation.' })),
    to: Type.String(),
    note: extension(nullable(Type.String({ description: 'The text of a note. Null in events and snapshots.' }))),
    created_at: Timestamp,
  }),
)
export type OrderEvent = Static<typeof OrderEvent>

const person = <P extends 'customer' | 'billing'>(prefix: P) => {
  const fields = [
    'first_name',
    'last_name',
    'name',
    'email',
    'phone',
    'address',
    'city',
    'state',
    'postal_code',
  ] as const
  return Object.fromEntries(fields.map((field) => [`${prefix}_${field}`, Type.String()])) as Record<
    `${P}_${(typeof fields)[number]}`,
    ReturnType<typeof Type.String>
  >
}

const text = nullable(Type.String())

export const Order = resource(
  'Order',
  shape({
    id: Uuid,
    ref: Type.String({ description: 'Short human-readable reference, unique in the store.' }),
    status: oneOf(ORDER_STATUSES),
    currency: Type.String(),
    ...person('customer'),
    customer_id: nullable(Uuid),
    customer_country: nullable(ref(Country)),
    ...person('billing'),
    card_brand: text,
    card_last4: text,
    shipping_rate: Type.Number(),
    shipping_name: text,
    discount: Type.Number(),
    discount_code: text,
    tip: Type.Number(),
    tip_type: text,
    tip_value: Type.Number(),
    bundle_name: text,
    bundle_option_name: text,
    bundle_price: nullable(Type.Number()),
    fee: Type.Number(),
    subtotal: Type.Number({ description: 'Price times quantity over all lines.' }),
    total: Type.Number({ description: 'Subtotal + shipping + fee + tip − discount, at least 0.' }),
    quantity: Type.Integer(),
    is_archived: Type.Boolean(),
    is_cancelled: Type.Boolean(),
    cancelled_at: nullable(Timestamp),
    paid_at: nullable(Timestamp),
    created_at: Timestamp,
    updated_at: extension(Timestamp),
    meta_data: Type.Record(Type.String(), Type.Unknown()),
    payment_method: nullable(ref(PaymentMethod)),
    variants: Type.Array(ref(OrderVariant)),
    deliveries: Type.Array(ref(Delivery), { description: 'At most 100.' }),
    returns: Type.Array(ref(Return), { description: 'At most 100.' }),
    refunds: Type.Array(ref(Refund), { description: 'At most 100.' }),
    landing_page: nullable(ref(LandingPage)),
    source_link: text,
    checkout_link: Type.String(),
    thank_you_link: Type.String(),
    signals: extension(ref(OrderSignals)),
    confirmation: extension(nullable(ref(OrderConfirmation))),
    history: extension(
      Type.Array(ref(OrderEvent), {
        description: 'Status changes, oldest first; the newest 500 entries.',
      }),
    ),
  }),
)
export type Order = Static<typeof Order>

const DeliveryStatuses = (description: string) => Type.Optional(several(oneOf(DELIVERY_STATUSES), { description }))
const RefundStatuses = (description: string) => Type.Optional(several(oneOf(REFUND_STATUSES), { description }))

export const orderFilters = {
  search: Type.Optional(
    Text(255, {
      description:
        'Part of a ref, customer name, email, phone, address, city or postal code, or at least 6 characters ' +
        'of an order id. Case, accents and the kind of apostrophe do not matter, nor do the spacing and the ' +
        'country code of a phone number. One or two characters match the beginning of a word.',
    }),
  ),
  ref: Type.Optional(Text(64, { description: 'Exact order reference.' })),
  status: Type.Optional(several(oneOf(ORDER_STATUSES), { description: 'Orders of any of these statuses.' })),
  exclude_status: Type.Optional(
    extension(several(oneOf(ORDER_STATUSES), { description: 'Orders of none of these statuses.' })),
  ),
  delivery_status: DeliveryStatuses('Orders with a delivery of any of these statuses.'),
  return_status: DeliveryStatuses('Orders with a return whose delivery has any of these statuses.'),
  refund_status: RefundStatuses('Orders with a refund of any of these statuses.'),
  exclude_delivery_status: DeliveryStatuses('Orders without a delivery of any of these statuses.'),
  exclude_return_status: DeliveryStatuses('Orders without a return whose delivery has any of these statuses.'),
  exclude_refund_status: RefundStatuses('Orders without a refund of any of these statuses.'),
  customer_id: Type.Optional(Uuid),
  product_id: Type.Optional(several(Uuid, { description: 'Orders of any of these products.' })),
  landing_page_id: Type.Optional(Uuid),
  carrier_id: Type.Optional(
    extension(Type.String({ format: 'uuid', description: 'Orders with a delivery or a return by this carrier.' })),
  ),
  tracking_number: Type.Optional(
    extension(
      Text(255, { description: 'Orders with a delivery or a return of this tracking number, in upper or lower case.' }),
    ),
  ),
  phone: Type.Optional(
    extension(
      Text(50, {
        description:
          'Orders of this phone number, in whatever way it is written. Without a country code it is one of the country of the store.',
      }),
    ),
  ),
  level: Type.Optional(
    extension(several(oneOf(LEVELS), { description: 'Orders whose signals have any of these levels.' })),
  ),
  duplicate: Type.Optional(
    extension(
      Type.Boolean({ description: 'Open orders of which there is another one, or those of which there is none.' }),
    ),
  ),
  confirmation: Type.Optional(
    extension(several(oneOf(CONFIRMATION_STATES), { description: 'Orders in any of these states of confirmation.' })),
  ),
  is_cancelled: Type.Optional(Type.Boolean()),
  is_archived: Type.Optional(Type.Boolean()),
  from: Type.Optional(DateBound('Created at this time or later.')),
  to: Type.Optional(
    DateBound('Created at this time or earlier. A date without a time means the end of that day, UTC.'),
  ),
  updated_from: Type.Optional(DateBound('Changed at this time or later.')),
  updated_to: Type.Optional(
    DateBound('Changed at this time or earlier. A date without a time means the end of that day, UTC.'),
  ),
}

export const OrderQuery = listQuery(['total', 'quantity', 'date', 'status'], 'date', orderFilters)
export type OrderQuery = Static<typeof OrderQuery>
