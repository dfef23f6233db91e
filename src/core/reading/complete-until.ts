import { latest } from '../input/date-bounds.ts'
import type { Db } from '../storage/database.ts'
import { sqlText } from '../storage/sql.ts'
import { runSql } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import type { updatedBounds } from './filters.ts'

/** Named through a row of the store, so that a distributed database asks the machine on which the store is changed. */
const READ = sqlText`select changes_complete_until(f.store_id) as until from feed f where f.store_id = $1`

/** Changes of the store before this time are visible to every later statement on the primary. Others may not be yet. */
export const changesCompleteUntil = async (db: Db, store: StoreId): Promise<Date> => {
  for (;;) {
    const [row] = await runSql<{ until: Date }>(db, READ, [store])
    if (row) return row.until
    await runSql(db, sqlText`insert into feed (store_id) values ($1) on conflict do nothing`, [store])
  }
}

type Query = { order_by: string } & { [Name in keyof typeof updatedBounds]?: string | undefined }

/** Whether the rows are selected or sorted by the time of their last change. */
export const isByUpdate = ({ order_by, updated_from, updated_to }: Query) =>
  order_by === 'updated_at' || updated_from !== undefined || updated_to !== undefined

/** The query without changes from this time on. */
export const beforeTime = <Q extends Query>(query: Q, until: Date): Q => {
  const last = new Date(until.getTime() - 1)
  const given = latest(query.updated_to)
  return given && given <= last ? query : { ...query, updated_to: last.toISOString() }
}
