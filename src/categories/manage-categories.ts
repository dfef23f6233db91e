import { type Db, sqlState } from '../storage/database.ts'
import { requireStore } from '../stores/manage-stores.ts'
import { OperatorError } from '../stores/operator-error.ts'
import { fold } from '../text.ts'

const MOST_NAME_LENGTH = 255

const shown = ['id', 'name'] as const

export const createCategory = async (db: Db, storeId: string, text: string) => {
  const name = text.normalize('NFC').trim()
  if (name === '') throw new OperatorError('--name must not be empty.')
  if (name.length > MOST_NAME_LENGTH)
    throw new OperatorError(`--name must not be longer than ${MOST_NAME_LENGTH} characters.`)
  const store_id = await requireStore(db, storeId)
  try {
    return await db
      .insertInto('category')
      .values({ store_id, name, name_key: fold(name).slice(0, MOST_NAME_LENGTH) })
      .returning(shown)
      .executeTakeFirstOrThrow()
  } catch (error) {
    if (sqlState(error) === '23505') throw new OperatorError(`The store has a category called ${name} already.`)
    throw error
  }
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
