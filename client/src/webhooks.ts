import type { Event, ResourceOf } from './types.ts'

/** A request that is not a webhook of yours, or is too old. Answer it with 400. */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError'
}

/** Of a Request, of Node's `http`, or any object. */
export type WebhookHeaders = { get(name: string): string | null } | Record<string, string | string[] | undefined>

export interface VerifyOptions {
  /** How many seconds the timestamp may differ from now. Default: 300. */
  tolerance?: number
}

const PREFIX = 'whsec_'
const MIN_SECRET_BYTES = 24

const headerOf = (headers: WebhookHeaders, name: string): string => {
  const { get } = headers
  const value =
    typeof get === 'function'
      ? (headers as { get(name: string): string | null }).get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  if (typeof value === 'string' && value !== '') return value
  throw new WebhookVerificationError(`The header ${name} is missing.`)
}

const bytesOfBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

const keyOf = (secret: string) => {
  const bytes = bytesOfBase64(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret)
  if (!bytes || bytes.length < MIN_SECRET_BYTES)
    throw new TypeError('The secret must be that of a webhook: whsec_ and the rest as it was shown.')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

const checkTime = (timestamp: string, tolerance: number) => {
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN
  const age = Date.now() / 1000 - seconds
  if (!(Math.abs(age) <= tolerance))
    throw new WebhookVerificationError('The timestamp is too far from now: an old request, or a clock that is wrong.')
}

const joined = (start: string, body: Uint8Array): Uint8Array<ArrayBuffer> => {
  const head = new TextEncoder().encode(start)
  const all = new Uint8Array(head.length + body.length)
  all.set(head)
  all.set(body, head.length)
  return all
}

/**
 * Checks that a request is a webhook signed with your secret and returns its event. `body` must be the bytes as they came,
 * not parsed and written again. Works in Node, in browsers and in edge runtimes. An event may come more than once: its `id`
 * is the same each time.
 */
export const verifyWebhook = async (
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secret: string,
  { tolerance = 300 }: VerifyOptions = {},
): Promise<WebhookEvent> => {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const given = headerOf(headers, 'webhook-signature')
  const key = await keyOf(secret)
  checkTime(timestamp, tolerance)
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const signed = joined(`${id}.${timestamp}.`, bytes)
  for (const one of given.split(' ')) {
    const [version, text = ''] = one.split(',')
    const signature = version === 'v1' ? bytesOfBase64(text) : undefined
    if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed)))
      return JSON.parse(new TextDecoder().decode(bytes))
  }
  throw new WebhookVerificationError('No signature fits: the secret is another one, or the body was changed.')
}

type TypesOf<Kind extends string> = Extract<Event['type'], `${Kind}.${string}`>

/**
 * An event as receivers get it. `data` is the whole resource, or only its id if it is gone or the payload is thin: look for
 * a field that you need.
 */
export type WebhookEvent =
  | {
      [Kind in keyof ResourceOf]: Omit<Event, 'type' | 'data'> & {
        type: TypesOf<Kind>
        data: { id: string } & Partial<ResourceOf[Kind]>
      }
    }[keyof ResourceOf]
  | (Omit<Event, 'type'> & { type: TypesOf<'webhook'> })
