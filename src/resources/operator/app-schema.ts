import { Type } from 'typebox'
import { nullable, oneOf, Text, Timestamp, Uuid } from '../../core/input/schemas.ts'

export const LISTINGS = ['listed', 'unlisted'] as const
/** As much as the manifest of an app may have. */
const MAX_MANIFEST_BYTES = 64 * 1024

export const MAX_APPS = 500

const shape = <T extends Type.TProperties>(properties: T) => Type.Object(properties, { additionalProperties: false })

export const OperatorApp = shape({
  id: Uuid,
  client_id: Type.String(),
  name: Type.String(),
  developer: Type.String(),
  icon: nullable(Type.String()),
  state: oneOf(['listed', 'unlisted', 'disabled', 'unregistered']),
  is_listed: Type.Boolean(),
  has_manifest: Type.Boolean(),
  source_url: nullable(Type.String()),
  checked_at: nullable(Timestamp),
  fault: nullable(Type.String()),
  stores: Type.Integer(),
})

export const AppSecrets = shape({
  client_id: Type.String(),
  client_secret: Type.String(),
  lifecycle_secret: nullable(Type.String()),
})

export const NewApp = Type.Object({
  url: Type.Optional(Text(2_048, { minLength: 1, verbatim: true })),
  manifest: Type.Optional(Text(MAX_MANIFEST_BYTES, { minLength: 1, verbatim: true })),
  listing: oneOf(LISTINGS),
})

export const AppChange = Type.Object({
  listing: Type.Optional(oneOf(LISTINGS)),
  disabled: Type.Optional(Type.Boolean()),
})
export const Refresh = Type.Object({
  manifest: Type.Optional(Text(MAX_MANIFEST_BYTES, { minLength: 1, verbatim: true })),
})
export const AppId = Type.Object({ app: Uuid })
