import type pg from 'pg'
import type { Config } from '../config/config.ts'
import { openDatabase } from './database.ts'
import { explainDatabaseError } from './database-fault.ts'
import { migrate } from './migrate.ts'
import { waitForServer } from './wait-for-server.ts'

export interface ReachedDatabase {
  connection: pg.ClientConfig
  /** Leaves the embedded engine; nothing to do for a server of the operator's. */
  close(): Promise<void>
}

export type Purpose = { kind: 'server'; address: string; signal?: AbortSignal } | { kind: 'command'; name: string }

/** A server waits for its database as long as it takes; a person in front of a command does not. */
const COMMAND_PATIENCE_MS = 20_000

/** The operator's server if one is named, else the embedded engine: from here on nobody can tell. */
export const reachDatabase = async (
  config: Pick<Config, 'DATABASE_URL' | 'DATA_DIR'>,
  purpose: Purpose,
  say: (line: string) => void,
  commandPatienceMs = COMMAND_PATIENCE_MS,
): Promise<ReachedDatabase> => {
  if (config.DATABASE_URL) {
    const how = purpose.kind === 'command' ? { patienceMs: commandPatienceMs } : { signal: purpose.signal }
    const connection = { connectionString: config.DATABASE_URL }
    await waitForServer(config.DATABASE_URL, say, how).catch((error) => {
      throw explainDatabaseError(error, connection)
    })
    return { connection, close: async () => {} }
  }
  const { openEngine } = await import('./embedded/engine.ts')
  const { connection, close } = await openEngine(config.DATA_DIR, purpose, say)
  return { connection, close }
}

/** A short pool without a time limit, for work that may take as long as it takes. */
export const withPatientDatabase = async <T>(
  connection: pg.ClientConfig,
  name: string,
  work: (database: ReturnType<typeof openDatabase>) => Promise<T>,
): Promise<T> => {
  const database = openDatabase(connection, { pool: 4, prepare: false, name, patient: true })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

export const migrateDatabase = (connection: pg.ClientConfig): Promise<string[]> =>
  withPatientDatabase(connection, 'migrate', ({ db }) => migrate(db)).catch((error) => {
    throw explainDatabaseError(error, connection)
  })
