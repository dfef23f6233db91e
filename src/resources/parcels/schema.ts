import { type Static, Type } from 'typebox'
import {
  creation,
  DateBound,
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
import { MAX_CASH_PARCELS, MAX_RESULTS, PARCEL_STATES, type ParcelState, RESULTS } from './states.ts'

export const CASH_STATES = ['owed', 'received'] as const

const shape = <T extends Parameters<typeof Type.Object>[0]>(properties: T, description?: string) =>
  Type.Object(properties, { additionalProperties: false, ...(description && { description }) })

const Amount = (description: string) => Type.Number({ description })

export const Parcel = resource(
  'Parcel',
  shape({
    id: { ...Uuid, description: 'The id of the delivery.' },
    order_id: Uuid,
    order_ref: Type.String(),
    state: oneOf(PARCEL_STATES, {
      description:
        'The status of the delivery. `returning` and `returned`: items of it are on their way back, or have been received.',
    }),
    tracking_number: nullable(Type.String()),
    tracking_link: nullable(Type.String()),
    shipping_carrier: nullable(ref(Carrier)),
    customer_name: Type.String(),
    customer_phone: Type.String(),
    customer_city: Type.String(),
    currency: Type.String(),
    cash_owed: Amount('What the carrier has collected and not paid yet. 0 if it owes nothing.'),
    cash_received: nullable(Amount('What the carrier has paid for this parcel.')),
    cash_received_at: nullable(Timestamp),
    cash_reference: nullable(Type.String()),
    updated_at: Timestamp,
  }),
)
export type Parcel = Static<typeof Parcel>

const CarrierId = Type.String({ format: 'uuid', description: 'Parcels of this carrier.' })
const From = DateBound('Changed at this time or later.')
const To = DateBound('Changed at this time or earlier. A date without a time means the end of that day, UTC.')

export const ParcelQuery = listQuery(['date'], 'date', {
  carrier_id: Type.Optional(CarrierId),
  state: Type.Optional(several(oneOf(PARCEL_STATES), { description: 'Parcels in any of these states.' })),
  cash: Type.Optional(
    oneOf(CASH_STATES, { description: 'Parcels whose cash the carrier owes, or those for which it has paid.' }),
  ),
  tracking_number: Type.Optional(Text(255, { description: 'In upper or lower case.' })),
  from: Type.Optional(From),
  to: Type.Optional(To),
})

export const ParcelSummaryQuery = Type.Object({ from: Type.Optional(From), to: Type.Optional(To) })
export type ParcelSummaryQuery = Static<typeof ParcelSummaryQuery>

const Parcels = (description: string) => Type.Integer({ minimum: 0, description })

export const CarrierParcels = resource(
  'CarrierParcels',
  shape({
    shipping_carrier: ref(Carrier),
    parcels: shape(
      Object.fromEntries(PARCEL_STATES.map((state) => [state, Parcels(`Parcels that are ${state}.`)])) as Record<
        ParcelState,
        ReturnType<typeof Parcels>
      >,
      'Parcels that changed in the period, by state.',
    ),
    cash: Type.Array(
      shape({
        currency: Type.String(),
        owed: Amount('Collected and not paid yet, whenever that was.'),
        owed_parcels: Type.Integer({ minimum: 0 }),
        owed_since: nullable({ ...Timestamp, description: 'When the oldest of these parcels last changed.' }),
        received: Amount('Paid by the carrier in the period.'),
        received_parcels: Type.Integer({ minimum: 0 }),
      }),
      { description: 'One entry per currency.' },
    ),
  }),
)
export type CarrierParcels = Static<typeof CarrierParcels>

export const CarrierResults = creation({
  results: Type.Array(
    Type.Object({
      tracking_number: Text(255, { minLength: 1, description: 'In upper or lower case.' }),
      result: oneOf(RESULTS, {
        description: '`returning`: the parcel is on its way back. `returned`: the store has received it.',
      }),
    }),
    { minItems: 1, maxItems: MAX_RESULTS, description: `At most ${MAX_RESULTS} lines.` },
  ),
  carrier_id: Type.Optional(nullable({ ...CarrierId, description: 'Looks only among parcels of this carrier.' })),
  restock: Type.Optional(
    Type.Boolean({
      description:
        'Units of the returns that this request creates go back to stock, as with `POST /order/{id}/return`. Default: false.',
    }),
  ),
})
export type CarrierResults = Static<typeof CarrierResults>

export const CarrierResult = resource(
  'CarrierResult',
  shape({
    tracking_number: Type.String(),
    result: oneOf(RESULTS),
    parcel_id: nullable(Uuid),
    order_id: nullable(Uuid),
    order_ref: nullable(Type.String()),
    previous_state: nullable(oneOf(PARCEL_STATES)),
    state: nullable(oneOf(PARCEL_STATES, { description: 'After the request.' })),
    errors: Type.Record(Type.String(), Type.Array(Type.String()), {
      description: 'Why the line was refused, by field. Empty if it was applied, or had been before.',
    }),
  }),
)

export const ParcelCash = creation({
  parcel_ids: Type.Array(Uuid, {
    minItems: 1,
    maxItems: MAX_CASH_PARCELS,
    description: `At most ${MAX_CASH_PARCELS} parcels: with cash that their carrier owes, or that was received.`,
  }),
  received: Type.Optional(
    Type.Boolean({ description: 'false: takes it back, and the carrier owes the cash again. Default: true.' }),
  ),
  reference: Type.Optional(nullable(Text(255, { description: 'Such as the number of the transfer.' }))),
})
export type ParcelCash = Static<typeof ParcelCash>
