import type { Db } from '../../core/storage/database.ts'
import { AND, joinSql, type Sql, sqlText } from '../../core/storage/sql.ts'
import { runSql, Statement } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { type Cursor, cursorExpired } from './feed-cursor.ts'
import type { TypeFilter } from './kinds.ts'

/** What number_changes() takes at a time. */
const MAX_NUMBERED = 5_000
const MAX_POSITION = Number.MAX_SAFE_INTEGER

export interface EventFilter extends TypeFilter {
  /** Only events of which one of these fields changed; applies to `updated` alone. */
  changed?: readonly string[] | undefined
  resource_id?: string | undefined
  /** Only what assistants did. */
  via?: 'assistant' | undefined
  /** Only what this person did. */
  account_id?: string | undefined
  /** Leaves out what this app did. */
  without_app?: string | undefined
  from?: Date | undefined
  to?: Date | undefined
  /** Whose own events are shown too. */
  installation?: string | undefined
}

/** Gives committed changes their positions. Returns whether there may be more of them. */
export const numberChanges = async (db: Db, store: StoreId): Promise<boolean> => {
  const [row] = await runSql<{ taken: number }>(db, sqlText`select number_changes($1) as taken`, [store])
  return row?.taken === MAX_NUMBERED
}

export interface Feed {
  id: string
  last: number
  swept: number
  /** Of the event at the position that was asked for. */
  n: number | null
}

const READ_FEED = sqlText`select f.id, f.last, f.swept,
    (select e.n from event e where e.store_id = $1 and e.position = coalesce($2, f.last)) as n
  from feed f where f.store_id = $1`

const readFeed = async (db: Db, store: StoreId, position: number | null): Promise<Feed> => {
  const read = () => runSql<Feed>(db, READ_FEED, [store, position])
  const [feed] = await read()
  if (feed) return feed
  await createFeed(db, store)
  return (await read())[0] as Feed
}

export const createFeed = (db: Db, store: StoreId) =>
  runSql(db, sqlText`insert into feed (store_id) values ($1) on conflict do nothing`, [store])

/** Creates the feed if there is none, and gives all committed changes their positions. */
export const startFeed = async (db: Db, store: StoreId): Promise<void> => {
  await createFeed(db, store)
  while (await numberChanges(db, store)) {}
}

/** The end of the feed: after everything that was committed before the call. */
export const currentCursor = async (db: Db, store: StoreId): Promise<Cursor> => {
  while (await numberChanges(db, store)) {}
  const { id, last, n } = await readFeed(db, store, null)
  return { feed: id, position: last, n: n ?? 0 }
}

/** Refuses a cursor whose next event may be gone, or that does not belong to this feed. */
export const checkCursor = (feed: Feed, { feed: id, position, n }: Cursor) => {
  const isKnown = position === feed.swept || feed.n === n
  if (feed.id !== id || position < feed.swept || position > feed.last || !isKnown) throw cursorExpired()
}

/** Throws cursor_expired unless the events after this cursor are still kept. */
export const requireCursor = async (db: Db, store: StoreId, cursor: Cursor): Promise<void> =>
  checkCursor(await readFeed(db, store, cursor.position), cursor)

export const feedId = async (db: Db, store: StoreId): Promise<string> => (await readFeed(db, store, 0)).id

/** The positions of a range of time: times rise with positions. */
export const positionsOf = async (db: Db, store: StoreId, { from, to }: EventFilter) => {
  if (!from && !to) return { first: 0, final: MAX_POSITION }
  const [row] = await runSql<{ first: number | null; final: number | null }>(
    db,
    sqlText`select
      (select position from event where store_id = $1 and at >= $2 order by at, position limit 1) as first,
      (select position from event where store_id = $1 and at <= $3 order by at desc, position desc limit 1) as final`,
    [store, from ?? null, to ?? null],
  )
  return { first: from ? (row?.first ?? MAX_POSITION) : 0, final: to ? (row?.final ?? 0) : MAX_POSITION }
}

export const conditionsOf = ({ bind }: Statement, filter: EventFilter): Sql[] => [
  filter.types.length === 0
    ? sqlText`e.kind = any(${bind(filter.kinds)})`
    : sqlText`(e.kind = any(${bind(filter.kinds)}) or e.kind || '.' || e.action = any(${bind(filter.types)}))`,
  sqlText`(e.installation_id is null or e.installation_id = ${bind(filter.installation ?? null)})`,
  ...(filter.resource_id ? [sqlText`e.resource_id = ${bind(filter.resource_id)}`] : []),
  ...(filter.via ? [sqlText`e.via = ${bind(filter.via)}`] : []),
  ...(filter.account_id ? [sqlText`e.account_id = ${bind(filter.account_id)}`] : []),
  ...(filter.without_app ? [sqlText`e.app_id is distinct from ${bind(filter.without_app)}`] : []),
  ...(filter.changed
    ? [
        sqlText`(e.action <> 'updated' or exists (select 1 from unnest(e.changed) f, unnest(${bind(filter.changed)}::text[]) w
          where f = w or starts_with(f, w || '.')))`,
      ]
    : []),
]

/** Positions of kept events up to `last` that pass the filter, the oldest first; of those given, if any are. */
export const findPositions = async (
  db: Db,
  store: StoreId,
  filter: EventFilter,
  among: readonly number[] | undefined,
  last: number,
  limit: number,
): Promise<number[]> => {
  const { first, final } = await positionsOf(db, store, filter)
  const statement = new Statement()
  const { bind } = statement
  const where = [
    sqlText`e.store_id = ${bind(store)} and e.position >= ${bind(first)} and e.position <= ${bind(Math.min(last, final))}`,
    ...(among ? [sqlText`e.position = any(${bind(among)})`] : []),
    ...conditionsOf(statement, filter),
  ]
  const rows = await statement.run<{ position: number }>(
    db,
    sqlText`select e.position from event e where ${joinSql(where, AND)} order by e.position limit ${bind(limit)}`,
  )
  return rows.map(({ position }) => position)
}

const MAX_DELETED = 5_000

/** Deletes events that are older than `days`, oldest first. */
export const deleteOldEvents = async (db: Db, days: number): Promise<void> => {
  const stores = await runSql<{ store_id: StoreId }>(
    db,
    sqlText`select f.store_id from feed f where f.swept < f.last and (
      select e.at from event e where e.store_id = f.store_id and e.position = f.swept + 1
    ) < now() - make_interval(days => $1)`,
    [days],
  )
  for (const { store_id } of stores) while (await deleteSome(db, store_id, days)) {}
}

/** Updates the feed's row in the same statement, so that no reader finds a gap. */
const deleteSome = async (db: Db, store: StoreId, days: number): Promise<boolean> => {
  const [row] = await runSql<{ deleted: number }>(
    db,
    sqlText`with old as (
      select e.position from event e where e.store_id = $1 and e.at < now() - make_interval(days => $2)
      order by e.at, e.position limit ${MAX_DELETED}
    ), gone as (
      delete from event e where e.store_id = $1 and e.position <= (select max(position) from old) returning 1
    )
    update feed f set swept = greatest(f.swept, (select max(position) from old))
    where f.store_id = $1 and exists (select from old) returning (select count(*) from gone) as deleted`,
    [store, days],
  )
  return (row?.deleted ?? 0) >= MAX_DELETED
}

/** Numbers changes of stores whose feed nobody reads, so that the first read does not take long. */
export const numberAllChanges = async (db: Db): Promise<void> => {
  const stores = await runSql<{ store_id: StoreId }>(db, sqlText`select distinct store_id from change`, [])
  for (const { store_id } of stores) while (await numberChanges(db, store_id)) {}
}

/** Seconds since the oldest change that has no position yet. */
export const oldestChangeSeconds = async (db: Db): Promise<number> => {
  const [row] = await runSql<{ age: number }>(
    db,
    sqlText`select coalesce(extract(epoch from clock_timestamp() - min(at)), 0)::float8 as age from change`,
    [],
  )
  return row?.age ?? 0
}
