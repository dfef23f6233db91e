import { ApiError, ConnectionError } from './errors.ts'
import type { CallOptions, Query } from './request.ts'
import { sleep } from './sleep.ts'
import type { Event, ResourceOf } from './types.ts'

/** An event of the stream, with the cursor to continue behind it. Store the cursor once the event is processed. */
export type StreamedEvent = Event & { cursor: string }

export type StreamQuery = Omit<Query<'GET /event'>, 'wait' | 'page_size'>

/** A resource of a snapshot. */
export type SnapshotResource = {
  [Kind in keyof ResourceOf]: { type: Kind; data: ResourceOf[Kind] }
}[keyof ResourceOf]

/** A resource of the store, or at the very end the cursor from which the feed continues. */
export type SnapshotLine = SnapshotResource | { type: 'end'; cursor: string; counts: Record<string, number> }

type Open = (
  path: '/event' | '/snapshot',
  query: object,
  headers: Record<string, string>,
  options: CallOptions | undefined,
) => Promise<ReadableStream<Uint8Array>>

/** The server sends a comment every 15 seconds: a connection that is silent for longer is dead. */
const MAX_SILENCE_MS = 45_000
const MAX_WAIT_MS = 30_000

/** Lines of a text as it arrives. A last line without an end is left out: it may be cut off. */
async function* linesOf(stream: ReadableStream<Uint8Array>, maxSilence?: number): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  const reader = stream.getReader()
  let rest = ''
  try {
    for (;;) {
      const next = await withinSilence(reader.read(), maxSilence)
      if (next.done) return
      const lines = (rest + decoder.decode(next.value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}

const withinSilence = async <T>(work: Promise<T>, milliseconds: number | undefined): Promise<T> => {
  if (milliseconds === undefined) return work
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ConnectionError('The event stream is silent.')), milliseconds)
  })
  try {
    return await Promise.race([work, silence])
  } finally {
    clearTimeout(timer)
  }
}

interface Message {
  id: string
  data: string
}

/** Messages of a server-sent event stream. One without data moves the cursor only. */
async function* messagesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
  let message: Message = { id: '', data: '' }
  for await (const line of linesOf(stream, MAX_SILENCE_MS)) {
    if (line === '') {
      if (message.id) yield message
      message = { id: '', data: '' }
    } else if (line.startsWith('id: ')) message.id = line.slice(4)
    else if (line.startsWith('data: ')) message.data += line.slice(6)
  }
}

/** Whether another attempt may help: the connection broke, or the server is busy or restarts. */
const mayPass = (error: unknown) =>
  error instanceof ApiError ? error.status === 429 || error.status >= 500 : !(error instanceof SyntaxError)

const waitBefore = (failures: number, backoff: number) =>
  Math.min(backoff * 2 ** failures, MAX_WAIT_MS) * (0.5 + Math.random() / 2)

/**
 * Every event behind the cursor, and those that come, without end. Connects again by itself, also when the token expires
 * or the server restarts, and continues after the last event. Throws an ApiError with the code `cursor_expired` when events
 * behind the cursor are gone: take a snapshot then.
 */
export async function* streamEvents(
  open: Open,
  backoff: number,
  { cursor, ...query }: StreamQuery = {},
  options: CallOptions = {},
): AsyncGenerator<StreamedEvent, void, undefined> {
  let last = cursor
  let failures = 0
  for (;;) {
    options.signal?.throwIfAborted()
    try {
      const body = await open('/event', { ...query, cursor: last }, { accept: 'text/event-stream' }, options)
      for await (const { id, data } of messagesOf(body)) {
        failures = 0
        last = id
        if (data) yield { ...JSON.parse(data), cursor: id }
      }
    } catch (error) {
      options.signal?.throwIfAborted()
      if (!mayPass(error)) throw error
    }
    await sleep(waitBefore(failures++, backoff), options.signal)
  }
}

/**
 * All resources of the store, then a line of type `end` with the cursor from which the feed continues. Goes on behind the
 * last mark when the connection breaks, so that a few resources may come twice.
 */
export async function* snapshotLines(
  open: Open,
  backoff: number,
  query: Omit<Query<'GET /snapshot'>, 'after'> = {},
  options: CallOptions = {},
): AsyncGenerator<SnapshotLine, void, undefined> {
  let after: string | undefined
  for (let failures = 0; ; failures++) {
    options.signal?.throwIfAborted()
    try {
      const body = await open('/snapshot', { ...query, after }, {}, options)
      for await (const text of linesOf(body)) {
        const line = JSON.parse(text)
        if (line.type === 'mark') {
          after = line.mark
          failures = 0
        } else yield line
        if (line.type === 'end') return
      }
    } catch (error) {
      options.signal?.throwIfAborted()
      if (!mayPass(error)) throw error
    }
    await sleep(waitBefore(failures, backoff), options.signal)
  }
}
