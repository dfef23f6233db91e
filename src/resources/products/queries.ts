import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Versioned } from '../../core/http/versions.ts'
import { createExistenceCheck } from '../../core/reading/single-row.ts'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { OptionsAndVariants } from './options-and-variants.ts'

export const productExists = createExistenceCheck('product')

/** Returns the category's sort key, and locks the category until the transaction ends. */
export const findCategoryKey = async (db: Tx, store: StoreId, id: string) =>
  (
    await db
      .selectFrom('category')
      .select('name_key')
      .where('store_id', '=', store)
      .where('id', '=', id)
      .forKeyShare()
      .executeTakeFirst()
  )?.name_key

interface LockedVariants {
  /** All variants of the product, or these. */
  all: boolean
  ids: string[]
}

/**
 * Locks variants before the product, like an order that takes the last unit, to avoid deadlocks. The only variant of a
 * product without options is always included.
 */
export const lockVariants = (db: Tx, store: StoreId, product: string, { all, ids }: LockedVariants) =>
  sql`select 1 from variant where store_id = ${store} and product_id = ${product}
    and (${all} or choice = '' or id = any(${ids}::uuid[])) order by id for update`.execute(db)

export type LockedProduct = NonNullable<Awaited<ReturnType<typeof lockProduct>>>

export const lockProduct = (db: Tx, store: StoreId, id: string) =>
  db
    .selectFrom('product')
    .select(['title', 'slug', 'description', 'page_title', 'meta_description', 'is_digital', 'status'])
    .select(['stock_tracked', 'allow_order_when_oos', 'category_id'])
    .where('store_id', '=', store)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()

/** Returns whether the product exists in the store, and locks it against deletion until the transaction ends. */
export const lockProductReference = async (db: Tx, store: StoreId, id: string) =>
  (await db
    .selectFrom('product')
    .select('id')
    .where('store_id', '=', store)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()) !== undefined

/** Loads a product with all its variants for an update. */
export const productVersion = ({ store, texts }: FastifyRequest, id: string): Versioned => ({
  lock: async (db) => {
    await lockVariants(db, store, id, { all: true, ids: [] })
    await lockProduct(db, store, id)
  },
  read: (db) => texts.one(db, 'product', id),
})

export const readOptionsAndVariants = async (db: Tx, store: StoreId, product: string): Promise<OptionsAndVariants> => {
  const { rows } = await sql<OptionsAndVariants>`
    select
      coalesce((
        select json_agg(json_build_object('id', o.id, 'name', o.name, 'order', o.position, 'values', coalesce((
          select json_agg(json_build_object('id', b.id, 'value', b.value, 'order', b.position) order by b.position, b.id)
          from option_value b where b.store_id = ${store} and b.product_id = o.product_id and b.option_id = o.id
        ), '[]')) order by o.position, o.id)
        from product_option o where o.store_id = ${store} and o.product_id = ${product}
      ), '[]') as options,
      coalesce((
        select json_agg(json_build_object('id', v.id, 'title', v.title, 'price', v.price,
          'compare_price', v.compare_price, 'sku', v.sku, 'quantity', v.quantity, 'place', v.position,
          'choice', v.choice,
          'values', coalesce((select json_object_agg(a.option_id, a.value_id) from variant_value a
            where a.store_id = ${store} and a.variant_id = v.id), '{}'),
          'image', (select l.file_id from file_link l where l.store_id = ${store} and l.variant_id = v.id
            and l.role = 'variant_image'),
          'file', (select l.file_id from file_link l where l.store_id = ${store} and l.variant_id = v.id
            and l.role = 'digital_product')) order by v.position, v.id)
        from variant v where v.store_id = ${store} and v.product_id = ${product}
      ), '[]') as variants`.execute(db)
  return rows[0] as OptionsAndVariants
}

export const countImages = async (db: Tx, store: StoreId, product: string) => {
  const { rows } = await sql<{ count: number }>`select count(*) from file_link
    where store_id = ${store} and product_id = ${product} and role = 'product_images'`.execute(db)
  return rows[0]?.count ?? 0
}
