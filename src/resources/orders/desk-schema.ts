import { type Static, Type } from 'typebox'
import { creation, Money, nullable, oneOf, resource, Text, Timestamp, Uuid } from '../../core/input/schemas.ts'

/** What the desk that confirms orders by phone knows about an order, and what it does with it. */

export const LEVELS = ['good', 'unknown', 'careful', 'bad'] as const

/**
 * Why an order has its level, with the words that the API shows. signal_reasons() in storage/schema/order-desk.sql decides
 * which apply.
 */
export const REASONS = {
  mostly_returned: 'Most parcels of this phone number came back.',
  often_returned: 'Many parcels of this phone number came back.',
  delivered_before: 'Parcels of this phone number were delivered.',
  invalid_phone: 'This is not a phone number.',
  duplicate: 'There is another open order of the same customer with the same product.',
  short_address: 'The address is short.',
  unusual_quantity: 'More units than usual are ordered.',
} as const
export type Reason = keyof typeof REASONS

const Reason = Type.Object(
  { code: oneOf(Object.keys(REASONS) as Reason[]), text: Type.String({ description: 'The same in words.' }) },
  { additionalProperties: false },
)

/** Of order_outcome() in storage/schema/order-desk.sql. */
const OUTCOMES = ['open', 'delivered', 'returned', 'closed', 'abandoned'] as const

const Count = (description: string) => Type.Integer({ minimum: 0, description })

export const OrderSignals = resource(
  'OrderSignals',
  Type.Object(
    {
      phone: nullable(
        Type.String({
          description: '`customer_phone` in E.164, such as `+21620123456`. Null if it is no phone number.',
        }),
      ),
      duplicate_of: nullable({
        ...Uuid,
        description:
          'The earliest open order of the same phone number within 48 hours that has a product in common. Null for that ' +
          'one itself. Without a phone number: of the same customer.',
      }),
      phone_orders: Count('Orders of this phone number, without abandoned ones.'),
      phone_delivered: Count('Those that were delivered.'),
      phone_returned: Count('Those that came back.'),
      phone_open: Count('Those that are on their way or wait.'),
      first_order: nullable(Type.Boolean({ description: 'Whether the phone number has no earlier order.' })),
      level: oneOf(LEVELS, { description: 'How likely it is that the parcel is accepted. Nothing depends on it.' }),
      reasons: Type.Array(Reason),
    },
    {
      additionalProperties: false,
      description: 'What is known about the phone number and the order. The guide says how `level` is decided.',
    },
  ),
)
export type OrderSignals = Static<typeof OrderSignals>

export const CONFIRMATION_STATES = ['waiting', 'confirmed', 'no_answer', 'postponed', 'refused', 'cancelled'] as const
export type ConfirmationState = (typeof CONFIRMATION_STATES)[number]
const RESULTS = ['confirmed', 'no_answer', 'postponed', 'refused', 'cancelled', 'waiting'] as const

/** In bytes too: scripts other than Latin have fewer letters. */
const MAX_NOTE = 5_000
export const isTooLong = (note: string) => Buffer.byteLength(note) > MAX_NOTE
export const NOTE_TOO_LONG = `must be at most ${MAX_NOTE} bytes`

export const OrderConfirmation = resource(
  'OrderConfirmation',
  Type.Object(
    {
      state: oneOf(CONFIRMATION_STATES),
      attempts: Type.Integer({ minimum: 0, description: 'How often somebody has recorded a result.' }),
      next_at: nullable(Timestamp),
      by: nullable(Type.String({ description: 'The person or the app that recorded the last result.' })),
      at: nullable(Timestamp),
      note: nullable(Type.String()),
    },
    {
      additionalProperties: false,
      description: 'Whether the customer has confirmed the order. Null: it needs no confirmation.',
    },
  ),
)
export type OrderConfirmation = Static<typeof OrderConfirmation>

export const NewConfirmation = creation({
  result: oneOf(RESULTS, {
    description:
      '`cancelled` cancels the order. `waiting` takes the last result back: the order waits for a call again.',
  }),
  note: Type.Optional(nullable(Text(MAX_NOTE))),
  next_at: Type.Optional(
    nullable(
      Type.String({
        format: 'date-bound',
        description: 'When to call again. Required with `postponed`; with `no_answer`, the default is in an hour.',
      }),
    ),
  ),
  cancel: Type.Optional(
    Type.Boolean({ description: 'With `refused`: cancels the order, which puts its units back in stock.' }),
  ),
})
export type NewConfirmation = Static<typeof NewConfirmation>

export const NewNote = creation({
  text: Text(MAX_NOTE, {
    minLength: 1,
    pattern: '\\S',
    errorMessage: `must be 1 to ${MAX_NOTE} characters, not all spaces`,
    description: 'Shown in the history of the order, with who wrote it. Not in events and snapshots.',
  }),
})
export type NewNote = Static<typeof NewNote>

export const Claim = creation({
  order_id: Type.Optional({ ...Uuid, description: 'The order to take. Default: the most urgent one that nobody has.' }),
  exclude: Type.Optional(Type.Array(Uuid, { maxItems: 500, description: 'Orders to pass over.' })),
  release: Type.Optional(
    Type.Boolean({
      description:
        'true: gives back what the caller has, or only the order of `order_id`, and takes nothing. `order` is null then.',
    }),
  ),
})
export type Claim = Static<typeof Claim>

export const OrderClaim = resource(
  'OrderClaim',
  Type.Object(
    {
      order_id: Uuid,
      order_ref: Type.String(),
      by: Type.String({ description: 'The person or the app that has the order.' }),
      is_own: Type.Boolean({ description: 'Whether that is the caller.' }),
      until: { ...Timestamp, description: 'Then it is free again, unless it is claimed again before.' },
    },
    { additionalProperties: false },
  ),
)

export const Merge = creation({
  order_id: { ...Uuid, description: 'The order whose lines are added to this one, and which is then cancelled.' },
})
export type Merge = Static<typeof Merge>

export const LineChanges = creation({
  variants: Type.Array(
    Type.Object({
      id: Type.Optional({ ...Uuid, description: 'A line that the order has. Either this or `variant_id`.' }),
      variant_id: Type.Optional({ ...Uuid, description: 'What is added to the order.' }),
      quantity: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
      price: Type.Optional(
        Money({ description: 'Price of one unit. Default: as it is, or the price of the variant.' }),
      ),
    }),
    { minItems: 1, maxItems: 500, description: 'All lines that the order shall have. What is not given is taken out.' },
  ),
})
export type LineChanges = Static<typeof LineChanges>

export const PhoneNumber = resource(
  'PhoneNumber',
  Type.Object(
    {
      phone: Type.String({ description: 'In E.164.' }),
      orders: Count('Orders of this phone number, without abandoned ones.'),
      delivered: Count('Those that were delivered.'),
      returned: Count('Those that came back.'),
      open: Count('Those that are on their way or wait.'),
      latest_orders: Type.Array(
        Type.Object(
          {
            id: Uuid,
            ref: Type.String(),
            status: oneOf(['pending', 'paid', 'abandoned']),
            outcome: oneOf(OUTCOMES, {
              description: 'What became of it. `closed`: cancelled or archived, or nothing is left to deliver.',
            }),
            currency: Type.String(),
            total: Type.Number(),
            created_at: Timestamp,
          },
          { additionalProperties: false },
        ),
        { description: 'The newest 20, with abandoned ones.' },
      ),
      elsewhere: nullable(
        Type.Object(
          {
            orders: Count('Orders of this phone number, without abandoned ones.'),
            delivered: Count('Those that were delivered.'),
            returned: Count('Those that came back.'),
          },
          {
            additionalProperties: false,
            description:
              'The same in other stores of this service, added up, as of the start of the day (UTC). Null unless the ' +
              'operator and this store share such counts, this store has an order of the number, and at least three ' +
              'others that share have one, too.',
          },
        ),
      ),
    },
    { additionalProperties: false },
  ),
)
