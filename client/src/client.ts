import { type BulkResult, type FinishedOptions, readResults, waitForJob } from './bulk.ts'
import { parseCsv, removeFormulaGuard } from './csv.ts'
import { type SnapshotLine, type StreamedEvent, type StreamQuery, snapshotLines, streamEvents } from './events.ts'
import type { Access, Body, CallOptions, OnIgnoredInput, Query, Request, UpdateOptions } from './request.ts'
import { createRequest, warnOfIgnoredInput } from './request.ts'
import { resourceCalls } from './resources.ts'
import { createSend, type Send } from './send.ts'
import { canReportProgress } from './send-form.ts'
import { type Credentials, createTokens, type GetToken, issueWith } from './token-cache.ts'
import type { StoredFile } from './types.ts'

interface CommonOptions {
  /** Ends in /api/apps/v1. */
  baseUrl: string
  fetch?: typeof globalThis.fetch
  /** Maximum number of retries after 429, 502 to 504 or a network failure. Default: 4. */
  retries?: number
  /** Timeout of one attempt in milliseconds. Default: 30,000. */
  timeout?: number
  /** Delay before the first retry in milliseconds, with jitter. Doubles with each retry. Default: 250. */
  backoff?: number
  /** Called when the API ignored unknown input. Default: a warning on the console. */
  onIgnoredInput?: OnIgnoredInput
}

/** For programs that can keep the secret. With an installId, tokens are restricted to that installation. */
type WithCredentials = CommonOptions & Credentials & { token?: undefined; getToken?: undefined }

/** For browsers, which must not have the secret: a token, or a function that gets one from your server. */
type WithToken = CommonOptions & { installId?: string; clientSecret?: undefined } & (
    | { token: string; getToken?: undefined }
    | { getToken: GetToken; token?: undefined }
  )

export type ClientOptions = WithCredentials | WithToken

const bytes = (response: Response) => response.body as ReadableStream<Uint8Array>

const calls = (send: Send, access: Access, backoff: number) => {
  const request: Request = createRequest(send, access)
  const open = createRequest(send, { ...access, tokens: undefined, installId: undefined })
  const download = (file: StoredFile, { signal }: CallOptions = {}) =>
    send({ method: 'GET', path: file.url, headers: {}, repeatable: true, signal }, bytes)
  const { jobs, ...resources } = resourceCalls(request, open)
  /** The body of a reply that has no end, or a distant one. */
  const openBody = (
    path: '/event' | '/snapshot',
    query: object,
    headers: Record<string, string>,
    given?: CallOptions,
  ) =>
    request('GET', path as '/snapshot', { signal: given?.signal, query, headers } as CallOptions) as unknown as Promise<
      ReadableStream<Uint8Array>
    >
  return {
    ...resources,
    request,
    orders: {
      ...resources.orders,
      /** The rows of the export, parsed. */
      exportRows: async function* (query?: Query<'GET /order/export'>, options?: CallOptions) {
        for await (const row of parseCsv(await resources.orders.export(query, options)))
          yield Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, removeFormulaGuard(cell)]))
      },
    },
    events: {
      ...resources.events,
      /** What happens in the store, live and without end, from a cursor on. Connects again by itself. */
      stream: (query?: StreamQuery, options?: CallOptions): AsyncGenerator<StreamedEvent, void, undefined> =>
        streamEvents(openBody, backoff, query, options),
      /** The whole store, and at the end the cursor from which the stream continues. */
      snapshot: (
        query?: Omit<Query<'GET /snapshot'>, 'after'>,
        options?: CallOptions,
      ): AsyncGenerator<SnapshotLine, void, undefined> => snapshotLines(openBody, backoff, query, options),
    },
    bulk: {
      ...jobs,
      /** Waits until the job has ended, and returns it. Aborting the signal ends the wait, not the job. */
      finished: (id: string, options?: FinishedOptions) => waitForJob(jobs.get, id, options),
      /** What became of each line, as far as the job is done. */
      results: (id: string, options?: CallOptions): AsyncGenerator<BulkResult, void, undefined> =>
        readResults(jobs.exportBulkResult, id, options),
    },
    webhooks: {
      ...resources.webhooks,
      /** Resume a webhook: where it stopped, unless another place is given. */
      resume: (id: string, body: Body<'POST /webhook/{id}/resume'> = {}, options?: UpdateOptions) =>
        resources.webhooks.resume(id, body, options),
      /** Rotate the secret of a webhook. The old one signs too for a day, unless another time is given. */
      rotate: (id: string, body: Body<'POST /webhook/{id}/rotate-secret'> = {}, options?: UpdateOptions) =>
        resources.webhooks.rotate(id, body, options),
      /** The delivery log of a webhook, the newest event first; `state: 'failed'` are the dead letters. */
      deliveries: resources.webhooks.getWebhookDeliveries,
    },
    files: {
      ...resources.files,
      /** Downloads a file. Its URL expires an hour after the file was listed or fetched. */
      download,
    },
    /** The app and installation of the token. */
    me: (options?: CallOptions) => request('GET', '/auth/me', { ...options }),
  }
}

export interface Client extends ReturnType<typeof calls> {
  /** The same client for one installation of the app; for clients with full access. */
  installation(installId: string): Client
}

const build = (send: Send, access: Access, backoff: number): Client => ({
  ...calls(send, access, backoff),
  installation: (installId) => build(send, { ...access, installId }, backoff),
})

const accessOf = (send: Send, options: ClientOptions): Access => {
  const { token, getToken, installId, onIgnoredInput = warnOfIgnoredInput } = options
  if (token !== undefined) return { tokens: createTokens(async () => token), installId, onIgnoredInput }
  if (getToken) return { tokens: createTokens(getToken), installId, onIgnoredInput }
  const tokens = createTokens(issueWith(send, options as WithCredentials))
  return { tokens, installId: undefined, onIgnoredInput }
}

const API_PATH = '/api/apps/v1'

/** Removes trailing slashes. Throws if the URL cannot be right, instead of failing at the first call. */
const checkBaseUrl = (baseUrl: string) => {
  const trimmed = String(baseUrl).replace(/(?<!\/)\/+$/, '')
  const wrong = (why: string) =>
    new TypeError(`baseUrl "${baseUrl}" ${why}; it should look like https://shop.example.com${API_PATH}.`)
  // In a browser the URL may be a path on the page's own origin.
  const page = (globalThis as { location?: { origin: string } }).location
  const address = trimmed.startsWith('/') ? `${page?.origin}${trimmed}` : trimmed
  let url: URL
  try {
    url = new URL(address)
  } catch {
    throw wrong(trimmed.startsWith('/') ? 'is a path, which works only in a web page' : 'is not an address')
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw wrong('does not start with http:// or https://')
  if (url.search || url.hash) throw wrong('has a query or a fragment')
  if (!url.pathname.endsWith(API_PATH)) throw wrong(`does not end in ${API_PATH}`)
  return trimmed
}

export const createClient = (options: ClientOptions): Client => {
  const { baseUrl, retries = 4, timeout = 30_000, backoff = 250 } = options
  const fetch = options.fetch ?? globalThis.fetch.bind(globalThis)
  const reportsProgress = options.fetch === undefined && canReportProgress()
  const send = createSend({ baseUrl: checkBaseUrl(baseUrl), fetch, reportsProgress, retries, timeout, backoff })
  return build(send, accessOf(send, options), backoff)
}
