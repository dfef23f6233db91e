import type { Db } from '../../core/storage/database.ts'
import { databaseCaller } from '../../core/storage/database-caller.ts'
import { type Sql, sqlText } from '../../core/storage/sql.ts'
import { jsonArray, runSql, Statement } from '../../core/storage/statement.ts'

/** Renders a row of country. */
const countryJson = (c: Sql) =>
  sqlText`(select row_to_json(r) from (select ${c}.id, ${c}.id as code, ${c}.iso3, ${c}.name,
    ${c}.phone_code, ${c}.currency) r)`

export const listCountries = async (db: Db): Promise<string> => {
  const [row] = await new Statement().run<{ json: string }>(
    db,
    sqlText`select ${jsonArray(countryJson(sqlText`c`), sqlText`c.name`)}::text as json from country c`,
  )
  return row?.json ?? '[]'
}

/** Countries change only with a release, so each process reads them once. */
let known: Promise<Map<string, string>> | undefined
let constant: Map<string, string> | undefined

/** The text of every country, by id, once it has been read. */
export const constantCountries = (): ReadonlyMap<string, string> | undefined => constant

const readCountries = async (db: Db) => {
  const text = sqlText`select c.id, (${countryJson(sqlText`c`)})::text as text from country c`
  const rows = await runSql<{ id: string; text: string }>(db, text, [])
  constant = new Map(rows.map(({ id, text }) => [id, text]))
  return constant
}

/** The text of every country, by id. Read on nobody's behalf: others wait for it if the first caller leaves. */
export const countryTexts = (db: Db): Promise<Map<string, string>> => {
  known ??= databaseCaller
    .exit(() => readCountries(db))
    .catch((error) => {
      known = undefined
      throw error
    })
  return known
}

export const countryExists = async (db: Db, id: string): Promise<boolean> => (await countryTexts(db)).has(id)
