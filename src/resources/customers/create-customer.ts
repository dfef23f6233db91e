import type { Db } from '../../core/storage/database.ts'
import { databaseCaller } from '../../core/storage/database-caller.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { invalid, ValidationErrors } from '../../errors.ts'
import { countryExists } from '../countries/queries.ts'
import { derivedColumns } from './derived-columns.ts'
import { emailTaken } from './queries.ts'
import type { NewCustomer } from './schema.ts'
import { CUSTOMER_COLUMNS, type CustomerRow, customerText } from './text.ts'

/** Sets whom the change is attributed to, because no transaction around the statement does. */
const INSERT = sqlText`
  insert into customer (store_id, name, email, phone, address, city, postal_code, country_id, subscription_status,
    email_key, name_key, phone_digits, address_key, city_key, postal_code_key, search)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
  on conflict (store_id, email_key) do nothing
  returning ${CUSTOMER_COLUMNS}, attribute_change(id, $17, $18, $19, $20)`

/** Returns the JSON text of the new customer. One statement, unless it is refused: countries are cached. */
export const createCustomer = async (db: Db, store: StoreId, input: NewCustomer): Promise<string> => {
  const errors = new ValidationErrors()
  if (typeof input.country_id === 'string' && !(await countryExists(db, input.country_id)))
    errors.add('country_id', 'must be the id of a country')
  if (errors.any && (await emailTaken(db, store, input.email))) errors.add('email', 'belongs to another customer')
  errors.throwIfAny()

  const { email, name = '', phone = null, address = null, city = null, postal_code = null } = input
  const { country_id = null, subscription_status = 'not_subscribed' } = input
  const keys = derivedColumns({ email, name, phone, address, city, postal_code })
  const { app = null, account = null, via = null, trace = null } = databaseCaller.getStore() ?? {}
  const values = [
    ...[store, name, email, phone, address, city, postal_code, country_id, subscription_status],
    ...[keys.email_key, keys.name_key, keys.phone_digits, keys.address_key, keys.city_key, keys.postal_code_key],
    ...[keys.search, app, account, via, trace],
  ]
  const [created] = await runSql<CustomerRow>(db, INSERT, values)
  if (!created) throw invalid({ email: ['belongs to another customer'] })
  return customerText(created)
}
