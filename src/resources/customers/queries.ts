import { emailKey } from '../../core/input/email.ts'
import { createExistenceCheck } from '../../core/reading/single-row.ts'
import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

export const customerExists = createExistenceCheck('customer')

export const emailTaken = async (db: Db, store: StoreId, email: string, exceptId?: string) => {
  const owner = await db
    .selectFrom('customer')
    .select('id')
    .where('store_id', '=', store)
    .where('email_key', '=', emailKey(email))
    .executeTakeFirst()
  return owner !== undefined && owner.id !== exceptId
}
