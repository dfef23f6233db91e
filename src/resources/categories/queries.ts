import { foldText } from '../../core/input/normalize-text.ts'
import { createExistenceCheck } from '../../core/reading/single-row.ts'
import { type Db, refuseDuplicate } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { invalid, notFound } from '../../errors.ts'
import { type CategoryChanges, MAX_CATEGORY_NAME, type NewCategory } from './schema.ts'

export const categoryExists = createExistenceCheck('category')

const shown = ['id', 'name'] as const

export const listCategories = (db: Db, store: StoreId) =>
  db.selectFrom('category').select(shown).where('store_id', '=', store).orderBy('name_key').orderBy('id').execute()

const nameColumns = (text: string) => {
  const name = text.trim()
  return { name, name_key: foldText(name).slice(0, MAX_CATEGORY_NAME) }
}

/** Ignores case and accents, as the uniqueness of names does. */
export const findCategoryByName = async (db: Db, store: StoreId, name: string): Promise<string | undefined> => {
  const { name_key } = nameColumns(name)
  const found = await db
    .selectFrom('category')
    .select('id')
    .where('store_id', '=', store)
    .where('name_key', '=', name_key)
    .executeTakeFirst()
  return found?.id
}

const refuseTakenName = refuseDuplicate(() => invalid({ name: ['belongs to another category'] }))

export const createCategory = (db: Db, store: StoreId, { name }: NewCategory) =>
  db
    .insertInto('category')
    .values({ store_id: store, ...nameColumns(name) })
    .returning(shown)
    .executeTakeFirstOrThrow()
    .catch(refuseTakenName)

/** Also updates the sort key of its products. */
export const updateCategory = async (db: Db, store: StoreId, id: string, { name }: CategoryChanges) => {
  if (name === undefined) return undefined
  const changed = await db
    .updateTable('category')
    .set(nameColumns(name))
    .where('store_id', '=', store)
    .where('id', '=', id)
    .returning(shown)
    .executeTakeFirst()
    .catch(refuseTakenName)
  if (!changed) throw notFound('category')
  return changed
}

/** Its products are kept, without a category. */
export const deleteCategory = async (db: Db, store: StoreId, id: string) => {
  const deleted = await db
    .deleteFrom('category')
    .where('store_id', '=', store)
    .where('id', '=', id)
    .returning(shown)
    .executeTakeFirst()
  if (!deleted) throw notFound('category')
  return deleted
}
