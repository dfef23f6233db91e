import { ApiError, ConnectionError, errorFrom } from './errors.ts'
import { sendForm } from './send-form.ts'
import { sleep } from './sleep.ts'

interface SendOptions {
  baseUrl: string
  fetch: typeof globalThis.fetch
  /** Forms are sent with XMLHttpRequest, which reports their progress. */
  reportsProgress: boolean
  /** Maximum number of retries after a transient failure. */
  retries: number
  /** Timeout of one attempt in milliseconds; for an upload, of each chunk. */
  timeout: number
  /** Delay before the first retry in milliseconds, with jitter. Doubles with each retry. */
  backoff: number
}

export type RequestBody = NonNullable<RequestInit['body']>

export interface Outgoing {
  body: RequestBody
  contentType?: string
  /** Called with the number of bytes of a form that have been sent. */
  onSent?: (bytes: number) => void
  /** The error of reading the body, if that failed. */
  failure?: () => { error: unknown } | undefined
  /** Closes the source of the body, which fetch leaves open when it fails. */
  close?: () => void
}

export interface Call {
  method: string
  /** Relative to the base URL, with its query; or a whole URL. */
  path: string
  headers: Record<string, string>
  /** Headers that are computed for each attempt. */
  authorize?: () => Promise<Record<string, string>>
  /** Creates the body of one attempt. It calls `alive` as it makes progress. */
  makeBody?: (attempt: number, alive: () => void) => Outgoing | Promise<Outgoing>
  /** False if the body can be read only once. */
  repeatable: boolean
  signal: AbortSignal | undefined
  /** A page that is being closed still sends it. */
  keepalive?: boolean
}

type Read<T> = (response: Response, call: Call) => T | Promise<T>

/** A longer Retry-After is not waited for. */
const MAX_WAIT = 60_000
const TRANSIENT = new Set([408, 429, 502, 503, 504])

/** Half of the delay is random, so that many clients do not retry at the same moment. */
const waitBefore = (retry: number, backoff: number, error: unknown) => {
  const asked = error instanceof ApiError ? error.retryAfter : undefined
  if (asked !== undefined) return asked * 1000 + Math.random() * backoff
  return Math.min(backoff * 2 ** retry, 20_000) * (0.5 + Math.random() / 2)
}

const isTransient = (error: unknown, unanswered: boolean) => {
  if (error instanceof ConnectionError) return true
  if (!(error instanceof ApiError)) return false
  // Our own earlier attempt, whose reply was lost, is still being processed.
  if (unanswered && error.code === 'idempotency_conflict') return true
  return TRANSIENT.has(error.status)
}

/** Aborts an attempt that takes too long. */
const startTimer = (milliseconds: number) => {
  const controller = new AbortController()
  const abort = () => controller.abort(new DOMException(`No answer within ${milliseconds} ms.`, 'TimeoutError'))
  let timer: ReturnType<typeof setTimeout> | undefined = setTimeout(abort, milliseconds)
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
  }
  const restart = () => {
    // Progress after the end must not restart the timer.
    if (timer === undefined) return
    clearTimeout(timer)
    timer = setTimeout(abort, milliseconds)
  }
  return { signal: controller.signal, stop, restart }
}

interface Init {
  method: string
  keepalive: boolean
  headers: Record<string, string>
  signal: AbortSignal
}

/** Sends one request. Calls `stopTimer` for a body whose progress cannot be seen. */
const dispatch = (
  { fetch, reportsProgress }: SendOptions,
  url: string,
  outgoing: Outgoing | undefined,
  init: Init,
  stopTimer: () => void,
) => {
  if (!outgoing) return fetch(url, init)
  const { body, onSent } = outgoing
  if (onSent && reportsProgress) return sendForm(url, { ...init, body: body as FormData }, onSent)
  // Its progress is unknown, so only the caller's signal aborts.
  if (onSent) stopTimer()
  // `duplex` is required for stream bodies, and harmless for others.
  return fetch(url, { ...init, body, duplex: 'half' } as RequestInit)
}

const tryOnce = async <T>(
  options: SendOptions,
  call: Call,
  attempt: number,
  authorization: object | undefined,
  read: Read<T>,
) => {
  const url = call.path.startsWith('/') ? options.baseUrl + call.path : call.path
  const timer = startTimer(options.timeout)
  const signal = call.signal ? AbortSignal.any([call.signal, timer.signal]) : timer.signal
  let outgoing: Outgoing | undefined
  try {
    outgoing = await call.makeBody?.(attempt, timer.restart)
    const contentType = outgoing?.contentType !== undefined && { 'content-type': outgoing.contentType }
    const headers = { ...call.headers, ...authorization, ...contentType }
    const init = { method: call.method, keepalive: call.keepalive ?? false, headers, signal }
    const response = await dispatch(options, url, outgoing, init, timer.stop)
    if (!response.ok) throw errorFrom(call, response, await response.text())
    return await read(response, call)
  } catch (error) {
    if (call.signal?.aborted) throw call.signal.reason
    if (error instanceof ApiError) throw error
    const failure = outgoing?.failure?.()
    if (failure) throw failure.error
    const cause = timer.signal.aborted ? timer.signal.reason : error
    throw new ConnectionError(`${call.method} ${url} got no answer.`, { cause })
  } finally {
    timer.stop()
    outgoing?.close?.()
  }
}

/**
 * Sends requests, retries transient failures with exponential backoff and throws other errors. `read` reads the response
 * within the timeout of the attempt.
 */
export const createSend = (options: SendOptions) => {
  const { retries, backoff } = options
  return async <T>(call: Call, read: Read<T>): Promise<T> => {
    let unanswered = false
    for (let attempt = 0; ; attempt++) {
      call.signal?.throwIfAborted()
      // Getting a token has its own retries, so its failure is final.
      const authorization = await call.authorize?.()
      try {
        return await tryOnce(options, call, attempt, authorization, read)
      } catch (error) {
        if (attempt >= retries || !call.repeatable || !isTransient(error, unanswered)) throw error
        unanswered ||= error instanceof ConnectionError
        const wait = waitBefore(attempt, backoff, error)
        if (wait > MAX_WAIT) throw error
        await sleep(wait, call.signal)
      }
    }
  }
}

export type Send = ReturnType<typeof createSend>
