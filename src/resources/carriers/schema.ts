import { type Static, Type } from 'typebox'
import { creation, extension, nullable, oneOf, resource, Text, Uuid } from '../../core/input/schemas.ts'

const CARRIER_STATUSES = ['active', 'inactive'] as const

export const Carrier = resource(
  'ShippingCarrier',
  Type.Object(
    {
      id: Uuid,
      name: Type.String(),
      code: Type.String(),
      status: Type.String(),
      tracking_url: extension(
        nullable(Type.String({ description: 'Address of the tracking page, with `{tracking_number}` in it.' })),
      ),
    },
    { additionalProperties: false },
  ),
)
export type Carrier = Static<typeof Carrier>

export const CarrierQuery = Type.Object({
  status: extension(
    oneOf([...CARRIER_STATUSES, 'all'], {
      default: 'active',
      description: 'Which carriers to list. All but `active` need the permission `shipping:view`.',
    }),
  ),
})

const Name = Text(255, { minLength: 1, pattern: '\\S', errorMessage: 'must be 1 to 255 characters, not all spaces' })
const Code = Text(64, {
  pattern: '^[A-Za-z0-9_.-]{1,64}$',
  errorMessage: 'must be 1 to 64 letters, digits, dots, hyphens or underscores, such as aramex',
  description: 'Unique in the store.',
})
const optional = {
  tracking_url: Type.Optional(
    nullable(
      Text(2_048, {
        pattern: '^https?://[^\\s/{}]+(?=/|\\{tracking_number\\})(?=\\S*\\{tracking_number\\})\\S*$',
        errorMessage:
          'must be a web address with {tracking_number} in it, such as https://carrier.example/{tracking_number}',
        description: 'Address of the tracking page. `{tracking_number}` in it is replaced by the number.',
        verbatim: true,
      }),
    ),
  ),
  status: Type.Optional(oneOf(CARRIER_STATUSES, { description: 'New deliveries can only choose active carriers.' })),
}

export const NewCarrier = creation({ name: Name, code: Code, ...optional })
export type NewCarrier = Static<typeof NewCarrier>

export const CarrierChanges = Type.Object({ name: Type.Optional(Name), code: Type.Optional(Code), ...optional })
export type CarrierChanges = Static<typeof CarrierChanges>
