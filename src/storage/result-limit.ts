import type { Duplex } from 'node:stream'
import type pg from 'pg'
import type { Ticket } from './fair-queue.ts'

export const MAX_RESULT_BYTES = 32 * 2 ** 20
/** Larger results are queued: the rest of them is read when it is their turn. */
const LARGE_RESULT_BYTES = 4 * 2 ** 20

export class ResultTooLargeError extends Error {
  override name = 'ResultTooLargeError'
}

export interface ResultLimits {
  maxBytes: number
  /** Called for every chunk. */
  onData?: () => void
  /** Queues a large result. Its socket is paused until it is admitted, so PostgreSQL waits with the rest. */
  enterLargeResult?: () => Ticket
}

type Listener = (chunk: Buffer) => void

/** What pg's declarations leave out: attaches the parser of PostgreSQL's messages to the socket. */
interface Parsing {
  attachListeners(stream: Pick<Duplex, 'on'>): void
}

/**
 * Fails the query, and drops the connection, when its result has more than `maxBytes` or cannot be read. Without this,
 * an exception of the parser (a text longer than V8 can hold) would surface in the socket's handler and end the process.
 */
export const limitResults = (connection: pg.Connection, { maxBytes, onData, enterLargeResult }: ResultLimits) => {
  let received = 0
  let ticket: Ticket | undefined

  const waitInQueue = (stream: Duplex) => {
    ticket = enterLargeResult?.()
    if (!ticket?.admitted) return
    stream.pause()
    ticket.admitted.then(() => stream.resume())
  }

  const reset = () => {
    received = 0
    ticket?.leave()
    ticket = undefined
  }

  const guard =
    (stream: Duplex, parse: Listener): Listener =>
    (chunk) => {
      onData?.()
      received += chunk.length
      try {
        if (received > maxBytes) throw new ResultTooLargeError(`The result has more than ${maxBytes} bytes.`)
        parse(chunk)
        // After parsing: a result that ended in this chunk has no more to wait for.
        if (received > LARGE_RESULT_BYTES && !ticket) waitInQueue(stream)
      } catch (error) {
        stream.destroy(error as Error)
      }
    }

  const parsing = connection as unknown as Parsing
  const attach = parsing.attachListeners.bind(parsing)
  parsing.attachListeners = (stream) => {
    const on = (event: string, listener: Listener) =>
      stream.on(event, event === 'data' ? guard(stream as Duplex, listener) : listener)
    attach({ on } as Pick<Duplex, 'on'>)
  }
  connection.on('readyForQuery', reset)
  connection.on('end', reset)
}
