import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { isDatabaseAway } from './database.ts'

const OLDEST = 15

export const databaseAddress = (url: string) => {
  const { host, pathname } = new URL(url)
  return `${host || 'the local socket'}${pathname}`
}

interface ServerFacts {
  version: number
  encoding: string
}

const look = async (url: string): Promise<ServerFacts> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3_000, query_timeout: 3_000 })
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query(
      `select current_setting('server_version_num')::int / 10000 as version, current_setting('server_encoding') as encoding`,
    )
    return rows[0]
  } finally {
    await client.end().catch(() => {})
  }
}

/** Waits until the server answers; an operator sees why nothing happens. A wrong password or name is final. */
export const waitForServer = async (
  url: string,
  say: (line: string) => void,
  { patienceMs = Number.POSITIVE_INFINITY, signal }: { patienceMs?: number; signal?: AbortSignal | undefined } = {},
): Promise<void> => {
  const started = performance.now()
  for (let attempt = 0; ; attempt++) {
    try {
      const { version, encoding } = await look(url)
      if (version < OLDEST)
        throw new Error(`PostgreSQL ${version} at ${databaseAddress(url)} is too old: ${OLDEST} or newer is needed.`)
      if (encoding !== 'UTF8')
        throw new Error(`The database at ${databaseAddress(url)} is encoded in ${encoding}: create it with UTF8.`)
      return
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
      const why = (error as Error).message || 'no answer'
      if (performance.now() - started > patienceMs)
        throw new Error(`PostgreSQL at ${databaseAddress(url)} cannot be reached: ${why}`)
      if (attempt % 10 === 0) say(`Waiting for PostgreSQL at ${databaseAddress(url)}: ${why}`)
      await sleep(500, undefined, signal && { signal })
    }
  }
}
