import type { FileLinks } from '../files/links.ts'
import type { StoreId } from '../http/access.ts'
import type { Db } from '../storage/database.ts'
import { Statement } from '../storage/statement.ts'
import { emailKey } from './email.ts'
import { customerJson } from './json.ts'

export const findCustomer = async (
  db: Db,
  links: FileLinks,
  store: StoreId,
  id: string,
): Promise<string | undefined> => {
  const statement = new Statement()
  const [row] = await statement.run<{ json: string }>(
    db,
    `select (${customerJson(statement, links, 'c')})::text as json
     from customer c where c.store_id = ${statement.bind(store)} and c.id = ${statement.bind(id)}`,
  )
  return row?.json
}

export const customerExists = async (db: Db, store: StoreId, id: string) =>
  (await db
    .selectFrom('customer')
    .select('id')
    .where('store_id', '=', store)
    .where('id', '=', id)
    .executeTakeFirst()) !== undefined

export const emailTaken = async (db: Db, store: StoreId, email: string, butBy?: string) => {
  const holder = await db
    .selectFrom('customer')
    .select('id')
    .where('store_id', '=', store)
    .where('email_key', '=', emailKey(email))
    .executeTakeFirst()
  return holder !== undefined && holder.id !== butBy
}
