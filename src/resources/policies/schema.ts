import { type Static, Type } from 'typebox'
import { creation, listQuery, oneOf, resource, several, Text, Timestamp, Uuid } from '../../core/input/schemas.ts'
import { updatedBounds } from '../../core/reading/filters.ts'

export const POLICY_TYPES = ['refund', 'privacy', 'terms', 'shipping', 'custom'] as const

const MAX_POLICY_CONTENT = 100_000

const PolicyType = oneOf(POLICY_TYPES, {
  description: 'A store has one policy of each type, and any number of `custom`.',
})

export const Policy = resource(
  'Policy',
  Type.Object(
    {
      id: Uuid,
      type: oneOf(POLICY_TYPES),
      title: Type.String(),
      slug: Type.String(),
      content: Type.String({ description: 'As sent: plain text or Markdown, which the service never renders.' }),
      is_published: Type.Boolean(),
      created_at: Timestamp,
      updated_at: Timestamp,
    },
    { additionalProperties: false },
  ),
)
export type Policy = Static<typeof Policy>

export const PolicyQuery = listQuery(['created_at', 'updated_at'], 'created_at', {
  type: Type.Optional(several(oneOf(POLICY_TYPES), { description: 'Policies of any of these types.' })),
  is_published: Type.Optional(Type.Boolean()),
  ...updatedBounds,
})

const Title = Text(255, { minLength: 1, pattern: '\\S', errorMessage: 'must be 1 to 255 characters, not all spaces' })
const optional = {
  slug: Type.Optional(
    Text(120, {
      pattern: '^[\\p{L}\\p{M}\\p{N}_.~-]+$',
      errorMessage: 'must be 1 to 120 letters, digits, hyphens, dots or underscores',
      description: 'Unique among the policies of the store, ignoring case. Made from the title by default.',
    }),
  ),
  content: Type.Optional(
    Text(MAX_POLICY_CONTENT, { description: 'Plain text or Markdown. It is stored as sent and never rendered.' }),
  ),
  is_published: Type.Optional(Type.Boolean({ description: 'false by default.' })),
}

export const NewPolicy = creation({ type: PolicyType, title: Title, ...optional })
export type NewPolicy = Static<typeof NewPolicy>

export const PolicyChanges = Type.Object({ type: Type.Optional(PolicyType), title: Type.Optional(Title), ...optional })
export type PolicyChanges = Static<typeof PolicyChanges>
