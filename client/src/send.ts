import { ApiError, ConnectionError, errorFrom } from './errors.ts'
import { sendForm } from './send-form.ts'
import { sleep } from './sleep.ts'

interface SendOptions {
  baseUrl: string
  fetch: typeof globalThis.fetch
  /** Forms are sent with XMLHttpRequest, which tells their progress. */
  tellsProgress: boolean
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
  /** Told how many bytes of a form have been sent. */
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
}

type Read<T> = (response: Response, call: Call) => T | Promise<T>

/** A longer Retry-After is not waited for. */
const MAX_WAIT = 60_000
const PASSING = new Set([429, 502, 503, 504])

/** Half of the delay is random, so that many clients do not retry at the same moment. */
const waitBefore = (retry: number, backoff: number, error: unknown) => {
  const asked = error instanceof ApiError ? error.retryAfter : undefined
  if (asked !== undefined) return asked * 1000 + Math.random() * backoff
  return Math.min(backoff * 2 ** retry, 20_000) * (0.5 + Math.random() / 2)
}

const mayPass = (error: unknown, unanswered: boolean) => {
  if (error instanceof ConnectionError) return true
  if (!(error instanceof ApiError)) return false
  // Our own earlier attempt, whose reply was lost, is still being processed.
  if (unanswered && error.code === 'idempotency_conflict') return true
  return PASSING.has(error.status)
}

/** Aborts an attempt that takes too long. */
const createAlarm = (milliseconds: number) => {
  const controller = new AbortController()
  const ring = () => controller.abort(new DOMException(`No answer within ${milliseconds} ms.`, 'TimeoutError'))
  let timer: ReturnType<typeof setTimeout> | undefined = setTimeout(ring, milliseconds)
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
  }
  const restart = () => {
    // Progress after the end must not restart the timer.
    if (timer === undefined) return
    clearTimeout(timer)
    timer = setTimeout(ring, milliseconds)
  }
  return { signal: controller.signal, stop, restart }
}

/**
 * Sends requests, retries transient failures with exponential backoff and throws other errors. `read` reads the response
 * within the timeout of the attempt.
 */
export const createSend = ({ baseUrl, fetch, tellsProgress, retries, timeout, backoff }: SendOptions) => {
  const addressOf = (path: string) => (path.startsWith('/') ? baseUrl + path : path)

  const dispatch = (
    url: string,
    outgoing: Outgoing | undefined,
    init: { method: string; headers: Record<string, string>; signal: AbortSignal },
    untimed: () => void,
  ) => {
    if (!outgoing) return fetch(url, init)
    const { body, onSent } = outgoing
    if (onSent && tellsProgress) return sendForm(url, { ...init, body: body as FormData }, onSent)
    // Its progress is unknown, so only the caller's signal aborts.
    if (onSent) untimed()
    // `duplex` is required for stream bodies, and harmless for others.
    return fetch(url, { ...init, body, duplex: 'half' } as RequestInit)
  }

  const tryOnce = async <T>(call: Call, attempt: number, authorization: object | undefined, read: Read<T>) => {
    const alarm = createAlarm(timeout)
    const signal = call.signal ? AbortSignal.any([call.signal, alarm.signal]) : alarm.signal
    let outgoing: Outgoing | undefined
    try {
      outgoing = await call.makeBody?.(attempt, alarm.restart)
      const response = await dispatch(
        addressOf(call.path),
        outgoing,
        {
          method: call.method,
          headers: {
            ...call.headers,
            ...authorization,
            ...(outgoing?.contentType !== undefined && { 'content-type': outgoing.contentType }),
          },
          signal,
        },
        alarm.stop,
      )
      if (!response.ok) throw errorFrom(call, response, await response.text())
      return await read(response, call)
    } catch (error) {
      if (call.signal?.aborted) throw call.signal.reason
      if (error instanceof ApiError) throw error
      const failure = outgoing?.failure?.()
      if (failure) throw failure.error
      const cause = alarm.signal.aborted ? alarm.signal.reason : error
      throw new ConnectionError(`${call.method} ${addressOf(call.path)} got no answer.`, { cause })
    } finally {
      alarm.stop()
      outgoing?.close?.()
    }
  }

  return async <T>(call: Call, read: Read<T>): Promise<T> => {
    let unanswered = false
    for (let attempt = 0; ; attempt++) {
      call.signal?.throwIfAborted()
      // Getting a token has its own retries, so its failure is final.
      const authorization = await call.authorize?.()
      try {
        return await tryOnce(call, attempt, authorization, read)
      } catch (error) {
        if (attempt >= retries || !call.repeatable || !mayPass(error, unanswered)) throw error
        unanswered ||= error instanceof ConnectionError
        const wait = waitBefore(attempt, backoff, error)
        if (wait > MAX_WAIT) throw error
        await sleep(wait, call.signal)
      }
    }
  }
}

export type Send = ReturnType<typeof createSend>
