import Type from 'typebox'
import { earliest, latest } from '../input/date-bounds.ts'
import { DateBound, extension } from '../input/schemas.ts'
import { type Sql, sqlText } from '../storage/sql.ts'
import type { Filter } from './list.ts'

export const since = (column: Sql): Filter => ({
  condition: (from: string, { statement }) => sqlText`${column} >= ${statement.bind(earliest(from))}::timestamptz`,
})

export const until = (column: Sql): Filter => ({
  condition: (to: string, { statement }) => sqlText`${column} <= ${statement.bind(latest(to))}::timestamptz`,
})

/** List parameters that filter by time of update; see BY_UPDATE for their counters. */
export const updatedBounds = {
  updated_from: Type.Optional(extension(DateBound('Changed at this time or later.'))),
  updated_to: Type.Optional(
    extension(DateBound('Changed at this time or earlier. A date without a time means the end of that day, UTC.')),
  ),
}

export const updatedFilters = (column: Sql): Record<keyof typeof updatedBounds, Filter> => ({
  updated_from: since(column),
  updated_to: until(column),
})
