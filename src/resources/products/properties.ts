import { sql } from 'kysely'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { ProductChanges } from './input.ts'

const sameList = async (db: Tx, store: StoreId, product: string, rows: string) => {
  const { rows: found } = await sql<{ same: boolean }>`
    select coalesce((
      select json_agg(json_build_object('name', y.name, 'value', y.value) order by y.position, y.id)
      from product_property y where y.store_id = ${store} and y.product_id = ${product}), '[]')::jsonb = ${rows}::jsonb
    as same`.execute(db)
  return found[0]?.same === true
}

/** Replaces all properties, unless the list is unchanged. */
export const replaceProperties = async (
  db: Tx,
  store: StoreId,
  product: string,
  properties: NonNullable<ProductChanges['properties']>,
) => {
  const given = JSON.stringify(properties.map(({ name, value }) => ({ name, value })))
  if (await sameList(db, store, product, given)) return
  await db.deleteFrom('product_property').where('store_id', '=', store).where('product_id', '=', product).execute()
  if (properties.length === 0) return
  const rows = JSON.stringify(properties.map(({ name, value }, position) => ({ name, value, position })))
  await sql`
    insert into product_property (store_id, product_id, name, value, position)
    select ${store}, ${product}, r.name, r.value, r.position
    from json_to_recordset(${rows}::json) r (name text, value text, position integer)`.execute(db)
}
