import Type from 'typebox'
import {
  DateBound,
  Integer,
  listQuery,
  nullable,
  oneOf,
  resource,
  several,
  Text,
  Timestamp,
  Uuid,
} from '../http/schemas.ts'
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
      url: Type.String({ description: 'Signed, works for a while.' }),
      permanent_url: Type.String({ description: 'Never changes.' }),
      thumbnail: nullable(Type.String()),
    },
    { additionalProperties: false },
  ),
)

export const FileQuery = listQuery(['created_at'], 'created_at', {
  fileable_type: Type.Optional(oneOf(OWNER_KINDS, { description: 'Files of resources of this kind.' })),
  fileable_id: Type.Optional(Type.String({ format: 'uuid', description: 'Files of this resource.' })),
  mime_type: Type.Optional(
    several(
      Type.String({
        pattern: '^[A-Za-z0-9!#$&^_.+*-]+/[A-Za-z0-9!#$&^_.+*-]+$',
        maxLength: 255,
        sentence: 'must be a MIME type such as image/png, or a pattern such as image/*',
      }),
      { description: 'An exact type, or a pattern such as `image/*`; several separated by commas.' },
    ),
  ),
  from: Type.Optional(DateBound('Created at this moment or later.')),
  to: Type.Optional(DateBound('Created at this moment or earlier.')),
})

/** The text fields of an upload; the file itself is the part `file`. */
export const FileFields = Type.Object({
  fileable_type: Type.Optional(oneOf(OWNER_KINDS, { description: 'Kind of the resource to link the file to.' })),
  fileable_id: Type.Optional(Type.String({ format: 'uuid', description: 'The resource to link the file to.' })),
  role: Type.Optional(oneOf(FILE_ROLES, { description: 'What the file is to the resource.' })),
  order: Type.Optional(Integer({ description: 'Sort order when linked.' })),
  alt: Type.Optional(Text(1000, { description: 'Describes a picture to those who cannot see it.' })),
})

export const LinkParams = Type.Object({ id: Uuid, fileable_type: oneOf(OWNER_KINDS), fileable_id: Uuid })

export const ServedParams = Type.Object({ store: Uuid, id: Uuid })

export const ServedQuery = Type.Object({
  expires: Type.Optional(Type.Integer({ minimum: 0, maximum: 99_999_999_999, description: 'Unix seconds.' })),
  signature: Type.Optional(Text(200)),
})
