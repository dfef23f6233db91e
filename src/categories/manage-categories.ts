import { OperatorError } from '../errors.ts'
import { foldText } from '../input/normalize-text.ts'
import { isUuid } from '../input/uuid.ts'
import { type Db, errorCode } from '../storage/database.ts'
import { requireStore } from '../stores/manage-stores.ts'

const MAX_NAME_LENGTH = 255

const shown = ['id', 'name'] as const

const nameColumns = (text: string) => {
  const name = text.normalize('NFC').trim()
  if (name === '') throw new OperatorError('--name must not be empty.')
  if (name.length > MAX_NAME_LENGTH)
    throw new OperatorError(`--name must not be longer than ${MAX_NAME_LENGTH} characters.`)
  return { name, name_key: foldText(name).slice(0, MAX_NAME_LENGTH) }
}

const refuseTaken = (name: string) => (error: unknown) => {
  throw errorCode(error) === '23505' ? new OperatorError(`The store has a category called ${name} already.`) : error
}

export const createCategory = async (db: Db, storeId: string, text: string) => {
  const columns = nameColumns(text)
  const store_id = await requireStore(db, storeId)
  return db
    .insertInto('category')
    .values({ store_id, ...columns })
    .returning(shown)
    .executeTakeFirstOrThrow()
    .catch(refuseTaken(columns.name))
}

/** Commands pass only the category's id, which is unique across stores. */
const findCategory = async (db: Db, id: string) => {
  const category = isUuid(id)
    ? await db.selectFrom('category').select(['store_id', 'id']).where('id', '=', id).executeTakeFirst()
    : undefined
  if (!category) throw new OperatorError(`There is no category ${id}.`)
  return category
}

export const renameCategory = async (db: Db, id: string, text: string) => {
  const columns = nameColumns(text)
  const category = await findCategory(db, id)
  return db
    .updateTable('category')
    .set(columns)
    .where('store_id', '=', category.store_id)
    .where('id', '=', category.id)
    .returning(shown)
    .executeTakeFirstOrThrow()
    .catch(refuseTaken(columns.name))
}

/** Its products stay, without a category. */
export const deleteCategory = async (db: Db, id: string) => {
  const category = await findCategory(db, id)
  return db
    .deleteFrom('category')
    .where('store_id', '=', category.store_id)
    .where('id', '=', category.id)
    .returning(shown)
    .executeTakeFirstOrThrow()
}

export const listCategories = async (db: Db, storeId: string) => {
  const store = await requireStore(db, storeId)
  return db
    .selectFrom('category')
    .select(shown)
    .where('store_id', '=', store)
    .orderBy('name_key')
    .orderBy('id')
    .execute()
}
