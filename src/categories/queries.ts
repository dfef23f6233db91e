import { createExistenceCheck } from '../reading/single-row.ts'
import type { Db } from '../storage/database.ts'

export const categoryExists = createExistenceCheck('category')

export const listCategories = (db: Db, store: string) =>
  db
    .selectFrom('category')
    .select(['id', 'name'])
    .where('store_id', '=', store)
    .orderBy('name_key')
    .orderBy('id')
    .execute()
