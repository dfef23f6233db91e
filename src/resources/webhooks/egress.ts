import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import type { BlockList, LookupFunction } from 'node:net'
import { urlToHttpOptions } from 'node:url'
import { promisify } from 'node:util'
import { LimitedMap } from '../../core/storage/limited-map.ts'
import { addressInUrl, mayConnect } from './addresses.ts'

/** Why a delivery failed. Never contains what a receiver replied. */
export const FAULTS = {
  dns: 'The host has no address.',
  address: 'The host leads to an address that webhooks may not connect to.',
  connect: 'The connection was refused, or the host is unreachable.',
  tls: 'The TLS connection failed; the certificate may be invalid.',
  timeout: 'No reply within 15 seconds.',
  closed: 'The connection ended before a reply.',
  redirect: 'A redirect; these are not followed.',
  status: 'A status other than 2xx.',
  expired: 'The event was no longer kept when it was to be sent.',
  skipped: 'The webhook was resumed behind the event.',
} as const
export type Fault = keyof typeof FAULTS

export interface Outcome {
  status: number | null
  fault: Fault | null
  ms: number
  /** Seconds, as the receiver asked for. */
  retryAfter?: number | undefined
}

/** What a host sent, or why there is nothing. */
export type Fetched = { body: Buffer } | { fault: Fault | 'size' }

interface FetchLimits {
  maxBytes: number
  timeoutMs: number
  signal?: AbortSignal | undefined
}

type Resolve = (host: string) => Promise<LookupAddress[]>

export interface EgressOptions {
  /** Networks that the operator has opened. */
  opened: BlockList | undefined
  timeoutMs?: number
  /** Replaces the system's name resolution. */
  resolve?: Resolve
}

export const TIMEOUT_MS = 15_000
/** Of a reply, so that its connection can be used again. The rest closes it. */
const MAX_REPLY_BYTES = 16 * 1024
const MAX_REPLY_MS = 2_000
const MAX_RETRY_AFTER_SECONDS = 24 * 3600
const MAX_TARGETS = 1_000
const MAX_REDIRECTS = 3

/** A URL, taken apart and checked once. Names are looked up and checked for every connection. */
interface Target {
  isBarred: boolean
  request: typeof http.request
  options: https.RequestOptions
}

class AddressError extends Error {
  override name = 'AddressError'
}

const lookup = promisify(systemLookup)
const resolveBySystem: Resolve = (host) => lookup(host, { all: true, verbatim: true })

const CONNECT_CODES = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EACCES', 'EINVAL'])

const faultOf = (error: NodeJS.ErrnoException): Fault => {
  const errors = error instanceof AggregateError ? (error.errors as NodeJS.ErrnoException[]) : [error]
  const { code = '', name, syscall } = errors[0] ?? error
  if (name === 'AddressError') return 'address'
  if (syscall === 'getaddrinfo' || syscall?.startsWith('query') || /^(ENOTFOUND|EAI_|ENODATA|ESERVFAIL)/.test(code))
    return 'dns'
  if (CONNECT_CODES.has(code)) return 'connect'
  if (code === 'ETIMEDOUT') return 'timeout'
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH)/.test(code)) return 'tls'
  return 'closed'
}

const secondsOf = (header: string | undefined): number | undefined => {
  if (header === undefined) return undefined
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - Date.now()) / 1000)
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, MAX_RETRY_AFTER_SECONDS) : undefined
}

/** Reads and discards the beginning of the reply. */
const discard = (reply: http.IncomingMessage) => {
  reply.on('error', () => {})
  if (reply.statusCode === 204 || reply.headers['content-length'] === '0') return void reply.resume()
  const timer = setTimeout(() => reply.destroy(), MAX_REPLY_MS).unref()
  let bytes = 0
  reply.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MAX_REPLY_BYTES) reply.destroy()
  })
  reply.on('close', () => clearTimeout(timer))
}

export type Egress = ReturnType<typeof createEgress>

/**
 * Sends requests to receivers. Connects only to the addresses that were checked, so that DNS rebinding has no effect. No
 * proxy, no redirects.
 */
export const createEgress = ({ opened, timeoutMs = TIMEOUT_MS, resolve = resolveBySystem }: EgressOptions) => {
  const settings = { keepAlive: true, keepAliveMsecs: 5_000, timeout: 30_000, maxFreeSockets: 64 }
  const agents = { 'http:': new http.Agent(settings), 'https:': new https.Agent(settings) }

  const checkedLookup =
    (url: URL): LookupFunction =>
    (host, options, done) => {
      resolve(host).then(
        (found) => {
          const wanted = options.family ? found.filter(({ family }) => family === Number(options.family)) : found
          const [first] = wanted
          if (!first) return done(Object.assign(new Error('No address'), { code: 'ENOTFOUND' }), '', 0)
          // One forbidden address is enough to refuse: Node chooses which address it connects to.
          if (!found.every(({ address }) => mayConnect(url, address, opened)))
            return done(new AddressError('The host leads to an address that is not public.'), '', 0)
          if (options.all) done(null, wanted)
          else done(null, first.address, first.family)
        },
        (error) => done(error, '', 0),
      )
    }

  const targets = new LimitedMap<string, Target>(MAX_TARGETS)

  const targetOf = (text: string): Target => {
    const known = targets.get(text)
    if (known) return known
    const url = new URL(text)
    // No name is resolved when the URL has an IP address.
    const address = addressInUrl(url)
    const isBarred = address !== undefined && !mayConnect(url, address, opened)
    const isPlain = url.protocol === 'http:'
    const options = {
      ...urlToHttpOptions(url),
      method: 'POST',
      agent: isPlain ? agents['http:'] : agents['https:'],
      lookup: checkedLookup(url),
    }
    const target = { isBarred, request: isPlain ? http.request : https.request, options }
    targets.set(text, target)
    return target
  }

  /** Posts a body and returns the outcome. Throws only if `signal` was aborted. */
  const post = (
    text: string,
    headers: Record<string, string>,
    body: Buffer,
    signal?: AbortSignal,
  ): Promise<Outcome> => {
    const started = performance.now()
    const failed = (fault: Fault): Outcome => ({ status: null, fault, ms: Math.round(performance.now() - started) })
    const target = targetOf(text)
    if (target.isBarred) return Promise.resolve(failed('address'))
    const send = (isRetried: boolean): Promise<Outcome> =>
      new Promise((resolve, reject) => {
        const request = target.request({
          ...target.options,
          headers: { ...headers, 'Content-Length': body.length },
        })
        let isLate = false
        const timer = setTimeout(
          () => {
            isLate = true
            request.destroy()
          },
          timeoutMs - (performance.now() - started),
        )
        const abort = () => request.destroy()
        signal?.addEventListener('abort', abort, { once: true })
        const end = () => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', abort)
        }
        request.on('response', (reply) => {
          end()
          discard(reply)
          const { statusCode: status = 0 } = reply
          const fault = status >= 200 && status < 300 ? null : status >= 300 && status < 400 ? 'redirect' : 'status'
          const retryAfter = secondsOf(reply.headers['retry-after'])
          resolve({ status, fault, ms: Math.round(performance.now() - started), retryAfter })
        })
        request.on('error', (error) => {
          end()
          if (signal?.aborted) return reject(signal.reason)
          if (isLate) return resolve(failed('timeout'))
          // The receiver closed a keep-alive connection at the moment it was reused, so it received nothing.
          const isStale =
            request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')
          if (isStale && !isRetried) return resolve(send(true))
          resolve(failed(faultOf(error)))
        })
        if (signal?.aborted) return void request.destroy()
        request.end(body)
      })
    return send(false)
  }

  /** One request of a fetch: a body, a fault, or the place on the same host where it goes on. */
  const getOnce = (text: string, maxBytes: number, signal: AbortSignal): Promise<Fetched | { next: string }> => {
    const target = targetOf(text)
    if (target.isBarred) return Promise.resolve({ fault: 'address' })
    return new Promise((resolve) => {
      const failed = (error: NodeJS.ErrnoException) => resolve({ fault: signal.aborted ? 'timeout' : faultOf(error) })
      const headers = { Accept: '*/*', 'Accept-Encoding': 'identity', 'User-Agent': 'Storefront-Apps/1' }
      const request = target.request({ ...target.options, method: 'GET', headers, signal }, (reply) => {
        const { statusCode: status = 0 } = reply
        const end = (result: Fetched | { next: string }) => {
          reply.destroy()
          resolve(result)
        }
        reply.on('error', failed)
        if (status >= 300 && status < 400) {
          const from = new URL(text)
          const { location = '' } = reply.headers
          const to = URL.canParse(location, text) ? new URL(location, text) : undefined
          return end(to?.origin === from.origin && !to.username ? { next: to.href } : { fault: 'redirect' })
        }
        if (status !== 200) return end({ fault: 'status' })
        const chunks: Buffer[] = []
        let bytes = 0
        reply.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes > maxBytes) return end({ fault: 'size' })
          chunks.push(chunk)
        })
        reply.on('end', () => resolve({ body: Buffer.concat(chunks) }))
        reply.on('close', () => resolve({ fault: 'closed' }))
      })
      request.on('error', failed)
      request.end()
    })
  }

  /** Reads a document of a stranger: bounded in size and time, redirected within its own origin only. */
  const get = async (text: string, { maxBytes, timeoutMs, signal }: FetchLimits): Promise<Fetched> => {
    const limit = AbortSignal.timeout(timeoutMs)
    const stop = signal ? AbortSignal.any([limit, signal]) : limit
    let place = text
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const result = await getOnce(place, maxBytes, stop)
      if (!('next' in result)) return result
      place = result.next
    }
    return { fault: 'redirect' }
  }

  return {
    post,
    get,
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}
