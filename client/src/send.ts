import { ApiError, ConnectionError, errorFrom } from './errors.ts'

export interface SendOptions {
  baseUrl: string
  fetch: typeof globalThis.fetch
  /** How often a call is tried again after a failure that may pass. */
  retries: number
  /** Milliseconds one try may take until its answer is there; an upload, until its next piece is sent. */
  timeout: number
  /** Milliseconds before the first retry, give or take; each further one waits twice as long. */
  backoff: number
}

export type RequestBody = NonNullable<RequestInit['body']>

export interface Outgoing {
  body: RequestBody
  contentType?: string
  /** Nothing tells whether it makes headway, so only the caller's signal ends it. */
  untimed?: boolean
  /** Why the body could not be read, if that is what went wrong. */
  failure?: () => { error: unknown } | undefined
  /** Ends what the body is read from; fetch leaves it open when it gives up. */
  close?: () => void
}

export interface Call {
  method: string
  /** Below the base address, with its query; or a whole address. */
  path: string
  headers: Record<string, string>
  /** Headers that each try asks for anew. */
  authorize?: () => Promise<Record<string, string>>
  /** Makes the body of one try. `alive` is to be called while it makes headway. */
  makeBody?: (attempt: number, alive: () => void) => Outgoing | Promise<Outgoing>
  /** False when the body can be read only once. */
  repeatable: boolean
  signal: AbortSignal | undefined
}

type Read<T> = (response: Response, call: Call) => T | Promise<T>

/** A longer Retry-After is left to the caller. */
const MAX_WAIT = 60_000
const PASSING = new Set([429, 502, 503, 504])

const sleep = (milliseconds: number, signal: AbortSignal | undefined) =>
  new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', stop, { once: true })
  })

/** Half of the wait is chance, so that many clients do not come back at the same moment. */
const waitBefore = (retry: number, backoff: number, error: unknown) => {
  const asked = error instanceof ApiError ? error.retryAfter : undefined
  if (asked !== undefined) return asked * 1000 + Math.random() * backoff
  return Math.min(backoff * 2 ** retry, 20_000) * (0.5 + Math.random() / 2)
}

const mayPass = (error: unknown, unanswered: boolean) => {
  if (error instanceof ConnectionError) return true
  if (!(error instanceof ApiError)) return false
  // Our own earlier try, whose answer was lost, is still being worked on.
  if (unanswered && error.code === 'idempotency_conflict') return true
  return PASSING.has(error.status)
}

/** Ends a try that takes too long. */
const createAlarm = (milliseconds: number) => {
  const controller = new AbortController()
  const ring = () => controller.abort(new DOMException(`No answer within ${milliseconds} ms.`, 'TimeoutError'))
  let timer: ReturnType<typeof setTimeout> | undefined = setTimeout(ring, milliseconds)
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
  }
  const restart = () => {
    // A late sign of life must not wake what has ended.
    if (timer === undefined) return
    clearTimeout(timer)
    timer = setTimeout(ring, milliseconds)
  }
  return { signal: controller.signal, stop, restart }
}

/**
 * Speaks HTTP: tries again what may pass, with growing waits, and throws what will not. `read` takes what it needs
 * from the response within the time of the try.
 */
export const createSend = ({ baseUrl, fetch, retries, timeout, backoff }: SendOptions) => {
  const addressOf = (path: string) => (path.startsWith('/') ? baseUrl + path : path)

  const tryOnce = async <T>(call: Call, attempt: number, authorization: object | undefined, read: Read<T>) => {
    const alarm = createAlarm(timeout)
    const signal = call.signal ? AbortSignal.any([call.signal, alarm.signal]) : alarm.signal
    let outgoing: Outgoing | undefined
    try {
      outgoing = await call.makeBody?.(attempt, alarm.restart)
      if (outgoing?.untimed) alarm.stop()
      const response = await fetch(addressOf(call.path), {
        method: call.method,
        headers: {
          ...call.headers,
          ...authorization,
          ...(outgoing?.contentType !== undefined && { 'content-type': outgoing.contentType }),
        },
        ...(outgoing && { body: outgoing.body }),
        // A body that is a stream is sent while no answer is read; other bodies do not mind.
        ...(outgoing && { duplex: 'half' }),
        signal,
      } as RequestInit)
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
      // Asking for a token has retries of its own, so its failure is final here.
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
