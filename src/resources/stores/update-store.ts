import { type Db, type Tx, transact } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { OperatorError } from '../../errors.ts'
import { setPrimaryHost } from './primary-domain.ts'
import { lockStore, requireStore, STORE_COLUMNS } from './queries.ts'
import { checkStore, refuseTakenDomain, SETTINGS, type StoreChanges } from './store-fields.ts'

/** `also` runs in the transaction. Links in orders and landing pages use the new domain. Existing orders keep their currency. */
export const updateStore = async (
  db: Db,
  id: string,
  changes: StoreChanges,
  also: (db: Tx, store: StoreId) => Promise<unknown> = async () => {},
) => {
  const fields = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  if (Object.keys(fields).length === 0)
    throw new OperatorError(
      'Nothing to change: give --name, --domain, --currency, --time-zone, --language or a --contact.',
    )
  await checkStore(db, changes)
  const store = await requireStore(db, id)
  return transact(db, async (db) => {
    await lockStore(db, store)
    await also(db, store)
    if (changes.domain !== undefined) await setPrimaryHost(db, store, changes.domain)
    return db
      .updateTable('store')
      .set(fields)
      .where('id', '=', store)
      .returning([...STORE_COLUMNS, ...SETTINGS.filter((name) => name in fields)])
      .executeTakeFirstOrThrow()
  }).catch(refuseTakenDomain(changes.domain))
}
