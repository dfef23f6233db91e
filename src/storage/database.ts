import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { ApiError } from '../errors.ts'
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
  /** How long one statement may take; 0 for a command that may take its time. */
  answerMs?: number
}

// A caller hears of an absent database within 5 s: the wait for a connection and for one answer add up to less.
const CONNECT_MS = 2_000
export const ANSWER_MS = 2_800

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
 * Names every statement, and drops a connection whose answer did not come in time: the next caller would wait
 * behind the lost one.
 */
class PatientClient extends pg.Client {
  static prepare = true

  // biome-ignore lint/suspicious/noExplicitAny: pg declares a dozen overloads; only the promise form is used here.
  override query(statement: any, values?: any): any {
    if (typeof statement !== 'string') return super.query(statement, values)
    const name = values && (this.constructor as typeof PatientClient).prepare ? nameOf(statement) : undefined
    return (super.query({ name, text: statement, values } as pg.QueryConfig) as unknown as Answer).catch((error) => {
      if (error.message === 'Query read timeout') this.connection.stream.destroy()
      throw error
    })
  }
}

class UnpreparedClient extends PatientClient {
  static override prepare = false
}

// Integers beyond 2^53 do not occur; text would surprise.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

export const openDatabase = (connection: pg.ClientConfig, options: DatabaseOptions): Database => {
  const pool = new pg.Pool({
    ...connection,
    Client: (options.prepare ? PatientClient : UnpreparedClient) as typeof pg.Client,
    application_name: `storefront ${options.name}`,
    max: options.pool,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: options.answerMs ?? ANSWER_MS,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
  })
  // An idle connection that breaks is replaced on the next use; without a listener it would end the process.
  pool.on('error', () => {})
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
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
  (AWAY.test(sqlState(error)) || AWAY_WORDS.test(error.message))
