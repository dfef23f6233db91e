import type { FindByLine } from '../../core/http/resource.ts'
import { isUuid } from '../../core/input/uuid.ts'
import { identifier, type Sql, sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { Tables } from '../../core/storage/tables.ts'

const asGiven = (text: string) => text

/** Finds a resource by a field of the line. In the condition, $2 is the field's value, passed through `key`. */
export const findBy = (table: keyof Tables, field: string, condition: Sql, key = asGiven): FindByLine => {
  const text = sqlText`select id from ${identifier(table)} where store_id = $1 and ${condition}`
  return async (db, store, line) => {
    const given = line[field]
    if (typeof given !== 'string' || given === '') return undefined
    return (await runSql<{ id: string }>(db, text, [store, key(given)]))[0]?.id
  }
}

export const findById = (table: keyof Tables): FindByLine => {
  const find = findBy(table, 'id', sqlText`id = $2`)
  return async (db, store, line) => (isUuid(String(line.id)) ? find(db, store, line) : undefined)
}
