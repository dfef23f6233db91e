import { Type } from 'typebox'
import { creation, data, ref, resource, Timestamp, Uuid } from '../../core/input/schemas.ts'

export const App = resource(
  'App',
  Type.Object({ id: Uuid, client_id: Type.String(), created_at: Timestamp }, { additionalProperties: false }),
)

export const DEFAULT_TTL = 3_600
const MAX_TTL = 86_400
/** Anybody can send this request, so it is small. */
export const MAX_TOKEN_REQUEST_BYTES = 16 * 1024

export const TokenRequest = creation({
  client_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      verbatim: true,
      description: 'Public identifier of the app. May be sent as the Basic user name instead.',
    }),
  ),
  client_secret: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      verbatim: true,
      description: 'Secret of the app. May be sent as the Basic password instead.',
    }),
  ),
  install_id: Type.Optional(Type.String({ format: 'uuid', description: 'Binds the token to one installation.' })),
  ttl: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_TTL, default: DEFAULT_TTL, description: 'Lifetime in seconds.' }),
  ),
})

export const TokenReply = data({
  app: ref(App),
  token: Type.String({ description: 'The bearer token.' }),
  ttl: Type.Integer({ minimum: 1, maximum: MAX_TTL }),
})

export const MeReply = data({ app: ref(App), install_id: Type.Optional(Uuid) })
