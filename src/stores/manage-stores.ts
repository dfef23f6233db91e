import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { OperatorError } from '../errors.ts'
import { slugify } from '../input/normalize-text.ts'
import { isUuid } from '../input/uuid.ts'
import { type Db, errorCode, type Tx, transact } from '../storage/database.ts'
import { claimHost } from './host-claims.ts'
import { setPrimaryHost } from './primary-domain.ts'
import { lockStore } from './queries.ts'
import { checkCurrency, checkDomain } from './store-fields.ts'

interface NewStore {
  name: string
  /** Links in orders and landing pages point to this domain. */
  domain?: string | undefined
  currency?: string | undefined
}

type Settings = Record<'time_zone' | 'language' | 'contact_email' | 'contact_phone' | 'contact_address', string | null>

type StoreChanges = Partial<NewStore> & { [Field in keyof Settings]?: Settings[Field] | undefined }

const DEFAULT_CURRENCY = 'USD'

const ownDomain = (name: string) =>
  `${slugify(name).slice(0, 40) || 'store'}-${randomBytes(3).toString('hex')}.localhost`

const shown = ['id', 'name', 'domain', 'currency'] as const

const refuseTaken = (domain: string | undefined) => (error: unknown) => {
  throw errorCode(error) === '23505' ? new OperatorError(`Another store has the domain ${domain}.`) : error
}

const check = async (db: Db, { name, domain, currency }: StoreChanges) => {
  if (name?.trim() === '') throw new OperatorError('--name must not be empty.')
  if (domain !== undefined) checkDomain(domain)
  if (currency !== undefined) await checkCurrency(db, currency)
}

export const createStore = async (db: Db, store: NewStore) => {
  await check(db, store)
  const { name, domain = ownDomain(name), currency = DEFAULT_CURRENCY } = store
  return transact(db, async (db) => {
    const created = await db
      .insertInto('store')
      .values({ name, domain, currency })
      .returning(shown)
      .executeTakeFirstOrThrow()
    await claimHost(db, created.id, domain)
    await db.insertInto('domain').values({ store_id: created.id, host: domain, is_primary: true }).execute()
    await installBuiltInApp(db, created.id)
    return created
  }).catch(refuseTaken(domain))
}

/** The console is installed on every store. A trigger does so too, unless the database is distributed. */
const installBuiltInApp = (db: Tx, store: string) =>
  sql`insert into installation (store_id, app_id, permissions)
    select ${store}, a.id, '{}' from app a where a.built_in on conflict do nothing`.execute(db)

const settings = ['time_zone', 'language', 'contact_email', 'contact_phone', 'contact_address'] as const

/** Links in orders and landing pages use the new domain. Existing orders keep their currency. */
export const updateStore = async (db: Db, id: string, changes: StoreChanges) => {
  const fields = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  if (Object.keys(fields).length === 0)
    throw new OperatorError(
      'Nothing to change: give --name, --domain, --currency, --time-zone, --language or a --contact.',
    )
  await check(db, changes)
  const store = await requireStore(db, id)
  return transact(db, async (db) => {
    await lockStore(db, store)
    if (changes.domain !== undefined) await setPrimaryHost(db, store, changes.domain)
    return db
      .updateTable('store')
      .set(fields)
      .where('id', '=', store)
      .returning([...shown, ...settings.filter((name) => name in fields)])
      .executeTakeFirstOrThrow()
  }).catch(refuseTaken(changes.domain))
}

export const listStores = (db: Db) =>
  db.selectFrom('store').select(['id', 'name', 'domain', 'currency', 'created_at']).orderBy('created_at').execute()

export const requireStore = async (db: Db, id: string) => {
  const store = await findStore(db, id)
  return store.id
}

export const findStore = async (db: Db, id: string) => {
  const store = isUuid(id)
    ? await db.selectFrom('store').select(shown).where('id', '=', id).executeTakeFirst()
    : undefined
  if (!store) throw new OperatorError(`There is no store ${id}.`)
  return store
}
