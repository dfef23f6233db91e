import Type, { type Static } from 'typebox'
import { Email } from '../input/email.ts'
import { nullable, resource, Text } from '../input/schemas.ts'

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
    },
    { additionalProperties: false },
  ),
)

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
})
export type SettingsChanges = Static<typeof SettingsChanges>
