import type { Db } from '../storage/database.ts'
import { jsonArray, Statement } from '../storage/statement.ts'

/** Renders a row of country. */
export const countryJson = (c: string) =>
  `(select row_to_json(r) from (select ${c}.id, ${c}.id as code, ${c}.iso3, ${c}.name,
    ${c}.phone_code, ${c}.currency) r)`

export const listCountries = async (db: Db): Promise<string> => {
  const [row] = await new Statement().run<{ json: string }>(
    db,
    `select ${jsonArray(countryJson('c'), 'c.name')}::text as json from country c`,
  )
  return row?.json ?? '[]'
}

export const countryExists = async (db: Db, id: string): Promise<boolean> =>
  (await db.selectFrom('country').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
