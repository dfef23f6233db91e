import { countryExists } from '../countries/queries.ts'
import { Faults, invalid } from '../errors.ts'
import type { FileLinks } from '../files/file-urls.ts'
import type { StoreId } from '../http/access.ts'
import type { Tx } from '../storage/database.ts'
import { customerKeys } from './derived-columns.ts'
import { emailTaken, findCustomer } from './queries.ts'
import type { NewCustomer } from './schema.ts'

export const createCustomer = async (db: Tx, links: FileLinks, store: StoreId, given: NewCustomer): Promise<string> => {
  const faults = new Faults()
  if (typeof given.country_id === 'string' && !(await countryExists(db, given.country_id)))
    faults.add('country_id', 'must be the id of a country')
  if (faults.any && (await emailTaken(db, store, given.email))) faults.add('email', 'belongs to another customer')
  faults.throwIfAny()

  const customer = { name: '', phone: null, address: null, city: null, postal_code: null, ...given }
  const created = await db
    .insertInto('customer')
    .values({ store_id: store, ...customer, ...customerKeys(customer) })
    .onConflict((conflict) => conflict.columns(['store_id', 'email_key']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!created) throw invalid({ email: ['belongs to another customer'] })
  return (await findCustomer(db, links, store, created.id)) as string
}
