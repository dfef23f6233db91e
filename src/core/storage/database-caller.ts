import { AsyncLocalStorage } from 'node:async_hooks'
import type pg from 'pg'
import type { StoreId } from './store-id.ts'

/** A transaction that is rolled back, on whose connection several requests run one after the other. */
export interface Rehearsal {
  /** The connection, on which a transaction becomes a savepoint. */
  connect: () => Promise<pg.PoolClient>
  /** Runs work whose changes are undone at once unless it returns true. */
  keepIf: (work: () => Promise<boolean>) => Promise<void>
}

/** On whose behalf a statement runs. */
export interface DatabaseCaller {
  app: string | undefined
  /** The person on whose behalf the console or an assistant calls. */
  account?: string | undefined
  via?: 'assistant' | undefined
  /** The trace that its changes belong to, as a `traceparent`. */
  trace?: string | undefined
  installation: string | undefined
  store: StoreId | undefined
  /** Whether the client has disconnected. */
  isGone: () => boolean
  /** Looks for a standby that this caller may read from. */
  findReplica?: (upToDate: boolean) => Promise<DatabaseCaller['replica']>
  /** The standby that its reads go to; without one, they go to the primary. */
  replica?: { connect: () => Promise<pg.PoolClient> } | undefined
  /** The transaction in which this caller's statements run, to be rolled back. */
  rehearsal?: Rehearsal | undefined
  /** To be told of each transaction that this caller has committed. */
  wrote?: () => Promise<void>
}

/** Undefined for the service's own statements: maintenance, authentication. */
export const databaseCaller = new AsyncLocalStorage<DatabaseCaller>()
