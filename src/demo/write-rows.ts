import { type Insertable, sql } from 'kysely'
import type { Tx } from '../storage/database.ts'
import type { Tables } from '../storage/tables.ts'

/** Rows by table: every column that must be given, and none that does not exist. Values travel as JSON. */
export type Rows = { [Table in keyof Tables]?: { [Column in keyof Insertable<Tables[Table]>]: unknown }[] }

const columnsOf = (rows: object[]) => [...new Set(rows.flatMap((row) => Object.keys(row)))]

/** One statement a table, in the sequence of the keys: what is referred to comes first. */
export const writeRows = async (db: Tx, tables: Rows) => {
  for (const [table, rows] of Object.entries(tables)) {
    const columns = sql.join(columnsOf(rows).map((column) => sql.ref(column)))
    // The table's own row type says what each value of the JSON is.
    await sql`insert into ${sql.table(table)} (${columns})
      select ${columns} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json)`.execute(
      db,
    )
  }
}
