import { type Static, Type } from 'typebox'
import {
  creation,
  DateBound,
  extension,
  Integer,
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
import { MAX_LINKS_OF_EACH, MAX_UNUSED } from './limits.ts'
import { FILE_ROLES, OWNER_KINDS } from './rules.ts'

export const File = resource(
  'File',
  Type.Object(
    {
      id: Uuid,
      name: Type.String(),
      size: Type.Integer({ minimum: 0 }),
      alt: Type.String(),
      mime_type: Type.String(),
      created_at: Timestamp,
      updated_at: extension(Timestamp),
      url: Type.String({
        description:
          'Signed, and expires. Empty if the file is or was sold as a digital product and the caller lacks ' +
          '`file:browse`.',
      }),
      permanent_url: Type.String({
        description:
          'Never changes. Public while something public shows the file: an image of a product, variant or ' +
          'landing page, a video of a product, an image of a published review. Otherwise, and always once the ' +
          'file was sold as a digital product, it needs a token with `file:browse`.',
      }),
      thumbnail: nullable(
        Type.String({
          description:
            'WebP version of an image, at most 320 pixels. As visible as the file: signed if the file is not ' +
            'public, null if `url` is empty.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
)
export type File = Static<typeof File>

const Alt = Text(1000, { description: 'Alternative text of a picture.' })

export const FileChanges = Type.Object({ alt: Type.Optional(Alt) })

const TYPE_NAME = '[A-Za-z0-9!#$&^_.+-]+'

export const FileQuery = listQuery(['created_at', 'updated_at'], 'created_at', {
  fileable_type: Type.Optional(oneOf(OWNER_KINDS, { description: 'Files linked to resources of this kind.' })),
  fileable_id: Type.Optional(Type.String({ format: 'uuid', description: 'Files linked to this resource.' })),
  mime_type: Type.Optional(
    several(
      Type.String({
        pattern: `^(${TYPE_NAME}/(${TYPE_NAME}|\\*)|\\*/\\*)$`,
        maxLength: 255,
        errorMessage: 'must be a MIME type such as image/png or image/*',
      }),
      {
        maxItems: 10,
        description:
          'An exact type such as `image/png`, or all subtypes as `image/*`; up to 10, separated by commas. `*` ' +
          'stands only for a whole subtype.',
      },
    ),
  ),
  linked: Type.Optional(
    extension(
      Type.Boolean({
        description: 'true: files that some resource, a text or the store uses. false: files that nothing uses.',
      }),
    ),
  ),
  from: Type.Optional(DateBound('Created at this time or later.')),
  to: Type.Optional(DateBound('Created at this time or earlier.')),
  ...updatedBounds,
})

/** Text fields of an upload; the file itself is the part `file`. */
export const FileFields = Type.Object({
  fileable_type: Type.Optional(oneOf(OWNER_KINDS, { description: 'Kind of the resource to link the file to.' })),
  fileable_id: Type.Optional(Type.String({ format: 'uuid', description: 'The resource to link the file to.' })),
  role: Type.Optional(
    oneOf(FILE_ROLES, {
      description:
        'How the resource uses the file. `product_images`, `variant_image`, `landing_page_images` and ' +
        '`review_images` accept images only, `ugc_video` videos only, `digital_product` any file, which then ' +
        'stays private forever. Default: the role that fits the type of the file.',
    }),
  ),
  order: Type.Optional(Integer({ description: 'Sort order when linked.' })),
  alt: Type.Optional(Alt),
})

/** Of one file. More than these are not listed. */
export const MAX_LINKS_SHOWN = 200

export const FileLink = resource(
  'FileLink',
  Type.Object(
    {
      fileable_type: oneOf([...OWNER_KINDS, 'policy', 'store'], {
        description: '`store` for the logo, which the settings name.',
      }),
      fileable_id: Uuid,
      role: oneOf([...FILE_ROLES, 'logo', 'in_text'], {
        description:
          '`in_text`: the address of the file stands in the description of a product, in the picture or description of a ' +
          'landing page, or in a policy. Nothing is linked; whoever changes the text ends it.',
      }),
      title: Type.String({
        description: 'Title of the product, landing page or policy, name of the store; of a review, its product.',
      }),
      product_id: nullable(Type.String({ format: 'uuid', description: 'The product itself, or that it belongs to.' })),
    },
    { additionalProperties: false },
  ),
)

export const UnusedFiles = creation({
  file_ids: Type.Array(Uuid, {
    minItems: 1,
    maxItems: MAX_UNUSED,
    description: `At most ${MAX_UNUSED} files.`,
  }),
})

export const FileDeletion = resource(
  'FileDeletion',
  Type.Object(
    {
      id: Uuid,
      result: oneOf(['deleted', 'in_use', 'not_found'], { description: 'Only `deleted` has changed anything.' }),
      links: Type.Array(ref(FileLink), {
        maxItems: MAX_LINKS_OF_EACH,
        description: `The first ${MAX_LINKS_OF_EACH} that use the file. Empty if the caller lacks \`file:browse\`.`,
      }),
    },
    { additionalProperties: false },
  ),
)
export type FileDeletion = Static<typeof FileDeletion>

export const LinkParams = Type.Object({ id: Uuid, fileable_type: oneOf(OWNER_KINDS), fileable_id: Uuid })

export const ServedParams = Type.Object({ store: Uuid, id: Uuid })

export const ServedQuery = Type.Object({
  expires: Type.Optional(Type.Integer({ minimum: 0, maximum: 99_999_999_999, description: 'Unix seconds.' })),
  signature: Type.Optional(Text(200)),
})
