import Type from 'typebox'
import { resource, Uuid } from '../input/schemas.ts'

export const Carrier = resource(
  'ShippingCarrier',
  Type.Object(
    { id: Uuid, name: Type.String(), code: Type.String(), status: Type.String() },
    { additionalProperties: false },
  ),
)
