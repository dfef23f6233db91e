import { sql } from 'kysely'
import type { Db, Tx } from '../storage/database.ts'
import { identifier, sqlText } from '../storage/sql.ts'
import { Statement } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import type { Tables } from '../storage/tables.ts'

type Table = keyof Tables

export const createExistenceCheck =
  (table: Table) =>
  async (db: Db, store: StoreId, id: string): Promise<boolean> => {
    const statement = new Statement()
    const text = sqlText`select 1 from ${identifier(table)} t where t.store_id = ${statement.bind(store)} and t.id = ${statement.bind(id)}`
    return (await statement.run(db, text)).length > 0
  }

/** Locks one row of a store against changes and deletion until the transaction ends. */
export const lockRow = (db: Tx, table: Table, store: StoreId, id: string) =>
  sql`select 1 from ${sql.table(table)} where store_id = ${store} and id = ${id} for no key update`.execute(db)
