import type { Db } from '../storage/database.ts'
import type { Statement } from '../storage/statement.ts'
import { onlyFilter } from './tallies.ts'

/** Up to here hits are looked up by id; where there are more, a list meets enough of them in its own sequence. */
const FEW = 20_000

export interface Found {
  total: number
  /** As PostgreSQL writes an array, and reads it back; undefined when they are many. */
  ids: string | undefined
}

export const NOTHING: Found = { total: 0, ids: '{}' }

/** Runs `text`, a select of distinct ids: counts them all, and fetches them unless they are many. */
export const findIds = async (db: Db, statement: Statement, text: string): Promise<Found> => {
  const [row] = await statement.run<{ total: number; ids: string | null }>(
    db,
    `with hits as materialized (${text}), counted as materialized (select count(*) as total from hits)
     select total, case when total <= ${FEW} then (select coalesce(array_agg(id), '{}')::text from hits) end as ids
     from counted`,
  )
  return { total: row?.total ?? 0, ids: row?.ids ?? undefined }
}

/** Few are joined one by one, which no sort can tempt the planner from; many are met faster on a walk through an index. */
const JOINED = 200

/** The condition that a row is among those found; undefined when nothing was looked for or too many were found to be told. */
export const among = (statement: Statement, id: string, found: Found | undefined): string | undefined => {
  if (found?.ids === undefined) return undefined
  const list = `${statement.bind(found.ids)}::uuid[]`
  return found.total <= JOINED ? `${id} in (select unnest(${list}))` : `${id} = any(${list})`
}

/** The total of a list whose one filter is what was found beforehand. */
export const totalOf = (query: object, found: Partial<Record<string, Found | undefined>>): number | undefined => {
  const name = onlyFilter(query)
  return name === undefined ? undefined : found[name]?.total
}
