import type { Duplex } from 'node:stream'
import type pg from 'pg'

export const MAX_RESULT_BYTES = 32 * 2 ** 20

export class ResultTooLargeError extends Error {
  override name = 'ResultTooLargeError'
}

type Listener = (chunk: Buffer) => void

/** What pg's declarations leave out: attaches the parser of PostgreSQL's messages to the socket. */
interface Parsing {
  attachListeners(stream: Pick<Duplex, 'on'>): void
}

/**
 * Fails the query, and drops the connection, when its result has more than `maxBytes` or cannot be read. Without this,
 * an exception of the parser (a text longer than V8 can hold) would surface in the socket's handler and end the process.
 * `onData` is called for all that comes.
 */
export const limitResults = (connection: pg.Connection, maxBytes: number, onData: () => void = () => {}) => {
  let received = 0
  const guard =
    (stream: Duplex, parse: Listener): Listener =>
    (chunk) => {
      onData()
      received += chunk.length
      try {
        if (received > maxBytes) throw new ResultTooLargeError(`The result has more than ${maxBytes} bytes.`)
        parse(chunk)
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
  connection.on('readyForQuery', () => {
    received = 0
  })
}
