import { sql } from 'kysely'
import { bindLinks, type FileLinks } from '../files/file-urls.ts'
import type { StoreId } from '../http/access.ts'
import type { Versioned } from '../http/versions.ts'
import type { Db, Tx } from '../storage/database.ts'
import { madeOnce, Statement } from '../storage/statement.ts'

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
type Render = (statement: Statement, links: FileLinks, alias: string) => string

/** Reads one row of a store by its id, as the JSON that is sent. */
export const finder =
  (table: Table, render: Render) =>
  async (db: Db, links: FileLinks, store: StoreId, id: string): Promise<string | undefined> => {
    const statement = new Statement()
    bindLinks(statement, links)
    const [ofStore, ofId] = [statement.bind(store), statement.bind(id)]
    const text = madeOnce(
      `one ${table}`,
      () => `select (${render(statement, links, 't')})::text as json from ${table} t
        where t.store_id = ${ofStore} and t.id = ${ofId}`,
    )
    const [row] = await statement.run<{ json: string }>(db, text)
    return row?.json
  }

export const existence =
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
  (table: Table, find: ReturnType<typeof finder>) =>
  (links: FileLinks, store: StoreId, id: string): Versioned => ({
    lock: (db) => lock(db, table, store, id),
    read: (db) => find(db, links, store, id),
  })
