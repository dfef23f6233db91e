import { MCP_PATH } from '../../config/config.ts'
import { invalid } from '../../errors.ts'
import { readScope } from '../apps/client-document.ts'
import type { Permission } from '../permissions/catalogue.ts'
import type { Client } from './clients.ts'
import type { Parameters } from './consent-schema.ts'

export interface Asked {
  required: Permission[]
  optional: Permission[]
}

export type CheckedRequest =
  /** The client made a mistake that it is told of at its own address. */
  { refusal: string } | { asked: Asked; redirect: { uri: string; challenge: string } | undefined }

const CHALLENGE = /^[\w-]{43}$/

/**
 * What the manifest says, or less. A client that nobody registered acts for one person, who ticks what it may do of all
 * that it asks for.
 */
const askedBy = ({ manifest }: Client, scope: string | undefined): Asked | undefined => {
  const { required, optional } = manifest.permissions
  if (scope === undefined) return { required, optional }
  const named = readScope(scope)
  if (!named?.every((name) => required.includes(name) || optional.includes(name))) return undefined
  return { required, optional: optional.filter((name) => named.includes(name)) }
}

/** The store that a request means: named by the client, or by the address of the store for assistants (RFC 8707). */
export const storeOf = ({ store, resource }: Parameters, issuer: string): string | undefined => {
  if (store !== undefined) return store
  if (resource === undefined || !URL.canParse(resource)) return undefined
  const { origin, pathname, searchParams } = new URL(resource)
  return `${origin}${pathname}` === issuer + MCP_PATH ? (searchParams.get('store') ?? undefined) : undefined
}

/** The address that the answer goes to, followed by the answer. */
export const answerAt = (uri: string, answer: Record<string, string | undefined>) => {
  const given = Object.entries(answer).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`
}

/**
 * Checks a request for access. Throws if the client or its address is wrong: then nobody is sent anywhere, because the
 * address may be that of an attacker.
 */
export const checkAuthorizationRequest = (client: Client, given: Parameters, issuer: string): CheckedRequest => {
  const { redirect_uri: uri, state } = given
  const asked = askedBy(client, given.scope)
  if (uri === undefined && given.response_type === undefined) {
    if (!asked || client.is_public) throw invalid({ scope: ['must be permissions that the app asks for'] })
    return { asked, redirect: undefined }
  }
  if (uri === undefined || !client.manifest.redirect_uris.includes(uri))
    throw invalid({ redirect_uri: ['must be one of the addresses that the app has given, letter for letter'] })
  const refuse = (error: string, error_description: string): CheckedRequest => ({
    refusal: answerAt(uri, { error, error_description, state, iss: issuer }),
  })
  if (given.response_type !== 'code') return refuse('unsupported_response_type', 'response_type must be code.')
  const challenge = given.code_challenge ?? ''
  if (given.code_challenge_method !== 'S256' || !CHALLENGE.test(challenge))
    return refuse('invalid_request', 'PKCE is required: code_challenge, with code_challenge_method S256.')
  if (!asked) return refuse('invalid_scope', 'scope must be permissions that the app asks for.')
  return { asked, redirect: { uri, challenge } }
}
