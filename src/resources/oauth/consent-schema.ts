import { type Static, Type } from 'typebox'
import { nullable, oneOf, Text, Uuid } from '../../core/input/schemas.ts'
import { PERMISSIONS } from '../permissions/catalogue.ts'

const Parameter = Type.Optional(Text(2_048, { verbatim: true }))

/** The parameters of /oauth/authorize. Without a redirect address, the console itself asks. */
export const AuthorizationRequest = Type.Object({
  client_id: Text(2_048, { minLength: 1, verbatim: true }),
  response_type: Parameter,
  redirect_uri: Parameter,
  scope: Parameter,
  state: Parameter,
  code_challenge: Parameter,
  code_challenge_method: Parameter,
  store: Parameter,
})

export type Parameters = Static<typeof AuthorizationRequest>

const shape = <T extends Type.TProperties>(properties: T) => Type.Object(properties, { additionalProperties: false })

const Names = Type.Array(Type.String())

export const Consent = shape({
  app: shape({
    client_id: Type.String(),
    name: Type.String(),
    description: Type.String(),
    developer: Type.String(),
    url: Type.String(),
    languages: Type.Unsafe<Record<string, { name?: string; description?: string }>>({ type: 'object' }),
    privacy_url: nullable(Type.String()),
    icon: nullable(Type.String()),
    is_registered: Type.Boolean(),
  }),
  required: Names,
  optional: Names,
  revision: Type.String(),
  stores: Type.Array(
    shape({
      id: Uuid,
      name: Type.String(),
      may_install: Type.Boolean(),
      missing: Names,
      grantable: Names,
      granted: nullable(Names),
    }),
  ),
  returns_to: nullable(Type.String()),
  denied: nullable(Type.String()),
})

export const Decision = Type.Object({
  request: AuthorizationRequest,
  store: Uuid,
  permissions: Type.Array(oneOf(PERMISSIONS), { maxItems: PERMISSIONS.length }),
  revision: Text(100),
})
