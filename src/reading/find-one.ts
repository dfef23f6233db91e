import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Versioned } from '../http/versions.ts'
import type { Db, Tx } from '../storage/database.ts'
import { Statement } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import type { Tables } from '../storage/tables.ts'
import type { Render as TextRender } from './texts.ts'

type Table = keyof Tables

/** Renders one row of `alias`; all that it binds is bound beforehand. */
type Render<Context> = (statement: Statement, context: Context, alias: string) => string

export type Finder<Context> = (db: Db, context: Context, store: StoreId, id: string) => Promise<string | undefined>

/** Several rows of a store as SQL renders them: a kind of text whose aggregate has no text.ts yet. */
export const createRender = <Context>(
  table: Table,
  render: Render<Context>,
  bind: (statement: Statement, context: Context) => unknown,
): TextRender<Context> => {
  // The same for every call: values are bound in the same order each time.
  let text: string | undefined
  return async (db, store, ids, context) => {
    const statement = new Statement()
    bind(statement, context)
    const [ofStore, ofIds] = [statement.bind(store), statement.bind(ids)]
    text ??= `select t.id, (${render(statement, context, 't')})::text as text from ${table} t
      where t.store_id = ${ofStore} and t.id = any(${ofIds})`
    const rows = await statement.run<{ id: string; text: string }>(db, text)
    return new Map(rows.map(({ id, text }) => [id, text]))
  }
}

/** Reads one row of a store by its id, as the JSON that is sent. */
export const createFinder = <Context>(...declared: Parameters<typeof createRender<Context>>): Finder<Context> => {
  const render = createRender(...declared)
  return async (db, context, store, id) => {
    const [text] = (await render(db, store, [id], context)).values()
    return text
  }
}

/** Reads a resource again for a retry whose first reply was too large to be stored. */
export const findAgain =
  ({ fileUrls, store }: FastifyRequest, find: Finder<FastifyRequest['fileUrls']>) =>
  (db: Db, id: string) =>
    find(db, fileUrls, store, id)

export const createExistenceCheck =
  (table: Table) =>
  async (db: Db, store: StoreId, id: string): Promise<boolean> => {
    const statement = new Statement()
    const text = `select from ${table} t where t.store_id = ${statement.bind(store)} and t.id = ${statement.bind(id)}`
    return (await statement.run(db, text)).length > 0
  }

/** Holds one row of a store until the transaction ends: nobody else changes or deletes it meanwhile. */
export const lockRow = (db: Tx, table: Table, store: StoreId, id: string) =>
  sql`select from ${sql.table(table)} where store_id = ${store} and id = ${id} for no key update`.execute(db)

/** A row of a store as what a write changes. */
export const versioned =
  <Context>(table: Table, find: Finder<Context>) =>
  (context: Context, store: StoreId, id: string): Versioned => ({
    lock: (db) => lockRow(db, table, store, id),
    read: (db) => find(db, context, store, id),
  })
