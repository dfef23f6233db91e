import type { Access, CallOptions, Request } from './request.ts'
import { createRequest } from './request.ts'
import {
  carrierCalls,
  categoryCalls,
  countryCalls,
  customerCalls,
  fileCalls,
  landingPageCalls,
  orderCalls,
  productCalls,
  reviewCalls,
} from './resources.ts'
import { createSend, type Send } from './send.ts'
import { type Credentials, createTokens, type GetToken, issueWith } from './tokens.ts'
import type { StoredFile } from './types.ts'

interface CommonOptions {
  /** Ends in /api/apps/v1. */
  baseUrl: string
  fetch?: typeof globalThis.fetch
  /** How often a call is tried again after 429, 502 to 504 or a network failure. Default: 4. */
  retries?: number
  /** Milliseconds one try may take. Default: 30,000. */
  timeout?: number
  /** Milliseconds before the first retry, give or take; doubles with each. Default: 250. */
  backoff?: number
}

/** For programs that may hold the secret. With an installId the tokens reach that installation only. */
type WithCredentials = CommonOptions & Credentials & { token?: undefined; getToken?: undefined }

/** For pages, which must not hold the secret: a token, or where to get one (your own server). */
type WithToken = CommonOptions & { installId?: string; clientSecret?: undefined } & (
    | { token: string; getToken?: undefined }
    | { getToken: GetToken; token?: undefined }
  )

export type ClientOptions = WithCredentials | WithToken

const bytes = (response: Response) => response.body as ReadableStream<Uint8Array>

const calls = (send: Send, access: Access) => {
  const request: Request = createRequest(send, access)
  const open = createRequest(send, { tokens: undefined, installId: undefined })
  const download = (file: StoredFile, { signal }: CallOptions = {}) =>
    send({ method: 'GET', path: file.url, headers: {}, repeatable: true, signal }, bytes)
  return {
    request,
    products: productCalls(request),
    orders: orderCalls(request),
    customers: customerCalls(request),
    reviews: reviewCalls(request),
    landingPages: landingPageCalls(request),
    categories: categoryCalls(request),
    carriers: carrierCalls(request),
    countries: countryCalls(request),
    files: fileCalls(request, download),
    permissions: {
      list: async (options?: CallOptions) => (await open('GET', '/permission', { ...options })).permissions,
    },
    /** Whose token this is. */
    me: (options?: CallOptions) => request('GET', '/auth/me', { ...options }),
  }
}

export interface Client extends ReturnType<typeof calls> {
  /** The same app on one of its installations; for clients with full access. */
  installation(installId: string): Client
}

const build = (send: Send, access: Access): Client => ({
  ...calls(send, access),
  installation: (installId) => build(send, { ...access, installId }),
})

const accessOf = (send: Send, options: ClientOptions): Access => {
  const { token, getToken } = options
  if (token !== undefined) return { tokens: createTokens(async () => token), installId: options.installId }
  if (getToken) return { tokens: createTokens(getToken), installId: options.installId }
  return { tokens: createTokens(issueWith(send, options as WithCredentials)), installId: undefined }
}

export const createClient = (options: ClientOptions): Client => {
  const { baseUrl, retries = 4, timeout = 30_000, backoff = 250 } = options
  const fetch = options.fetch ?? globalThis.fetch.bind(globalThis)
  const send = createSend({ baseUrl: baseUrl.replace(/\/+$/, ''), fetch, retries, timeout, backoff })
  return build(send, accessOf(send, options))
}
