import { createFinder } from '../../../src/reading/find-one.ts'
import type { Listing } from '../../../src/reading/list-page.ts'
import type { Db, Tx } from '../../../src/storage/database.ts'
import type { Statement } from '../../../src/storage/statement.ts'
import type { StoreId } from '../../../src/storage/store-id.ts'
import type { DiscountQuery, NewDiscount } from './schema.ts'
import type {} from './tables.ts'

const discountJson = (
  d: string,
) => `(select row_to_json(r) from (select ${d}.id, ${d}.code, ${d}.status, ${d}.product_id,
  iso(${d}.created_at) as created_at) r)`

export const discountListing: Listing<DiscountQuery['order_by']> = {
  key: 'discounts',
  table: 'discount',
  alias: 'd',
  counts: { kind: 'discount', facets: ['status'] },
  json: () => discountJson('d'),
  sorts: {
    created_at: { sql: 'd.created_at', type: 'timestamptz' },
    code: { sql: 'd.code', type: 'text' },
  },
}

export const discountFilters =
  ({ status, product_id }: DiscountQuery) =>
  ({ bind }: Statement) => [status && `d.status = ${bind(status)}`, product_id && `d.product_id = ${bind(product_id)}`]

const find = createFinder<void>(
  'discount',
  (_statement, _context, d) => discountJson(d),
  () => {},
)

export const findDiscount = (db: Db, store: StoreId, id: string) => find(db, undefined, store, id)

export const productExists = async (db: Db, store: StoreId, id: string) =>
  (await db
    .selectFrom('product')
    .select('id')
    .where('store_id', '=', store)
    .where('id', '=', id)
    .executeTakeFirst()) !== undefined

export const insertDiscount = async (db: Tx, store: StoreId, { code, status, product_id = null }: NewDiscount) => {
  const { id } = await db
    .insertInto('discount')
    .values({ store_id: store, code, product_id, ...(status && { status }) })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
