import { sql } from 'kysely'
import { refuseDuplicate, type Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { invalid, notFound, ValidationErrors } from '../../errors.ts'
import { countryExists } from '../countries/queries.ts'
import { derivedColumns } from './derived-columns.ts'
import { emailTaken } from './queries.ts'
import type { CustomerChanges } from './schema.ts'

/** Locks the row, so that concurrent changes of different fields do not overwrite each other's derived columns. */
const lockCustomer = (db: Tx, store: StoreId, id: string) =>
  db
    .selectFrom('customer')
    .select(['email', 'name', 'phone', 'address', 'city', 'postal_code'])
    .where('store_id', '=', store)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()

const checkChanges = async (db: Tx, store: StoreId, id: string, changes: CustomerChanges) => {
  const errors = new ValidationErrors()
  if (typeof changes.country_id === 'string' && !(await countryExists(db, changes.country_id)))
    errors.add('country_id', 'must be the id of a country')
  if (changes.email !== undefined && (await emailTaken(db, store, changes.email, id)))
    errors.add('email', 'belongs to another customer')
  errors.throwIfAny()
}

export const updateCustomer = async (db: Tx, store: StoreId, id: string, changes: CustomerChanges): Promise<void> => {
  const known = await lockCustomer(db, store, id)
  if (!known) throw notFound('customer')
  await checkChanges(db, store, id, changes)
  if (Object.keys(changes).length > 0) {
    await db
      .updateTable('customer')
      .set({ ...changes, ...derivedColumns({ ...known, ...changes }), updated_at: sql`now()` })
      .where('store_id', '=', store)
      .where('id', '=', id)
      .execute()
      // Another transaction may have taken the email after the check.
      .catch(
        refuseDuplicate(() => invalid({ email: ['belongs to another customer'] }), 'customer_store_id_email_key_key'),
      )
  }
}
