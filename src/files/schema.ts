import Type from 'typebox'
import { nullable, resource, Timestamp, Uuid } from '../http/schemas.ts'

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
