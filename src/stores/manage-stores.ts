import { randomBytes } from 'node:crypto'
import { type Db, sqlState } from '../storage/database.ts'
import { slugify } from '../text.ts'
import { OperatorError } from './operator-error.ts'

export interface NewStore {
  name: string
  /** Where the store's shoppers are; links in orders and landing pages point there. */
  domain?: string | undefined
  currency?: string | undefined
}

const DEFAULT_CURRENCY = 'USD'

const ownDomain = (name: string) =>
  `${slugify(name).slice(0, 40) || 'store'}-${randomBytes(3).toString('hex')}.localhost`

export const createStore = async (
  db: Db,
  { name, domain = ownDomain(name), currency = DEFAULT_CURRENCY }: NewStore,
) => {
  if (!/^[A-Z]{3}$/.test(currency)) throw new OperatorError('--currency must be three capital letters, such as TND.')
  try {
    return await db
      .insertInto('store')
      .values({ name, domain, currency })
      .returning(['id', 'name', 'domain', 'currency'])
      .executeTakeFirstOrThrow()
  } catch (error) {
    if (sqlState(error) === '23505') throw new OperatorError(`Another store has the domain ${domain}.`)
    throw error
  }
}

export const listStores = (db: Db) =>
  db.selectFrom('store').select(['id', 'name', 'domain', 'currency', 'created_at']).orderBy('created_at').execute()

export const requireStore = async (db: Db, id: string) => {
  const store = /^[0-9a-f-]{36}$/i.test(id)
    ? await db.selectFrom('store').select('id').where('id', '=', id).executeTakeFirst()
    : undefined
  if (!store) throw new OperatorError(`There is no store ${id}.`)
  return store.id
}
