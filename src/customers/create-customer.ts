import { countryExists } from '../countries/queries.ts'
import { invalid, ValidationErrors } from '../errors.ts'
import type { Tx } from '../storage/database.ts'
import type { StoreId } from '../storage/store-id.ts'
import { derivedColumns } from './derived-columns.ts'
import { emailTaken } from './queries.ts'
import type { NewCustomer } from './schema.ts'

/** Returns the id of the new customer. */
export const createCustomer = async (db: Tx, store: StoreId, given: NewCustomer): Promise<string> => {
  const errors = new ValidationErrors()
  if (typeof given.country_id === 'string' && !(await countryExists(db, given.country_id)))
    errors.add('country_id', 'must be the id of a country')
  if (errors.any && (await emailTaken(db, store, given.email))) errors.add('email', 'belongs to another customer')
  errors.throwIfAny()

  const customer = { name: '', phone: null, address: null, city: null, postal_code: null, ...given }
  const created = await db
    .insertInto('customer')
    .values({ store_id: store, ...customer, ...derivedColumns(customer) })
    .onConflict((conflict) => conflict.columns(['store_id', 'email_key']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!created) throw invalid({ email: ['belongs to another customer'] })
  return created.id
}
