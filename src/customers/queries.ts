import { bindFileUrls } from '../files/file-urls.ts'
import { emailKey } from '../input/email.ts'
import { createExistenceCheck, createFinder, versioned } from '../reading/find-one.ts'
import type { Db } from '../storage/database.ts'
import type { StoreId } from '../storage/store-id.ts'
import { type CustomerEmbeds, customerJson } from './json.ts'

export const createCustomerFinder = (embeds: CustomerEmbeds) =>
  createFinder('customer', customerJson(embeds), bindFileUrls)

export const createCustomerVersion = (embeds: CustomerEmbeds) => versioned('customer', createCustomerFinder(embeds))

export const customerExists = createExistenceCheck('customer')

export const emailTaken = async (db: Db, store: StoreId, email: string, exceptId?: string) => {
  const holder = await db
    .selectFrom('customer')
    .select('id')
    .where('store_id', '=', store)
    .where('email_key', '=', emailKey(email))
    .executeTakeFirst()
  return holder !== undefined && holder.id !== exceptId
}
