import type { Db } from '../storage/database.ts'
import { jsonArray, Statement } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'

/** Renders a row of shipping_carrier as JSON. */
export const carrierJson = (c: string) =>
  `(select row_to_json(r) from (select ${c}.id, ${c}.name, ${c}.code, ${c}.status) r)`

export const listActiveCarriers = async (db: Db, store: StoreId): Promise<string> => {
  const statement = new Statement()
  const [row] = await statement.run<{ json: string }>(
    db,
    `select ${jsonArray(carrierJson('c'), 'c.name, c.id')}::text as json
     from shipping_carrier c where c.store_id = ${statement.bind(store)} and c.status = 'active'`,
  )
  return row?.json ?? '[]'
}
