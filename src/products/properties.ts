import { sql } from 'kysely'
import type { StoreId } from '../http/access.ts'
import type { Tx } from '../storage/database.ts'
import type { ProductChanges } from './input.ts'

/** Properties are nobody's but the product's: the given list takes the place of the one before. */
export const replaceProperties = async (
  db: Tx,
  store: StoreId,
  product: string,
  properties: NonNullable<ProductChanges['properties']>,
) => {
  await db.deleteFrom('product_property').where('store_id', '=', store).where('product_id', '=', product).execute()
  if (properties.length === 0) return
  const rows = JSON.stringify(properties.map(({ name, value }, position) => ({ name, value, position })))
  await sql`
    insert into product_property (store_id, product_id, name, value, position)
    select ${store}, ${product}, r.name, r.value, r.position
    from json_to_recordset(${rows}::json) r (name text, value text, position integer)`.execute(db)
}
