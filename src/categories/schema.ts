import Type from 'typebox'
import { resource, Uuid } from '../input/schemas.ts'

export const Category = resource(
  'Category',
  Type.Object({ id: Uuid, name: Type.String() }, { additionalProperties: false }),
)
