import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Config } from '../../config/config.ts'
import { addressesOf } from '../../config/postgres-address.ts'
import { type Database, isDatabaseUnavailable, openDatabase } from './database.ts'
import { explainDatabaseError } from './database-fault.ts'
import { noteDistribution } from './distributed.ts'
import { ClusterClient } from './hosts.ts'
import { migrate } from './migrate.ts'

export interface DatabaseConnection {
  connection: pg.ClientConfig
  /** Closes the embedded engine; does nothing for an external server. */
  close(): Promise<void>
}

export type Purpose = { kind: 'server'; address: string; signal?: AbortSignal } | { kind: 'command'; name: string }

/** A server waits for its database indefinitely; a command gives up. */
const COMMAND_TIMEOUT_MS = 20_000

/** Connects to the server in DATABASE_URL, or else to the embedded engine. Callers need not know which. */
export const connectDatabase = async (
  config: Pick<Config, 'DATABASE_URL' | 'DATA_DIR'>,
  purpose: Purpose,
  say: (line: string) => void,
  commandTimeoutMs = COMMAND_TIMEOUT_MS,
): Promise<DatabaseConnection> => {
  if (config.DATABASE_URL) {
    const options =
      purpose.kind === 'command' ? { timeoutMs: commandTimeoutMs } : { signal: purpose.signal, mustWrite: true }
    const connection = { connectionString: config.DATABASE_URL }
    await waitForServer(config.DATABASE_URL, say, options).catch((error) => {
      throw explainDatabaseError(error, connection)
    })
    return { connection, close: async () => {} }
  }
  const { openEngine } = await import('./embedded/engine.ts')
  const { connection, close } = await openEngine(config.DATA_DIR, purpose, say)
  return { connection, close }
}

/** Opens a small pool without statement timeouts, for long-running work. */
export const withUntimedDatabase = async <T>(
  connection: pg.ClientConfig,
  name: string,
  work: (database: Database) => Promise<T>,
): Promise<T> => {
  const database = openDatabase(connection, { pool: 4, prepare: false, name, untimed: true })
  try {
    await noteDistribution((text) => sql.raw(text).execute(database.db)).catch((error) => {
      throw explainDatabaseError(error, connection)
    })
    return await work(database)
  } finally {
    await database.close()
  }
}

/** Migrates over an open connection; an error names its remedy. */
export const migrateOpen = (
  { db }: Database,
  connection: pg.ClientConfig,
  onApplied?: (line: string) => void,
): Promise<string[]> =>
  migrate(db, undefined, onApplied).catch((error) => {
    throw explainDatabaseError(error, connection)
  })

export const migrateDatabase = (connection: pg.ClientConfig, onApplied?: (line: string) => void): Promise<string[]> =>
  withUntimedDatabase(connection, 'migrate', (database) => migrateOpen(database, connection, onApplied))

const MIN_POSTGRES_VERSION = 15

export const databaseAddress = (url: string) => {
  const addresses = addressesOf(url).map((address) => new URL(address))
  return `${addresses.map(({ host }) => host || 'the local socket').join(',')}${addresses[0]?.pathname}`
}

interface ServerFacts {
  version: number
  encoding: string
}

export const look = async (url: string, mustWrite = false): Promise<ServerFacts> => {
  const client = new ClusterClient({ connectionString: url, connectionTimeoutMillis: 3_000, query_timeout: 3_000 })
  client.mustWrite ||= mustWrite
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

/** Waits until the server accepts connections, and prints why it waits. A wrong password or database name is fatal. */
const waitForServer = async (
  url: string,
  say: (line: string) => void,
  {
    timeoutMs = Number.POSITIVE_INFINITY,
    signal,
    mustWrite = false,
  }: { timeoutMs?: number; signal?: AbortSignal | undefined; mustWrite?: boolean } = {},
): Promise<void> => {
  const started = performance.now()
  for (let attempt = 0; ; attempt++) {
    try {
      const { version, encoding } = await look(url, mustWrite)
      if (version < MIN_POSTGRES_VERSION)
        throw new Error(
          `PostgreSQL ${version} at ${databaseAddress(url)} is too old: ${MIN_POSTGRES_VERSION} or newer is needed.`,
        )
      if (encoding !== 'UTF8')
        throw new Error(`The database at ${databaseAddress(url)} is encoded in ${encoding}: create it with UTF8.`)
      return
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error
      const reason = (error as Error).message || 'no response'
      if (performance.now() - started > timeoutMs)
        throw new Error(`PostgreSQL at ${databaseAddress(url)} cannot be reached: ${reason}`)
      if (attempt % 10 === 0) say(`Waiting for PostgreSQL at ${databaseAddress(url)}: ${reason}`)
      await sleep(500, undefined, signal && { signal })
    }
  }
}
