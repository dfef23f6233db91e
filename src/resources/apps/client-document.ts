import { type Static, Type } from 'typebox'
import { oneOf, Text } from '../../core/input/schemas.ts'
import { createChecker } from '../../core/input/validation.ts'
import { invalid, ValidationErrors } from '../../errors.ts'
import { isPermission, PERMISSIONS, type Permission } from '../permissions/catalogue.ts'
import { checkName, type Manifest, refusalOfAddress } from './manifest.ts'

/** A client id that is the address of the client's own metadata document: nobody registers it. */
export const isClientAddress = (clientId: string) => /^https?:\/\//.test(clientId)

const MAX_CLIENT_ID_LENGTH = 255

const ClientDocument = Type.Object({
  client_id: Text(MAX_CLIENT_ID_LENGTH, { verbatim: true }),
  client_name: Text(60, { minLength: 1 }),
  client_uri: Type.Optional(Text(2_048, { verbatim: true })),
  redirect_uris: Type.Array(Text(2_048, { verbatim: true }), { minItems: 1, maxItems: 20 }),
  scope: Type.Optional(Text(2_000)),
  token_endpoint_auth_method: Type.Optional(oneOf(['none'])),
})

const checkShape = createChecker(ClientDocument)

export const readScope = (scope: string): Permission[] | undefined => {
  const names = scope.split(' ').filter((name) => name !== '')
  return names.every(isPermission) ? [...new Set(names as Permission[])] : undefined
}

/** Why an address cannot be a client id: it would be read as another one, or is none. */
const refusalOfClientId = (clientId: string) => {
  const refusal = refusalOfAddress(clientId)
  if (refusal) return refusal
  const url = new URL(clientId)
  if (clientId.length > MAX_CLIENT_ID_LENGTH) return `must have at most ${MAX_CLIENT_ID_LENGTH} characters`
  if (url.href !== clientId || url.pathname === '/') return 'must be a normalised address with a path'
  return undefined
}

export const requireClientAddress = (clientId: string) => {
  const refusal = refusalOfClientId(clientId)
  if (refusal) throw invalid({ client_id: [refusal] })
}

/**
 * A client's metadata document as a manifest. It has no icon: whoever writes such a document has not been looked at by
 * anybody, and must not show the sign of somebody else.
 */
export const manifestOfClient = (clientId: string, value: unknown): Manifest => {
  const errors = new ValidationErrors()
  checkShape(value, { errors, ignored: [] })
  errors.throwIfAny()
  const document = value as Static<typeof ClientDocument>
  if (document.client_id !== clientId) errors.add('client_id', 'must be the address of the document')
  checkName(document.client_name, 'client_name', errors)
  for (const [index, text] of document.redirect_uris.entries()) {
    const refusal = refusalOfAddress(text)
    if (refusal) errors.add(`redirect_uris.${index}`, refusal)
  }
  const scope = document.scope === undefined ? [...PERMISSIONS] : readScope(document.scope)
  if (!scope) errors.add('scope', 'must be permissions such as order:view, separated by spaces')
  const { host, origin } = new URL(clientId)
  const url = document.client_uri ?? `${origin}/`
  const refusal = refusalOfAddress(url)
  if (refusal) errors.add('client_uri', refusal)
  errors.throwIfAny()
  return {
    name: document.client_name,
    description: '',
    developer: host,
    url,
    permissions: { required: [], optional: scope as Permission[] },
    redirect_uris: document.redirect_uris,
  }
}
