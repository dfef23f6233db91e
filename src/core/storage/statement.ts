import { CompiledQuery } from 'kysely'
import type { Db } from './database.ts'
import { placeholder, type Sql, sqlText } from './sql.ts'

const MAX_TEXTS = 1_000
const texts = new Map<string, Sql>()

/**
 * Builds the SQL for a key once and caches it. Returning the same string object makes map lookups by it, such as for the
 * prepared statement's name, cheap: V8 caches its hash.
 */
export const cachedSql = (key: string, make: () => Sql): Sql => {
  let text = texts.get(key)
  if (text === undefined) {
    text = make()
    if (texts.size < MAX_TEXTS) texts.set(key, text)
  }
  return text
}

/** A JSON array without whitespace: `json_agg` would put a space after each comma. */
export const jsonArray = (element: Sql, order: Sql = sqlText``) =>
  sqlText`('[' || coalesce(string_agg((${element})::text, ','${order && sqlText` order by ${order}`}), '') || ']')::json`

/** Runs constant SQL. Kysely would build it again for each call, which takes longer than running it. */
export const runSql = async <Row>(db: Db, text: Sql, values: readonly unknown[]): Promise<Row[]> =>
  (await db.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows

/**
 * A read built from constant SQL. Values enter only through `bind`, so the text is the same for every call, is planned
 * once, and cannot contain input.
 */
export class Statement {
  readonly values: unknown[] = []

  bind = (value: unknown): Sql => placeholder(this.values.push(value))

  async run<Row>(db: Db, text: Sql): Promise<Row[]> {
    return runSql(db, text, this.values)
  }
}
