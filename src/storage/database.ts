import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { ApiError } from '../errors.ts'
import { createPulse, DatabaseAwayError, type Pulse } from './pulse.ts'
import type { Tables } from './tables.ts'

/** A connection for queries, or the transaction that stands in its place: functions take either. */
export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

export interface Database {
  db: Db
  pool: pg.Pool
  close(): Promise<void>
}

export interface DatabaseOptions {
  pool: number
  prepare: boolean
  /** Shown in pg_stat_activity. */
  name: string
  /** For commands, which may take as long as they take; a server's callers are told when the database is away. */
  patient?: boolean
}

// A statement is planned once a connection and then goes by its name. Texts are few, since values are bound;
// the bound is there for the one that is not.
const MOST_NAMED_STATEMENTS = 1_000
const statementNames = new Map<string, string>()
const nameOf = (text: string) => {
  let name = statementNames.get(text)
  if (!name && statementNames.size < MOST_NAMED_STATEMENTS) {
    name = `s${statementNames.size}`
    statementNames.set(text, name)
  }
  return name
}

type Answer = Promise<pg.QueryResult>

/**
 * Names every statement, and drops a connection whose answer does not come because the database is away: the next caller
 * would wait behind the lost one.
 */
const clientClass = (prepare: boolean, pulse: Pulse | undefined): typeof pg.Client =>
  class extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config)
      // Whoever waits for an answer hears of a lost connection there; without a listener it would end the process.
      this.on('error', () => {})
    }

    // biome-ignore lint/suspicious/noExplicitAny: pg declares a dozen overloads; only the promise form is used here.
    override query(statement: any, values?: any): any {
      if (typeof statement !== 'string') return super.query(statement, values)
      const name = prepare && values ? nameOf(statement) : undefined
      const answer = super.query({ name, text: statement, values } as pg.QueryConfig) as unknown as Answer
      if (!pulse) return answer
      const watch = pulse.watch(() => this.connection.stream.destroy())
      return answer.then(
        (result) => {
          watch.done()
          pulse.sign()
          return result
        },
        (error) => {
          watch.done()
          throw error
        },
      )
    }
  }

/** Waits for a free connection as long as others get answers. One that comes too late goes back unused. */
const connectWhileAlive = (pool: pg.Pool, pulse: Pulse) => (): Promise<pg.PoolClient> =>
  new Promise((resolve, reject) => {
    let gaveUp = false
    const watch = pulse.watch((reason) => {
      gaveUp = true
      watch.done()
      reject(reason)
    })
    pool.connect().then(
      (client) => {
        watch.done()
        if (gaveUp) client.release()
        else resolve(client)
      },
      (error) => {
        watch.done()
        reject(error)
      },
    )
  })

const ping = async (connection: pg.ClientConfig) => {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 2_000, query_timeout: 2_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
  } finally {
    client.end().catch(() => {})
  }
}

// Integers beyond 2^53 do not occur; text would surprise.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/**
 * Compiling a plan costs more than running it for statements as short as ours, and so does making one for each call:
 * statements are written to need one plan only, whatever their values. A pooler that does not let statements be
 * prepared does not let this through either.
 */
export const SESSION = '-c jit=off -c plan_cache_mode=force_generic_plan'

export const openDatabase = (connection: pg.ClientConfig, options: DatabaseOptions): Database => {
  const pulse = options.patient ? undefined : createPulse(() => ping(connection))
  const pool = new pg.Pool({
    ...connection,
    ...(options.prepare && { options: SESSION }),
    Client: clientClass(options.prepare, pulse),
    application_name: `storefront ${options.name}`,
    max: options.pool,
    connectionTimeoutMillis: 20_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
  })
  // An idle connection that breaks is replaced on the next use; without a listener it would end the process.
  pool.on('error', () => {})
  const connect = pulse ? connectWhileAlive(pool, pulse) : () => pool.connect()
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: { connect, end: () => pool.end() } }) })
  return { db, pool, close: () => db.destroy() }
}

const RETRIED = new Set(['40001', '40P01'])

/** A transaction that starts over when PostgreSQL broke it off to resolve a deadlock. */
export const transact = async <T>(db: Db, work: (db: Tx) => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (attempt === 5 || !RETRIED.has(sqlState(error))) throw error
    }
  }
}

export const sqlState = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

export const isUniqueViolation = (error: unknown, constraint: string) =>
  sqlState(error) === '23505' && (error as pg.DatabaseError).constraint === constraint

const AWAY = /^(08|53[0-3]00|57P0[1-3]|ECONN|ENOENT|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)/
const AWAY_WORDS =
  /timeout exceeded when trying to connect|Query read timeout|Connection terminated|not queryable|Client was closed/

/** The database is out of reach, as opposed to having refused what we sent. */
export const isDatabaseAway = (error: unknown): boolean =>
  error instanceof Error &&
  !(error instanceof ApiError) &&
  (error instanceof DatabaseAwayError || AWAY.test(sqlState(error)) || AWAY_WORDS.test(error.message))
