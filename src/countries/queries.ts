import type { Db } from '../storage/database.ts'
import { Statement } from '../storage/statement.ts'

/** Renders a row of country. */
export const countryJson = (c: string) =>
  `json_build_object('id', ${c}.id, 'code', ${c}.id, 'iso3', ${c}.iso3, 'name', ${c}.name,
    'phone_code', ${c}.phone_code, 'currency', ${c}.currency)`

export const listCountries = async (db: Db): Promise<string> => {
  const [row] = await new Statement().run<{ json: string }>(
    db,
    `select json_agg(${countryJson('c')} order by c.name)::text as json from country c`,
  )
  return row?.json ?? '[]'
}

export const countryExists = async (db: Db, id: string): Promise<boolean> =>
  (await db.selectFrom('country').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
