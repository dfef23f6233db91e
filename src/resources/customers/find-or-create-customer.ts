import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { type CustomerFields, derivedColumns } from './derived-columns.ts'

/** Finds the customer by email, or creates one from these fields. An existing customer is not changed. */
export const findOrCreateCustomer = async (
  db: Tx,
  store: StoreId,
  customer: CustomerFields & { country_id: string | null },
): Promise<string> => {
  const keys = derivedColumns(customer)
  for (;;) {
    const created = await db
      .insertInto('customer')
      .values({ store_id: store, ...customer, ...keys })
      .onConflict((conflict) => conflict.columns(['store_id', 'email_key']).doNothing())
      .returning('id')
      .executeTakeFirst()
    if (created) return created.id
    // Locks the customer against deletion. One that is deleted meanwhile is created again.
    const known = await db
      .selectFrom('customer')
      .select('id')
      .where('store_id', '=', store)
      .where('email_key', '=', keys.email_key)
      .forKeyShare()
      .executeTakeFirst()
    if (known) return known.id
  }
}
