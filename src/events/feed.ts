import type { Db } from '../storage/database.ts'
import { AND, joinSql, type Sql, sqlText } from '../storage/sql.ts'
import { runSql, Statement } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import { type Cursor, cursorExpired } from './feed-cursor.ts'
import type { TypeFilter } from './kinds.ts'

/** What number_changes() takes at a time. */
const MAX_NUMBERED = 5_000
/** How many positions a page scans at most, so that looking for a rare type takes no long scan. */
const MAX_LOOKED_AT = 2_000

export interface StoredEvent {
  position: number
  n: number
  kind: string
  action: string
  resource_id: string
  changed: string[]
  previous: Record<string, unknown>
  app_id: string | null
  app_name: string | null
  at: string
}

export interface EventFilter extends TypeFilter {
  /** Only events of which one of these fields changed; applies to `updated` alone. */
  changed?: readonly string[] | undefined
  resource_id?: string | undefined
  /** Leaves out what this app did. */
  without_app?: string | undefined
  from?: Date | undefined
  to?: Date | undefined
  /** Whose own events are shown too. */
  installation?: string | undefined
}

export interface EventPage {
  feed: string
  events: StoredEvent[]
  /** After the last position that was scanned. */
  next: Cursor
  /** There are events behind `next` already. */
  more: boolean
}

/** Gives committed changes their positions. Returns whether there may be more of them. */
export const numberChanges = async (db: Db, store: StoreId): Promise<boolean> => {
  const [row] = await runSql<{ taken: number }>(db, sqlText`select number_changes($1) as taken`, [store])
  return row?.taken === MAX_NUMBERED
}

interface Feed {
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
  await runSql(db, sqlText`insert into feed (store_id) values ($1) on conflict do nothing`, [store])
  return (await read())[0] as Feed
}

/** The end of the feed: after everything that was committed before the call. */
export const currentCursor = async (db: Db, store: StoreId): Promise<Cursor> => {
  while (await numberChanges(db, store)) {}
  const { id, last, n } = await readFeed(db, store, null)
  return { feed: id, position: last, n: n ?? 0 }
}

/** Refuses a cursor whose next event may be gone, or that does not belong to this feed. */
const checkCursor = (feed: Feed, { feed: id, position, n }: Cursor) => {
  const isKnown = position === feed.swept || feed.n === n
  if (feed.id !== id || position < feed.swept || position > feed.last || !isKnown) throw cursorExpired()
}

/** Throws cursor_expired unless the events after this cursor are still kept. */
export const requireCursor = async (db: Db, store: StoreId, cursor: Cursor): Promise<void> =>
  checkCursor(await readFeed(db, store, cursor.position), cursor)

export const feedId = async (db: Db, store: StoreId): Promise<string> => (await readFeed(db, store, 0)).id

/** Times rise with positions, so that a range of time is a range of positions. */
const positionsOf = async (db: Db, store: StoreId, { from, to }: EventFilter, start: number, last: number) => {
  if (!from && !to) return { start, end: last }
  const [row] = await runSql<{ first: number | null; final: number | null }>(
    db,
    sqlText`select
      (select position from event where store_id = $1 and at >= $2 order by at, position limit 1) as first,
      (select position from event where store_id = $1 and at <= $3 order by at desc, position desc limit 1) as final`,
    [store, from ?? null, to ?? null],
  )
  return {
    start: from ? Math.max(start, (row?.first ?? last + 1) - 1) : start,
    end: to ? Math.min(last, row?.final ?? 0) : last,
  }
}

const COLUMNS = sqlText`e.position, e.n, e.kind, e.action, e.resource_id, e.changed, e.previous, e.app_id, iso(e.at) as at`

const conditionsOf = ({ bind }: Statement, filter: EventFilter): Sql[] => [
  filter.types.length === 0
    ? sqlText`e.kind = any(${bind(filter.kinds)})`
    : sqlText`(e.kind = any(${bind(filter.kinds)}) or e.kind || '.' || e.action = any(${bind(filter.types)}))`,
  sqlText`(e.installation_id is null or e.installation_id = ${bind(filter.installation ?? null)})`,
  ...(filter.resource_id ? [sqlText`e.resource_id = ${bind(filter.resource_id)}`] : []),
  ...(filter.without_app ? [sqlText`e.app_id is distinct from ${bind(filter.without_app)}`] : []),
  ...(filter.changed
    ? [
        sqlText`(e.action <> 'updated' or exists (select 1 from unnest(e.changed) f, unnest(${bind(filter.changed)}::text[]) w
          where f = w or starts_with(f, w || '.')))`,
      ]
    : []),
]

/**
 * Numbered events behind the cursor that pass the filter, at most `limit`; without a cursor, from the oldest that is kept.
 * Numbers what has been committed first, so that a read after a write shows it. Throws cursor_expired.
 */
export const readEvents = async (
  db: Db,
  store: StoreId,
  cursor: Cursor | undefined,
  filter: EventFilter,
  limit: number,
): Promise<EventPage> => {
  const unnumbered = await numberChanges(db, store)
  const feed = await readFeed(db, store, cursor?.position ?? 0)
  if (cursor) checkCursor(feed, cursor)
  const after = cursor?.position ?? feed.swept
  const { start, end } = await positionsOf(db, store, filter, after, feed.last)
  const looked = Math.max(start, Math.min(start + MAX_LOOKED_AT, end))
  const statement = new Statement()
  const { bind } = statement
  const where = [
    sqlText`e.store_id = ${bind(store)} and e.position > ${bind(start)} and e.position <= ${bind(looked)}`,
    ...conditionsOf(statement, filter),
  ]
  const rows =
    looked === start
      ? []
      : await statement
          .run<UnnamedEvent>(
            db,
            sqlText`select ${COLUMNS} from event e where ${joinSql(where, AND)} order by e.position limit ${bind(limit)}`,
          )
          .then((events) => addAppNames(db, events))
  const isFull = rows.length === limit
  const position = isFull ? (rows.at(-1) as StoredEvent).position : Math.max(after, looked)
  const next = await cursorAt(db, store, feed, cursor, rows, position)
  return { feed: feed.id, events: rows, next, more: position < end || (unnumbered && end === feed.last) }
}

type UnnamedEvent = Omit<StoredEvent, 'app_name'>

/** Adds the apps that made the changes. A separate statement, because apps belong to no store. */
export const addAppNames = async <Event extends { app_id: string | null }>(
  db: Db,
  events: readonly Event[],
): Promise<(Event & { app_name: string | null })[]> => {
  const ids = [...new Set(events.flatMap(({ app_id }) => app_id ?? []))]
  const apps =
    ids.length === 0
      ? []
      : await runSql<{ id: string; name: string }>(db, sqlText`select id, name from app where id = any($1)`, [ids])
  const names = new Map(apps.map(({ id, name }) => [id, name]))
  return events.map((event) => ({ ...event, app_name: names.get(event.app_id ?? '') ?? null }))
}

const cursorAt = async (
  db: Db,
  store: StoreId,
  feed: Feed,
  cursor: Cursor | undefined,
  rows: readonly StoredEvent[],
  position: number,
): Promise<Cursor> => {
  if (position === cursor?.position) return cursor
  const known = rows.at(-1)
  if (known?.position === position) return { feed: feed.id, position, n: known.n }
  const [row] = await runSql<{ n: number }>(db, sqlText`select n from event where store_id = $1 and position = $2`, [
    store,
    position,
  ])
  return { feed: feed.id, position, n: row?.n ?? 0 }
}

/** One event, if the caller may see it. */
export const findEvent = async (
  db: Db,
  store: StoreId,
  { feed, position }: { feed: string; position: number },
  filter: EventFilter,
): Promise<StoredEvent | undefined> => {
  const statement = new Statement()
  const { bind } = statement
  const ofStore = bind(store)
  const of = sqlText`e.store_id = ${ofStore} and e.position = ${bind(position)} and f.id = ${bind(feed)}`
  const found = await statement.run<UnnamedEvent>(
    db,
    sqlText`select ${COLUMNS} from event e join feed f on f.store_id = ${ofStore}
    where ${joinSql([of, ...conditionsOf(statement, filter)], AND)}`,
  )
  return (await addAppNames(db, found))[0]
}

/** Positions of kept events up to `last` that pass the filter, the oldest first; of those given, if any are. */
export const findPositions = async (
  db: Db,
  store: StoreId,
  filter: EventFilter,
  among: readonly number[] | undefined,
  last: number,
  limit: number,
): Promise<number[]> => {
  const { start, end } = await positionsOf(db, store, filter, 0, last)
  const statement = new Statement()
  const { bind } = statement
  const where = [
    sqlText`e.store_id = ${bind(store)} and e.position > ${bind(start)} and e.position <= ${bind(end)}`,
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
