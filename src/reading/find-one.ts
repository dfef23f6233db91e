import { sql } from 'kysely'
import { bindFileUrls, type FileUrls } from '../files/file-urls.ts'
import type { Versioned } from '../http/versions.ts'
import type { Db, Tx } from '../storage/database.ts'
import { cachedSql, Statement } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'

type Table =
  | 'product'
  | 'orders'
  | 'delivery'
  | 'order_return'
  | 'refund'
  | 'customer'
  | 'review'
  | 'landing_page'
  | 'file'

/** Renders one row of `alias`; the addresses of files are all it may bind. */
type Render = (statement: Statement, fileUrls: FileUrls, alias: string) => string

/** Reads one row of a store by its id, as the JSON that is sent. */
export const createFinder =
  (table: Table, render: Render) =>
  async (db: Db, fileUrls: FileUrls, store: StoreId, id: string): Promise<string | undefined> => {
    const statement = new Statement()
    bindFileUrls(statement, fileUrls)
    const [ofStore, ofId] = [statement.bind(store), statement.bind(id)]
    const text = cachedSql(
      `one ${table}`,
      () => `select (${render(statement, fileUrls, 't')})::text as json from ${table} t
        where t.store_id = ${ofStore} and t.id = ${ofId}`,
    )
    const [row] = await statement.run<{ json: string }>(db, text)
    return row?.json
  }

export const createExistenceCheck =
  (table: Table) =>
  async (db: Db, store: StoreId, id: string): Promise<boolean> => {
    const statement = new Statement()
    const text = `select from ${table} t where t.store_id = ${statement.bind(store)} and t.id = ${statement.bind(id)}`
    return (await statement.run(db, text)).length > 0
  }

/** Holds one row of a store until the transaction ends: nobody else changes or deletes it meanwhile. */
const lock = (db: Tx, table: Table, store: StoreId, id: string) =>
  sql`select from ${sql.table(table)} where store_id = ${store} and id = ${id} for no key update`.execute(db)

/** A row of a store as what a write changes. */
export const versioned =
  (table: Table, find: ReturnType<typeof createFinder>) =>
  (fileUrls: FileUrls, store: StoreId, id: string): Versioned => ({
    lock: (db) => lock(db, table, store, id),
    read: (db) => find(db, fileUrls, store, id),
  })
