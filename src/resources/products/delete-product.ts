import { sql } from 'kysely'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound } from '../../errors.ts'
import { lockVariants } from './queries.ts'

/**
 * Deletes a product with its variants, reviews and landing pages. Order lines keep their own copy of title, price and
 * options. Takes locks in the same order as placing an order does: landing pages, then variants.
 */
export const deleteProduct = async (db: Tx, store: StoreId, id: string): Promise<void> => {
  await sql`select 1 from landing_page where store_id = ${store} and product_id = ${id} order by id for update`.execute(
    db,
  )
  await lockVariants(db, store, id, { all: true, ids: [] })
  const deleted = await db
    .deleteFrom('product')
    .where('store_id', '=', store)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (!deleted) throw notFound('product')
}
