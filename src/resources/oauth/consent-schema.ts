import { type Static, Type } from 'typebox'
import { data, nullable, oneOf, Text, Timestamp, Uuid } from '../../core/input/schemas.ts'
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
  resource: Parameter,
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
  /** The only store that is meant. */
  store: nullable(Type.String()),
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

export const ConnectedAssistant = shape({
  id: Uuid,
  name: Type.String(),
  client_id: Type.String(),
  store_id: Uuid,
  store: Type.String(),
  /** Who has connected it. */
  person: Type.String(),
  /** What it may do at the moment. */
  permissions: Names,
  connected_at: Timestamp,
  last_used_at: nullable(Timestamp),
  calls: Type.Integer(),
})

export const AssistantReply = data({
  stores: Type.Array(shape({ id: Uuid, name: Type.String(), address: Type.String(), may_connect: Type.Boolean() })),
  assistants: Type.Array(ConnectedAssistant),
  /** Calls are counted only while they are logged. */
  is_counted: Type.Boolean(),
})

export const AssistantParams = Type.Object({ id: Uuid, assistant: Uuid })
