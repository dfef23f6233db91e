import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { slugify } from '../../core/input/normalize-text.ts'
import { type Db, type Tx, transact } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { claimHost } from './host-claims.ts'
import { STORE_COLUMNS } from './queries.ts'
import { checkStore, type NewStore, refuseTakenDomain } from './store-fields.ts'

const DEFAULT_CURRENCY = 'USD'

const ownDomain = (name: string) =>
  `${slugify(name).slice(0, 40) || 'store'}-${randomBytes(3).toString('hex')}.localhost`

/** `also` runs in the transaction. */
export const createStore = async (
  db: Db,
  store: NewStore,
  also: (db: Tx, created: { id: StoreId; name: string }) => Promise<unknown> = async () => {},
) => {
  await checkStore(db, store)
  const { name, domain = ownDomain(name), currency = DEFAULT_CURRENCY } = store
  return transact(db, async (db) => {
    const created = await db
      .insertInto('store')
      .values({ id: store.id, name, domain, currency })
      .returning(STORE_COLUMNS)
      .executeTakeFirstOrThrow()
    await claimHost(db, created.id, domain)
    await db.insertInto('domain').values({ store_id: created.id, host: domain, is_primary: true }).execute()
    await installBuiltInApp(db, created.id)
    await also(db, created)
    return created
  }).catch(refuseTakenDomain(domain))
}

/** The console is installed on every store. A trigger does so too, unless the database is distributed. */
export const installBuiltInApp = (db: Tx, store: StoreId) =>
  sql`insert into installation (store_id, app_id, permissions)
    select ${store}, a.id, '{}' from app a where a.built_in on conflict do nothing`.execute(db)
