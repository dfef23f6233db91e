import type { StoreId } from '../http/access.ts'
import { emailKey } from '../input/email.ts'
import { existence, finder, versioned } from '../reading/find-one.ts'
import type { Db } from '../storage/database.ts'
import { customerJson } from './json.ts'

export const findCustomer = finder('customer', customerJson)

export const customerVersion = versioned('customer', findCustomer)

export const customerExists = existence('customer')

export const emailTaken = async (db: Db, store: StoreId, email: string, butBy?: string) => {
  const holder = await db
    .selectFrom('customer')
    .select('id')
    .where('store_id', '=', store)
    .where('email_key', '=', emailKey(email))
    .executeTakeFirst()
  return holder !== undefined && holder.id !== butBy
}
