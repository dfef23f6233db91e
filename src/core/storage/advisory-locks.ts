import type { Tx } from './database.ts'
import { sqlText } from './sql.ts'
import { runSql } from './statement.ts'

/**
 * The keys of all advisory locks in the service's database, in one place so that no two purposes share one. A changed
 * key would not exclude nodes of the previous release.
 */
export const ADVISORY_LOCKS = {
  migration: 7_303_001,
  rowCounts: 7_303_002,
  demo: 7_303_003,
  analytics: 7_303_004,
  invoiceNumbers: 7_303_005,
  callPartitions: 7_303_012,
  appNames: 7_303_013,
  /** With a hash of the store as its second key. */
  quota: 7_303_017,
  /** With a hash of the store as its second key. */
  sharedPhones: 7_303_018,
  /** With a hash of who claims an order as its second key. */
  claims: 7_303_019,
  /** Up to 7_303_131, as the upper half of a key: see schema/changed-since.sql. Only the schema uses them. */
  changes: 7_303_100,
} as const

const TRY = sqlText`select pg_try_advisory_xact_lock($1) as mine`

/** Takes the lock until the transaction ends, unless another process has it. */
export const tryLock = async (db: Tx, name: keyof typeof ADVISORY_LOCKS): Promise<boolean> =>
  (await runSql<{ mine: boolean }>(db, TRY, [ADVISORY_LOCKS[name]]))[0]?.mine ?? false
