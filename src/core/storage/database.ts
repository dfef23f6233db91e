import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely'
import pg from 'pg'
import { ApiError } from '../../errors.ts'
import { clientClass } from './client.ts'
import { connectInTurn } from './connection-shares.ts'
import { databaseCaller, type Rehearsal } from './database-caller.ts'
import {
  createDatabaseWatchdog,
  DATABASE_LIMITS,
  DatabaseBusyError,
  type DatabaseLimits,
  DatabaseUnavailableError,
  PING_AFTER_MS,
} from './database-watchdog.ts'
import { isDistributed } from './distributed.ts'
import { createFairQueue } from './fair-queue.ts'
import { ClusterClient } from './hosts.ts'
import type { Tables } from './tables.ts'
import { createWorkerWatch, type WorkerQuestions } from './worker-watch.ts'

/** The pool, or a transaction on it: queries take either. */
export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

export interface Database {
  db: Db
  pool: pg.Pool
  /** Number of requests waiting for a connection. */
  waiting: () => number
  /** A connection in the caller's turn. */
  connect: () => Promise<pg.PoolClient>
  close(): Promise<void>
}

export interface DatabaseOptions {
  pool: number
  prepare: boolean
  /** Shown in pg_stat_activity. */
  name: string
  /** For commands, which have no time limit. A server's callers get an error when the database is unavailable. */
  untimed?: boolean
  limits?: DatabaseLimits
  /** Given for a standby: where its reads go when it cannot serve them. */
  otherwise?: Pick<Database, 'connect'>
}

const ping = async (connection: pg.ClientConfig) => {
  const client = new ClusterClient({ ...connection, connectionTimeoutMillis: 2_000, query_timeout: 2_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
  } finally {
    client.end().catch(() => {})
  }
}

const WORKER_OF = `select p.groupid::text as worker from pg_catalog.pg_dist_placement p
  where p.shardid = get_shard_id_for_distribution_column('orders', $1::uuid)`
const ROW_OF_STORE = 'select 1 from feed where store_id = $1'

/** Asks where the rows of a store are, and for one of them, on a connection of its own. */
const askWorkers = (connection: pg.ClientConfig, timeoutMs: number): WorkerQuestions => {
  const withClient = async <T>(work: (client: pg.Client) => Promise<T>) => {
    const client = new ClusterClient({ ...connection, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs })
    client.on('error', () => {})
    await client.connect()
    try {
      return await work(client)
    } finally {
      client.end().catch(() => {})
    }
  }
  return {
    locate: (store) => withClient(async (client) => (await client.query(WORKER_OF, [store])).rows[0].worker),
    answers: (store) =>
      withClient((client) =>
        client.query(ROW_OF_STORE, [store]).then(
          () => true,
          () => false,
        ),
      ),
  }
}

// pg returns bigint as text by default. No integer exceeds 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/**
 * Our statements are short: JIT compilation, or planning each call, costs more than running them. They are written so
 * that one generic plan suits all values. A pooler that does not support prepared statements refuses these options too.
 */
export const SESSION_OPTIONS = '-c jit=off -c plan_cache_mode=force_generic_plan'
/** Citus must know the store to choose the shard. It keeps plans of its own. */
const DISTRIBUTED_OPTIONS = '-c jit=off'

/** Recycling connections frees the memory that their backends have accumulated. */
const MAX_LIFETIME_SECONDS = 15 * 60

export const openDatabase = (connection: pg.ClientConfig, options: DatabaseOptions): Database => {
  const limits = options.limits ?? DATABASE_LIMITS
  const watchdog = options.untimed
    ? undefined
    : createDatabaseWatchdog(
        () => ping(connection),
        limits,
        isDistributed()
          ? createWorkerWatch(askWorkers(connection, limits.unavailableAfterMs - PING_AFTER_MS))
          : undefined,
      )
  const { otherwise } = options
  const runElsewhere = async (text: string, values: unknown[] | undefined) => {
    const client = await (otherwise as Database).connect()
    try {
      return await client.query(text, values)
    } finally {
      client.release()
    }
  }
  const pool = new pg.Pool({
    ...connection,
    ...(options.prepare && { options: isDistributed() ? DISTRIBUTED_OPTIONS : SESSION_OPTIONS }),
    ...(options.prepare && watchdog && { statement_timeout: limits.statementTimeoutMs }),
    Client: clientClass({
      prepare: options.prepare,
      watchdog,
      ...(otherwise && {
        runElsewhere: (error, text, values) =>
          isDatabaseUnavailable(error) || STANDBY_CONFLICTS.has(errorCode(error))
            ? runElsewhere(text, values)
            : undefined,
      }),
    }),
    // Commands copy rows, which cannot be pipelined.
    pipeline: watchdog !== undefined,
    application_name: `storefront ${options.name}`,
    max: options.pool,
    connectionTimeoutMillis: 20_000,
    idleTimeoutMillis: 60_000,
    maxLifetimeSeconds: MAX_LIFETIME_SECONDS,
    keepAlive: true,
  })
  // An idle connection that breaks is replaced on the next use; without a listener it would end the process.
  pool.on('error', () => {})
  const queue = createFairQueue({ slots: options.pool })
  const connectHere = watchdog ? connectInTurn(pool, options.pool, queue, watchdog) : () => pool.connect()
  const connect = otherwise
    ? () => connectHere().catch(() => otherwise.connect())
    : () => {
        const { rehearsal, replica } = databaseCaller.getStore() ?? {}
        return rehearsal?.connect() ?? replica?.connect() ?? connectHere()
      }
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: { connect, end: () => pool.end() } }) })
  return {
    db,
    pool,
    connect: otherwise ? connect : connectHere,
    waiting: () => queue.waiting,
    close: () => db.destroy(),
  }
}

/** A standby cancels reads that hold up what it replays. */
const STANDBY_CONFLICTS = new Set(['40001', '40P01'])

const RETRIED = new Set(['40001', '40P01'])

/**
 * Citus has moved or split the shard while the statement was planned or waited. It reports this as an internal error, or as
 * a table that is gone.
 */
const hasLostShard = (error: unknown) =>
  error instanceof Error &&
  (isOnOtherMachine(error) ||
    (errorCode(error) === 'XX000' && /could not find valid entry for shard|shard placement/.test(error.message)) ||
    (errorCode(error) === '42P01' && /_\d{6,20}" does not exist/.test(error.message)))

/** What run_in_store() reports. */
export const isOnOtherMachine = (error: unknown) =>
  error instanceof Error && errorCode(error) === '40001' && error.message.endsWith('are on another machine.')

const LOCK_NOT_AVAILABLE = '55P03'

/** A statement waited too long for a lock. */
export const isLockTimeout = (error: unknown) => errorCode(error) === LOCK_NOT_AVAILABLE

/** It waited for a shard that is being moved or split. For rows it waits on their worker, whose error says so. */
const isShardLocked = (error: unknown) =>
  isDistributed() && isLockTimeout(error) && !/while executing command on/.test((error as pg.DatabaseError).where ?? '')

/** Whether the same may succeed right away: after a deadlock, a serialization failure or the move of a shard. */
const isTransient = (error: unknown) => RETRIED.has(errorCode(error)) || hasLostShard(error)

/** Runs a transaction and retries it after a failure that may not repeat itself. */
export const transact = async <T>(db: Db, work: (db: Tx) => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      const result = await db.transaction().execute(work)
      // It is committed: a failure here must not start it over.
      await databaseCaller
        .getStore()
        ?.wrote?.()
        .catch(() => {})
      return result
    } catch (error) {
      if (attempt === 5 || !isTransient(error)) throw error
    }
  }
}

const readTransaction = async <T>(db: Db, read: (db: Db) => Promise<T>): Promise<T> => {
  const failed: unknown[] = []
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  const result = snapshot.execute((db) =>
    read(db).catch((error) => {
      failed.push(error)
      throw error
    }),
  )
  return result.catch((error) => {
    // A result that is too large closes the connection, so that the rollback fails too.
    throw failed[0] ?? error
  })
}

const PLAN_BY_VALUES = sql`set local plan_cache_mode = force_custom_plan`

/**
 * Runs statements that look at most rows of a store, from one snapshot. They are planned for their values: the plan that is kept
 * for all values expects few rows between two times, and looks up the others that belong to them one by one.
 */
export const readManyRows = async <T>(db: Db, read: (db: Db) => Promise<T>): Promise<T> =>
  db.isTransaction
    ? read(db)
    : readTransaction(db, async (db) => {
        await PLAN_BY_VALUES.execute(db)
        return read(db)
      })

const checkDeferred = (db: Db) => sql`set constraints all immediate`.execute(db)

/** What one request of a rehearsal changes, the next one sees. Undoing the check defers the constraints again. */
const transactRehearsed = <T>(db: Db, rehearsal: Rehearsal, work: (db: Tx) => Promise<T>): Promise<T> =>
  transact(db, async (db) => {
    const result = await work(db)
    await rehearsal.keepIf(async () => {
      await checkDeferred(db)
      return false
    })
    return result
  })

/** Runs work in a transaction and rolls it back, after checking deferred constraints. */
export const transactDry = async <T>(db: Db, work: (db: Tx) => Promise<T>): Promise<T> => {
  const { rehearsal } = databaseCaller.getStore() ?? {}
  if (rehearsal) return transactRehearsed(db, rehearsal, work)
  const rollback = new Error('dry run')
  let done: { result: T } | undefined
  try {
    await transact(db, async (db) => {
      done = { result: await work(db) }
      await checkDeferred(db)
      throw rollback
    })
  } catch (error) {
    if (error !== rollback) throw error
  }
  return (done as { result: T }).result
}

export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** A worker's error has the constraint's name only in its message, with the number of the shard. */
const constraintOf = ({ constraint, message }: pg.DatabaseError) =>
  constraint ?? /unique constraint "([^"]+)"$/.exec(message)?.[1]?.replace(/_\d{6,}$/, '')

const UNIQUE_VIOLATION = '23505'

/** Whether a row violates this unique constraint or, without a name, any. */
export const isUniqueViolation = (error: unknown, constraint?: string) =>
  errorCode(error) === UNIQUE_VIOLATION &&
  (constraint === undefined || constraintOf(error as pg.DatabaseError) === constraint)

/** For `catch`: throws this error instead of a unique violation. */
export const refuseDuplicate =
  (refusal: () => Error, constraint?: string) =>
  (error: unknown): never => {
    throw isUniqueViolation(error, constraint) ? refusal() : error
  }

const QUERY_CANCELED = '57014'

/** The database was too busy, or the statement took too long. */
export const isDatabaseBusy = (error: unknown): boolean =>
  error instanceof DatabaseBusyError || errorCode(error) === QUERY_CANCELED

const UNAVAILABLE_CODES = /^(08|25006|53[0-3]00|57P0[1-3]|ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)/
const UNAVAILABLE_MESSAGES =
  /timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated|not queryable|Client was closed/

/** The Unix socket does not exist: PostgreSQL is not running. */
const isNoSocket = (error: Error) => errorCode(error) === 'ENOENT' && 'syscall' in error && error.syscall === 'connect'

/** The database is unreachable, as opposed to having refused a statement. */
export const isDatabaseUnavailable = (error: unknown): boolean =>
  error instanceof Error &&
  !(error instanceof ApiError) &&
  (error instanceof DatabaseUnavailableError ||
    UNAVAILABLE_CODES.test(errorCode(error)) ||
    isNoSocket(error) ||
    hasLostShard(error) ||
    isShardLocked(error) ||
    UNAVAILABLE_MESSAGES.test(error.message))
