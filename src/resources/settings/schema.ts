import { type Static, Type } from 'typebox'
import { Email } from '../../core/input/email.ts'
import { extension, MAX_INTEGER, nullable, resource, Text, Uuid } from '../../core/input/schemas.ts'

const Percent = (description: string) => Type.Integer({ minimum: 0, maximum: 100, description })

const desk = {
  confirm: Type.Boolean({
    description: 'Whether new pending orders wait for a confirmation by phone. At first false.',
  }),
  confirm_payment_methods: Type.Array(Uuid, {
    maxItems: 50,
    description: 'Only orders with one of these payment methods. Empty: all.',
  }),
  restock_on_receipt: Type.Boolean({
    description:
      'Whether returned units go back to stock when the delivery of the return becomes `delivered`. False, as at first: ' +
      'when the return is created.',
  }),
  min_parcels: Type.Integer({
    minimum: 1,
    maximum: 1_000,
    description: 'With fewer finished parcels of a phone number, their share says nothing. At first 3.',
  }),
  bad_below: Percent('A smaller share of delivered parcels is `bad`. At first 50.'),
  careful_below: Percent('A smaller share of delivered parcels is `careful`. At first 75.'),
  min_address: Type.Integer({ minimum: 0, maximum: 500, description: 'Characters of a useful address. At first 10.' }),
  max_quantity: Type.Integer({ minimum: 1, maximum: MAX_INTEGER, description: 'More units are unusual. At first 10.' }),
  share_phone_counts: Type.Boolean({
    description:
      'Whether this store shares, with others that do, how many orders of a phone number were delivered and came back: ' +
      'see the guide. Needs the consent of the operator. At first false.',
  }),
}

export const Settings = resource(
  'Settings',
  Type.Object(
    {
      name: Type.String({ description: 'Name of the store.' }),
      currency: Type.String({ description: 'ISO 4217. The currency of orders that name none.' }),
      time_zone: Type.String({ description: 'IANA name. Days and weeks of reports are those of this time zone.' }),
      language: Type.String({ description: 'Language tag, such as `ar` or `fr-TN`.' }),
      contact_email: nullable(Type.String()),
      contact_phone: nullable(Type.String()),
      contact_address: nullable(Type.String()),
      logo_id: nullable(Type.String({ description: 'Id of the picture on packing lists and invoices.' })),
      country_id: nullable(
        Type.String({
          description:
            'Phone numbers without a country code are from here, unless their order names a country. At first the only ' +
            'country with the currency of the store. After a change, the numbers of earlier orders are read again.',
        }),
      ),
      can_share_phone_counts: Type.Boolean({
        description: 'Whether the operator lets stores share counts of phone numbers.',
      }),
      order_desk: Type.Object(desk, {
        additionalProperties: false,
        description: 'How orders are confirmed and what their signals say: see the guide.',
      }),
    },
    { additionalProperties: false },
  ),
)
export type Settings = Static<typeof Settings>

export const SettingsChanges = Type.Object({
  name: Type.Optional(
    Text(255, { minLength: 1, pattern: '\\S', errorMessage: 'must be 1 to 255 characters, not all spaces' }),
  ),
  currency: Type.Optional(
    Text(3, {
      pattern: '^[A-Z]{3}$',
      errorMessage: 'must be a code of ISO 4217, such as TND, EUR or USD',
      description: 'ISO 4217. It cannot be changed once the store has orders.',
    }),
  ),
  time_zone: Type.Optional(Text(64, { minLength: 1, description: 'IANA name, such as `Africa/Tunis` or `UTC`.' })),
  language: Type.Optional(
    Text(35, {
      pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$',
      errorMessage: 'must be a language tag such as ar or fr-TN',
    }),
  ),
  contact_email: Type.Optional(nullable(Email)),
  contact_phone: Type.Optional(nullable(Text(50))),
  contact_address: Type.Optional(nullable(Text(500))),
  logo_id: Type.Optional(
    extension(nullable(Type.String({ format: 'uuid', description: 'Id of an image file of the store.' }))),
  ),
  country_id: Type.Optional(nullable(Type.String({ maxLength: 8, description: 'A country id.' }))),
  order_desk: Type.Optional(Type.Partial(Type.Object(desk), { description: 'Only the given ones change.' })),
})
export type SettingsChanges = Static<typeof SettingsChanges>
