import { type Insertable, sql } from 'kysely'
import type { Tx } from '../core/storage/database.ts'
import type { Tables } from '../core/storage/tables.ts'

/** Rows by table, with all required columns. They are sent as JSON. */
export type Rows = { [Table in keyof Tables]?: { [Column in keyof Insertable<Tables[Table]>]: unknown }[] }

const columnsOf = (rows: object[]) => [...new Set(rows.flatMap((row) => Object.keys(row)))]

const moveTimes = (rows: object[], by: number) =>
  rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([column, value]) => [
        column,
        value instanceof Date ? new Date(value.getTime() + by) : value,
      ]),
    ),
  )

/**
 * Inserts with one statement for each table, in the order of the keys: referenced tables come first. All times are moved
 * by the same number of milliseconds.
 */
export const writeRows = async (db: Tx, tables: Rows, moveBy: number) => {
  for (const [table, made] of Object.entries(tables)) {
    const rows = moveTimes(made, moveBy)
    const columns = sql.join(columnsOf(rows).map((column) => sql.ref(column)))
    // PostgreSQL converts the JSON by the row type of the table.
    await sql`insert into ${sql.table(table)} (${columns})
      select ${columns} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json)`.execute(
      db,
    )
  }
}
