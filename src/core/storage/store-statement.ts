import { type Db, isOnOtherMachine } from './database.ts'
import { isDistributed } from './distributed.ts'
import { type Sql, sqlText } from './sql.ts'
import { runSql } from './statement.ts'
import type { StoreId } from './store-id.ts'

const RUN_IN_STORE = sqlText`select run_in_store($1, $2, $3) as found`

const element = (value: unknown) => (value === null ? 'NULL' : `"${String(value).replace(/["\\]/g, '\\$&')}"`)

/** A value as PostgreSQL reads it from text. */
const asText = (value: unknown): string | null => {
  if (value === null || value === undefined) return null
  if (value instanceof Date) return value.toISOString()
  return Array.isArray(value) ? `{${value.map(element).join()}}` : String(value)
}

/** After a shard has moved, the next call finds it. */
const MAX_TRIES = 3

/**
 * Runs a statement that returns one row and reads and writes rows of one store only. A distributed database passes it on to the
 * worker that has the store, which runs it on its shards: Citus would refuse one that writes several tables, and plan any other
 * twice. Name tables by `t`. Columns are returned as JSON there, so select times and decimals as text.
 */
export const inStore = async <Row>(
  db: Db,
  store: StoreId,
  text: Sql,
  values: readonly unknown[],
): Promise<Row | undefined> => {
  if (!isDistributed()) return (await runSql<Row>(db, text, values))[0]
  for (let tried = 1; tried <= MAX_TRIES; tried++) {
    try {
      const [row] = await runSql<{ found: Row | null }>(db, RUN_IN_STORE, [store, text, values.map(asText)])
      return row?.found ?? undefined
    } catch (error) {
      if (db.isTransaction || !isOnOtherMachine(error)) throw error
    }
  }
  // Citus passes no call on to a worker whose metadata is not in sync, but can read there itself.
  return (await runSql<Row>(db, text, values))[0]
}

/** The same for a table that a distributed database keeps on its coordinator, because it is about apps and people. */
export const onCoordinator = async <Row>(
  db: Db,
  _store: StoreId,
  text: Sql,
  values: readonly unknown[],
): Promise<Row | undefined> => (await runSql<Row>(db, text, values))[0]
