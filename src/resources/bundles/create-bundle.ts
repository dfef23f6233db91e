import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { ValidationErrors } from '../../errors.ts'
import { lockProductReference } from '../products/queries.ts'
import { checkNames, nameColumns } from './rules.ts'
import type { NewBundle } from './schema.ts'

export const createBundle = async (db: Tx, store: StoreId, input: NewBundle): Promise<string> => {
  const { product_id, name, status, options } = input
  const errors = new ValidationErrors()
  if (!(await lockProductReference(db, store, product_id))) errors.add('product_id', 'must be the id of a product')
  checkNames(options, errors)
  errors.throwIfAny()
  const { id } = await db
    .insertInto('bundle')
    .values({ store_id: store, product_id, ...nameColumns(name), ...(status && { status }) })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('bundle_option')
    .values(
      options.map(({ name, quantity, price }, position) => ({
        store_id: store,
        bundle_id: id,
        position,
        name,
        quantity,
        price,
      })),
    )
    .execute()
  return id
}
