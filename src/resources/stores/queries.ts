import { sql } from 'kysely'
import { isUuid } from '../../core/input/uuid.ts'
import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { OperatorError } from '../../errors.ts'

/** Serialises changes of the store's settings and limits. Does not block orders or products. */
export const lockStore = (db: Db, store: StoreId) =>
  sql`select 1 from store where id = ${store} for no key update`.execute(db)

export const STORE_COLUMNS = ['id', 'name', 'domain', 'currency'] as const

export const listStores = (db: Db) =>
  db
    .selectFrom('store')
    .select([...STORE_COLUMNS, 'suspended_at', 'created_at'])
    .orderBy('created_at')
    .execute()

export const requireStore = async (db: Db, id: string) => {
  const store = await findStore(db, id)
  return store.id
}

export const findStore = async (db: Db, id: string) => {
  const store = isUuid(id)
    ? await db
        .selectFrom('store')
        .select(STORE_COLUMNS)
        .where('id', '=', id as StoreId)
        .executeTakeFirst()
    : undefined
  if (!store) throw new OperatorError(`There is no store ${id}.`)
  return store
}
