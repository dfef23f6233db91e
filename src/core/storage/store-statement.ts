import type { Db } from './database.ts'
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

/**
 * Runs a statement that returns one row and names tables of one store only. In a distributed database, the worker that has
 * the store runs it on its shards: Citus would refuse one that writes several tables, and plan any other twice.
 * Columns are returned as JSON there, so select times and decimals as text. Refer to a table by an alias or not at all.
 */
export const runInStore = async <Row>(
  db: Db,
  store: StoreId,
  text: Sql,
  values: readonly unknown[],
): Promise<Row | undefined> => {
  if (!isDistributed()) return (await runSql<Row>(db, text, values))[0]
  const [row] = await runSql<{ found: Row | null }>(db, RUN_IN_STORE, [store, text, values.map(asText)])
  return row?.found ?? undefined
}
