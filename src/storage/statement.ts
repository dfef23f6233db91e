import { CompiledQuery } from 'kysely'
import type { Db } from './database.ts'
import { placeholder, type Sql, sqlText } from './sql.ts'

const MAX_TEXTS = 1_000
const texts = new Map<string, Sql>()

/**
 * The text that goes by this key, put together the first time only. It then is the same string and not only an equal
 * one: what is known by it, such as the name of its plan, is found without reading it through.
 */
export const cachedSql = (key: string, make: () => Sql): Sql => {
  let text = texts.get(key)
  if (text === undefined) {
    text = make()
    if (texts.size < MAX_TEXTS) texts.set(key, text)
  }
  return text
}

/** An array of JSON values, written as compactly as everything else: `json_agg` would put a space behind each comma. */
export const jsonArray = (element: Sql, order: Sql = sqlText``) =>
  sqlText`('[' || coalesce(string_agg((${element})::text, ','${order && sqlText` order by ${order}`}), '') || ']')::json`

/** Runs a constant text. Kysely would put it together anew for each call, which takes longer than running it. */
export const runSql = async <Row>(db: Db, text: Sql, values: readonly unknown[]): Promise<Row[]> =>
  (await db.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows

/**
 * A read whose text is put together from constant pieces. Values only ever enter through `bind`, so that the text
 * stays the same from call to call, is planned once, and has nowhere for a caller's words to go.
 */
export class Statement {
  readonly values: unknown[] = []

  bind = (value: unknown): Sql => placeholder(this.values.push(value))

  async run<Row>(db: Db, text: Sql): Promise<Row[]> {
    return runSql(db, text, this.values)
  }
}
