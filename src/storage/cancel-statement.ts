import pg from 'pg'

const PATIENCE_MS = 1_000

/** What pg's declarations leave out. */
interface Cancelling extends pg.Connection {
  connect(port: number | string, host?: string): void
  requestSsl(): void
  cancel(processId: number, secretKey: number): void
}

interface Connected {
  host: string
  port: number
  ssl: pg.ConnectionConfig['ssl']
  processID: number
  secretKey: number
}

/**
 * Asks PostgreSQL to stop what this connection is doing, over a connection of its own, as the protocol wants it. A pooler
 * passes it on. It is a request: the statement may end first, so whoever asks must not use the connection again.
 */
export const cancelStatement = (client: pg.Client): Promise<void> =>
  new Promise((resolve) => {
    const { host, port, ssl, processID, secretKey } = client as unknown as Connected
    const connection = new pg.Connection({ ssl: ssl as boolean }) as Cancelling
    const cancel = () => connection.cancel(processID, secretKey)
    const late = setTimeout(() => connection.stream.destroy(), PATIENCE_MS)
    connection.once('connect', () => (ssl ? connection.requestSsl() : cancel()))
    connection.once('sslconnect', cancel)
    connection.on('error', () => {})
    // PostgreSQL answers by closing, once the signal has been sent.
    connection.once('end', () => {
      clearTimeout(late)
      resolve()
    })
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`)
    else connection.connect(port, host)
  })
