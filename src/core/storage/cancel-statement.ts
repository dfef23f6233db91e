import pg from 'pg'

const TIMEOUT_MS = 1_000

/** Missing from pg's type declarations. */
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
 * Asks PostgreSQL to cancel this connection's statement. The protocol requires a separate connection; a pooler forwards
 * the request. The statement may finish first and the cancellation hit the next one, so do not reuse the connection.
 */
export const cancelStatement = (client: pg.Client): Promise<void> =>
  new Promise((resolve) => {
    const { host, port, ssl, processID, secretKey } = client as unknown as Connected
    const connection = new pg.Connection({ ssl: ssl as boolean }) as Cancelling
    const cancel = () => connection.cancel(processID, secretKey)
    const timer = setTimeout(() => connection.stream.destroy(), TIMEOUT_MS)
    connection.once('connect', () => (ssl ? connection.requestSsl() : cancel()))
    connection.once('sslconnect', cancel)
    connection.on('error', () => {})
    // PostgreSQL closes the connection once it has sent the signal.
    connection.once('end', () => {
      clearTimeout(timer)
      resolve()
    })
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`)
    else connection.connect(port, host)
  })
