import { type Static, Type } from 'typebox'
import { creation, DateBound, extension, Money, nullable, oneOf, Text, Uuid } from '../../core/input/schemas.ts'
import { ORDER_STATUSES } from './schema.ts'

/** Bodies of POST /order and PUT /order/{id}. Totals, quantity and ref are computed. */

const optional = Type.Optional

const who = {
  customer_first_name: optional(Text(120)),
  customer_last_name: optional(Text(120)),
  customer_email: optional(Text(254, { description: 'Looks up the customer in the store, or creates one.' })),
  customer_phone: optional(Text(50)),
  customer_address: optional(Text(500)),
  customer_city: optional(Text(255)),
  customer_state: optional(Text(255)),
  customer_postal_code: optional(Text(32)),
  billing_first_name: optional(Text(120)),
  billing_last_name: optional(Text(120)),
  billing_email: optional(Text(254)),
  billing_phone: optional(Text(50)),
  billing_address: optional(Text(500)),
  billing_city: optional(Text(255)),
  billing_state: optional(Text(255)),
  billing_postal_code: optional(Text(32)),
  country_id: optional(nullable(Type.String({ maxLength: 8, description: 'A country id.' }))),
}

const states = {
  status: optional(oneOf(ORDER_STATUSES)),
  is_archived: optional(Type.Boolean()),
  is_cancelled: optional(Type.Boolean()),
}

const MAX_META_DATA_BYTES = 64 * 1024
const MetaData = Type.Record(Type.String(), Type.Unknown(), {
  maxBytes: MAX_META_DATA_BYTES,
  description: 'Custom data of the app, at most 64 kB as JSON.',
})

const OrderedVariant = Type.Object({
  variant_id: optional(
    Type.String({
      format: 'uuid',
      description:
        'What is ordered: the id of one of the `variants` of the product, or of its `default` if it has no options. ' +
        'Either this or `sku`.',
    }),
  ),
  sku: optional(Text(255, { minLength: 1, description: 'Exact SKU. It must belong to one variant only.' })),
  quantity: optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Required, except for the only line of a bundle: then it is the quantity of the bundle.',
    }),
  ),
  price: optional(Money({ description: 'Price of one unit. Default: the price of the variant.' })),
  bundle_option_id: optional(
    Type.String({
      format: 'uuid',
      description:
        'An option of an active bundle of the product. The order costs the price of the bundle; its units may be ' +
        'divided among several lines. A price that cannot be divided evenly makes two lines.',
    }),
  ),
})

/** Whoever handles the order opens it, so it must not be a script. */
const SourceLink = Text(2_048, {
  pattern: '^(?:[Hh][Tt][Tt][Pp][Ss]?://|$)',
  errorMessage: 'must be an address that starts with http:// or https://',
  description: 'The page that the customer came from: an address that starts with `http://` or `https://`.',
  verbatim: true,
})

export const NewOrder = creation({
  ...who,
  ...states,
  variants: optional(
    extension(
      Type.Array(OrderedVariant, {
        maxItems: 500,
        description: 'Their stock is reduced, unless the order is abandoned or cancelled.',
      }),
    ),
  ),
  currency: optional(
    extension(
      Type.String({
        pattern: '^[A-Z]{3}$',
        errorMessage: 'must be a currency code such as TND',
        description: 'Default: the currency of the store.',
      }),
    ),
  ),
  shipping_rate: optional(extension(Money())),
  shipping_name: optional(extension(nullable(Text(255)))),
  discount: optional(extension(Money())),
  discount_code: optional(extension(nullable(Text(255)))),
  tip_type: optional(
    extension(
      nullable(oneOf(['percent', 'fixed'], { description: 'Whether `tip_value` is an amount or a percentage.' })),
    ),
  ),
  tip_value: optional(extension(Money({ description: 'An amount, or a percentage of the subtotal.' }))),
  fee: optional(extension(Money())),
  meta_data: optional(extension(MetaData)),
  landing_page_id: optional(extension(nullable(Uuid))),
  payment_method_id: optional(extension(nullable(Uuid))),
  source_link: optional(extension(nullable(SourceLink))),
  created_at: optional(extension(DateBound('When the order was placed. Default: now.'))),
})
export type NewOrder = Static<typeof NewOrder>

export const OrderChanges = Type.Object({ ...who, ...states, meta_data: optional(MetaData) })
export type OrderChanges = Static<typeof OrderChanges>
