import { type Static, Type } from 'typebox'
import { creation, resource, Text, Uuid } from '../../core/input/schemas.ts'

export const MAX_CATEGORY_NAME = 255

export const Category = resource(
  'Category',
  Type.Object({ id: Uuid, name: Type.String() }, { additionalProperties: false }),
)
export type Category = Static<typeof Category>

const Name = Text(MAX_CATEGORY_NAME, {
  minLength: 1,
  pattern: '\\S',
  errorMessage: `must be 1 to ${MAX_CATEGORY_NAME} characters, not all spaces`,
  description: 'Unique in the store, ignoring case and accents.',
})

export const NewCategory = creation({ name: Name })
export type NewCategory = Static<typeof NewCategory>

export const CategoryChanges = Type.Object({ name: Type.Optional(Name) })
export type CategoryChanges = Static<typeof CategoryChanges>
