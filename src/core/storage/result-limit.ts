import type { Duplex } from 'node:stream'
import type pg from 'pg'
import type { Ticket } from './fair-queue.ts'

export const MAX_RESULT_BYTES = 32 * 2 ** 20
/** Larger results are queued: the rest is read once they get a slot. */
const LARGE_RESULT_BYTES = 4 * 2 ** 20

export class ResultTooLargeError extends Error {
  override name = 'ResultTooLargeError'
}

interface ResultLimits {
  maxBytes: number
  /** Called for every chunk. */
  onData?: (chunk: Buffer) => void
  /** Queues a large result. Its socket is paused until it gets a slot; backpressure makes PostgreSQL wait. */
  enterLargeResult?: () => Ticket
}

type Listener = (chunk: Buffer) => void

/** Missing from pg's type declarations: attaches the protocol parser to the socket. */
interface Parsing {
  attachListeners(stream: Pick<Duplex, 'on'>): void
}

/**
 * Fails the query and drops the connection if its result exceeds `maxBytes` or cannot be parsed. Otherwise an exception
 * in the parser (a string longer than V8 allows) would be uncaught and end the process.
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
      onData?.(chunk)
      received += chunk.length
      try {
        if (received > maxBytes) throw new ResultTooLargeError(`The result has more than ${maxBytes} bytes.`)
        parse(chunk)
        // After parsing: a result that ends in this chunk need not queue.
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
