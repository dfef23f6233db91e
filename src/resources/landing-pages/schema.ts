import { type Static, Type } from 'typebox'
import {
  creation,
  extension,
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
import { updatedBounds } from '../../core/reading/filters.ts'
import { Product } from '../products/schema.ts'

export const COD_TYPES = ['checkout', 'popup', 'embedded'] as const
const CodType = oneOf(COD_TYPES)

export const LandingPage = resource(
  'LandingPage',
  Type.Object(
    {
      id: Uuid,
      title: Type.String(),
      slug: Type.String(),
      meta_description: nullable(Type.String()),
      product_id: Uuid,
      domain_id: nullable(Uuid),
      created_at: Timestamp,
      updated_at: Timestamp,
      product: ref(Product),
      url: Type.String({ description: 'Public URL of the page, on its own domain or the domain of the store.' }),
      screenshot_url: nullable(Type.String()),
      lang: nullable(Type.String()),
      cod_type: CodType,
      published_at: extension(nullable(Timestamp)),
    },
    { additionalProperties: false },
  ),
)
export type LandingPage = Static<typeof LandingPage>

export const LandingPageQuery = listQuery(['created_at', 'updated_at'], 'created_at', {
  product_id: Type.Optional(several(Uuid, { description: 'Pages of any of these products.' })),
  domain_id: Type.Optional(Uuid),
  cod_type: Type.Optional(several(CodType, { description: 'Pages of any of these types.' })),
  ...updatedBounds,
})

const Title = Text(255, { minLength: 1 })
const Slug = Text(120, {
  pattern: '^[\\p{L}\\p{M}\\p{N}_.~-]+$',
  errorMessage: 'must be 1 to 120 letters, digits, hyphens, dots or underscores',
  description: 'Unique in the store, ignoring case. Made from the title by default.',
})
const optional = {
  slug: Type.Optional(Slug),
  meta_description: Type.Optional(nullable(Text(1_000))),
  domain_id: Type.Optional(nullable(Uuid)),
  screenshot_url: Type.Optional(
    nullable(
      Text(2_048, { pattern: '^https?://[^\\s]+$', errorMessage: 'must be a web address or null', verbatim: true }),
    ),
  ),
  lang: Type.Optional(
    nullable(
      Text(35, {
        pattern: '^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$',
        errorMessage: 'must be a language tag such as ar or fr-TN, or null',
      }),
    ),
  ),
  cod_type: Type.Optional(CodType),
}

export const NewLandingPage = creation({ title: Title, product_id: Uuid, ...optional })
export type NewLandingPage = Static<typeof NewLandingPage>

export const LandingPageChanges = Type.Object({
  title: Type.Optional(Title),
  product_id: Type.Optional(Uuid),
  ...optional,
})
export type LandingPageChanges = Static<typeof LandingPageChanges>

/** A page is imported as it was read: published since a time, or not at all. */
export const ImportedChanges = Type.Object({
  ...LandingPageChanges.properties,
  published_at: Type.Optional(nullable(Type.String({ format: 'date-time' }))),
})
export type ImportedChanges = Static<typeof ImportedChanges>
