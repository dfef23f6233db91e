import { invalid } from '../../errors.ts'
import { dayExists } from '../input/date-bounds.ts'
import { isUuid } from '../input/uuid.ts'
import { chooseSql, identifier, type Sql, sqlText } from '../storage/sql.ts'
import type { Statement } from '../storage/statement.ts'

export type ColumnType = 'text' | 'numeric' | 'float8' | 'integer' | 'timestamptz' | 'uuid'

export interface SortColumn {
  /** An expression over the listed table. Never null: missing values get a sort key too. */
  sql: Sql
  type: ColumnType
}

export interface PageQuery<Sorts extends string> {
  page: number
  page_size: number
  order_by: Sorts
  order_direction: 'ASC' | 'DESC'
  cursor?: string
  /** False: the total is not needed. */
  total?: boolean
}

export interface Cursor {
  sort: string
  direction: 'ASC' | 'DESC'
  page: number
  after: (string | number)[]
}

export const encodeCursor = (cursor: Cursor) =>
  Buffer.from(JSON.stringify([cursor.sort, cursor.direction, cursor.page, cursor.after])).toString('base64url')

const MAX_INTEGER = 2 ** 31 - 1
/** A timestamp as PostgreSQL writes it, in any time zone. There was no year 0. */
const MOMENT = /^(?!0000)\d{4}(-\d\d){2}T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d{1,6})?[+-](0\d|1[0-5])(:[0-5]\d){1,2}$/

/** Whether PostgreSQL accepts the value for the type. A forged cursor gets a validation error, not a failed statement. */
const IS_VALID: Record<ColumnType, (value: unknown) => boolean> = {
  text: (value) => typeof value === 'string' && !value.includes('\0'),
  numeric: Number.isFinite,
  float8: Number.isFinite,
  integer: (value) => Number.isInteger(value) && Math.abs(value as number) <= MAX_INTEGER,
  timestamptz: (value) => typeof value === 'string' && MOMENT.test(value) && dayExists(value.slice(0, 10)),
  uuid: (value) => typeof value === 'string' && isUuid(value),
}

const decodeCursor = (text: string): Cursor | undefined => {
  try {
    const [sort, direction, page, after] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    const isWellFormed = Number.isSafeInteger(page) && page > 1 && Array.isArray(after)
    return isWellFormed && (direction === 'ASC' || direction === 'DESC') ? { sort, direction, page, after } : undefined
  } catch {
    return undefined
  }
}

/** Reads the cursor of a query. `typeOf` returns the column type of a sort, or undefined if the list has no such sort. */
export const readCursor = (
  query: PageQuery<string>,
  text: string,
  typeOf: (sort: string) => ColumnType | undefined,
): Cursor => {
  const cursor = decodeCursor(text)
  const type = cursor && typeOf(cursor.sort)
  const [value, id] = cursor?.after ?? []
  const isValid = cursor?.after.length === 2 && type !== undefined && IS_VALID[type](value) && IS_VALID.uuid(id)
  if (!isValid) throw invalid({ cursor: ['must be the next_cursor of a page of this list'] })
  if (cursor.sort !== query.order_by || cursor.direction !== query.order_direction)
    throw invalid({ cursor: ['must be used with the order_by and order_direction of the page it came from'] })
  return cursor
}

/** The condition for rows after the cursor, in sort order. */
export const afterCursor = (
  { bind }: Statement,
  column: SortColumn,
  id: Sql,
  { direction, after: [value, last] }: Cursor,
) => {
  const beyond = chooseSql(direction, { ASC: sqlText`>`, DESC: sqlText`<` })
  const lastId = sqlText`${bind(last)}::uuid`
  const lastKey = sqlText`${bind(value)}::${identifier(column.type)}`
  return sqlText`(${column.sql}, ${id}) ${beyond} (${lastKey}, ${lastId})`
}
