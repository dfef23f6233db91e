import { Type } from 'typebox'
import { resource } from '../../core/input/schemas.ts'

export const Country = resource(
  'Country',
  Type.Object(
    {
      id: Type.String({ description: 'ISO 3166-1 alpha-2.' }),
      code: Type.String(),
      iso3: Type.String(),
      name: Type.String(),
      phone_code: Type.String(),
      currency: Type.String({ description: 'ISO 4217.' }),
    },
    { additionalProperties: false },
  ),
)
