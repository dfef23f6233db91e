import type { Db } from '../storage/database.ts'
import { sqlText } from '../storage/sql.ts'
import { runSql } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'

/** Which stores have work, for processes that poll: a distributed database would have to ask each shard. */

/** Webhooks with pending events, webhooks that are paused (`due_at` is when that changed), bulk jobs. */
export type Work = 'webhooks' | 'paused' | 'jobs'

export interface StoreWork {
  store_id: StoreId
  due_at: Date
}

const NOTE = sqlText`insert into store_work as w (kind, store_id, due_at)
  select $1, store, coalesce($3::timestamptz, statement_timestamp()) from unnest($2::uuid[]) store
  on conflict (kind, store_id) do update set due_at = least(w.due_at, excluded.due_at)`

/** Notes that stores have work, now or at a later time. */
export const noteWork = (db: Db, kind: Work, stores: readonly string[], at: Date | null = null) =>
  runSql(db, NOTE, [kind, stores, at])

const NOTE_CHANGE = sqlText`insert into store_work (kind, store_id, due_at) values ($1, $2, clock_timestamp())
  on conflict (kind, store_id) do update set due_at = excluded.due_at`

/** Notes that something has changed, for those who remember when it did. */
export const noteWorkChange = (db: Db, kind: Work, store: string) => runSql(db, NOTE_CHANGE, [kind, store])

const HASTEN = sqlText`update store_work set due_at = statement_timestamp()
  where kind = $1 and store_id = any($2) and due_at > statement_timestamp()`

/** Lets somebody look at these stores now, if they may have work of this kind at all. */
export const hastenWork = (db: Db, kind: Work, stores: readonly string[]) => runSql(db, HASTEN, [kind, stores])

const DUE = sqlText`select store_id from store_work where kind = $1 and due_at <= statement_timestamp()
  order by due_at limit $2`
const TAKE = sqlText`update store_work set due_at = statement_timestamp() + make_interval(secs => $3)
  where kind = $1 and store_id = any($2) and due_at <= statement_timestamp() returning store_id, due_at`

const findDue = (db: Db, kind: string, limit: number) => runSql<{ store_id: StoreId }>(db, DUE, [kind, limit])
const take = (db: Db, kind: string, stores: readonly { store_id: string }[], seconds: number) =>
  runSql<StoreWork>(db, TAKE, [kind, stores.map(({ store_id }) => store_id), seconds])

/** Stores that are due, which nobody else takes for so many seconds. Writes nothing if there are none. */
export const takeDueWork = async (db: Db, kind: Work, seconds: number, limit: number): Promise<StoreWork[]> => {
  const due = await findDue(db, kind, limit)
  return due.length === 0 ? [] : take(db, kind, due, seconds)
}

const READ = sqlText`select store_id, due_at from store_work
  where kind = $1 order by due_at`

export const readWork = (db: Db, kind: Work) => runSql<StoreWork>(db, READ, [kind])

const POSTPONE = sqlText`update store_work w set due_at = n.at
  from unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[]) n (store_id, seen, at)
  where w.kind = $1 and w.store_id = n.store_id and w.due_at = n.seen`

/** When somebody is to look again; null for when the store has changed. Not if work was noted since the store was taken. */
export const postponeWork = (db: Db, kind: Work, stores: readonly (StoreWork & { next: Date | null })[]) =>
  runSql(db, POSTPONE, [
    kind,
    stores.map(({ store_id }) => store_id),
    stores.map(({ due_at }) => due_at),
    stores.map(({ next }) => next ?? 'infinity'),
  ])

const DROP = sqlText`delete from store_work w using unnest($2::uuid[], $3::timestamptz[]) n (store_id, seen)
  where w.kind = $1 and w.store_id = n.store_id and w.due_at = n.seen`

/** The stores have no work of this kind any more, unless some was noted since. */
export const dropWork = (db: Db, kind: Work, stores: readonly StoreWork[]) =>
  runSql(db, DROP, [kind, stores.map(({ store_id }) => store_id), stores.map(({ due_at }) => due_at)])

/**
 * Looks at all stores for work that nobody has noted: after a change with psql, or in a process that was killed. One process
 * does so at a time, whatever their number: the one that takes the row of no store, which comes with the schema.
 */
export const sweepWork = async (
  db: Db,
  kind: Work,
  everyMs: number,
  find: () => Promise<readonly { store_id: string }[]>,
) => {
  const due = await findDue(db, `all ${kind}`, 1)
  if (due.length === 0 || (await take(db, `all ${kind}`, due, everyMs / 1_000)).length === 0) return
  const found = await find()
  if (found.length > 0)
    await noteWork(
      db,
      kind,
      found.map(({ store_id }) => store_id),
    )
}
