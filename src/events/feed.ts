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
const MAX_POSITION = Number.MAX_SAFE_INTEGER

export interface StoredEvent {
  position: number
  n: number
  kind: string
  action: string
  resource_id: string
  /** An array of names, as JSON. */
  changed: string
  /** An object, as JSON. */
  previous: string
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
  await createFeed(db, store)
  return (await read())[0] as Feed
}

const createFeed = (db: Db, store: StoreId) =>
  runSql(db, sqlText`insert into feed (store_id) values ($1) on conflict do nothing`, [store])

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

/** The positions of a range of time: times rise with positions. */
const positionsOf = async (db: Db, store: StoreId, { from, to }: EventFilter) => {
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

/** Lists and objects stay as they are: they are only sent. */
export const JSON_COLUMNS = sqlText`coalesce(array_to_json(e.changed)::text, '[]') as changed,
  coalesce(e.previous::text, '{}') as previous`

const COLUMNS = sqlText`e.position, e.n, e.kind, e.action, e.resource_id, ${JSON_COLUMNS}, e.app_id, iso(e.at) as at`

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

type UnnamedEvent = Omit<StoredEvent, 'app_name'>

interface Scanned extends Feed {
  /** The last position of the requested time. */
  end: number
  /** Up to where events were scanned, and `n` of the event there. */
  looked: number
  looked_n: number | null
  events: UnnamedEvent[] | null
}

/**
 * Reads feed and page in one statement. Whoever follows a store does this after each change. Parsing one JSON value takes
 * half the time of parsing rows.
 */
const scan = async (
  db: Db,
  store: StoreId,
  position: number | null,
  filter: EventFilter,
  limit: number,
): Promise<Scanned | undefined> => {
  const { first, final } = await positionsOf(db, store, filter)
  const statement = new Statement()
  const { bind } = statement
  const of = bind(store)
  const at = bind(position)
  const [scanned] = await statement.run<Scanned>(
    db,
    sqlText`select f.*, (select e.n from event e where e.store_id = ${of} and e.position = ${at}) as n,
      (select e.n from event e where e.store_id = ${of} and e.position = f.looked) as looked_n,
      (select json_agg(e) from (
        select ${COLUMNS} from event e
        where e.store_id = ${of} and e.position > f.start and e.position <= f.looked
          and ${joinSql(conditionsOf(statement, filter), AND)}
        order by e.position limit ${bind(limit)}
      ) e) as events
    from (
      select f.*, greatest(f.start, least(f.start + ${MAX_LOOKED_AT}, f."end")) as looked from (
        select f.id, f.last, f.swept, least(f.last, ${bind(final)}::bigint) as "end",
          greatest(coalesce(${at}::bigint, f.swept), least(f.last, ${bind(first)}::bigint - 1)) as start
        from feed f where f.store_id = ${of}
      ) f
    ) f`,
  )
  return scanned
}

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
  const feed = await scan(db, store, cursor?.position ?? null, filter, limit)
  if (!feed) {
    await createFeed(db, store)
    return readEvents(db, store, cursor, filter, limit)
  }
  if (cursor) checkCursor(feed, cursor)
  const events = await addAppNames(db, feed.events ?? [])
  const last = events.at(-1)
  const position = last && events.length === limit ? last.position : feed.looked
  const n = position === last?.position ? last.n : (feed.looked_n ?? cursor?.n ?? 0)
  const more = position < feed.end || (unnumbered && feed.end === feed.last)
  return { feed: feed.id, events, next: { feed: feed.id, position, n }, more }
}

/** Names of apps that were read lately: most pages name the same few. */
const NAMES_MS = 5_000
const MAX_NAMES = 1_000
const knownNames = new WeakMap<Db, { names: Map<string, string | null>; readAt: number }>()

const namesOf = (db: Db) => {
  const known = knownNames.get(db)
  if (known && performance.now() - known.readAt < NAMES_MS && known.names.size < MAX_NAMES) return known.names
  const names = new Map<string, string | null>()
  knownNames.set(db, { names, readAt: performance.now() })
  return names
}

/** Adds the apps that made the changes. A separate statement, because apps belong to no store. */
export const addAppNames = async <Event extends { app_id: string | null }>(
  db: Db,
  events: Event[],
): Promise<(Event & { app_name: string | null })[]> => {
  const names = namesOf(db)
  const unknown = [...new Set(events.flatMap(({ app_id }) => app_id ?? []))].filter((id) => !names.has(id))
  if (unknown.length > 0) {
    const statement = sqlText`select id, name from app where id = any($1)`
    const apps = await runSql<{ id: string; name: string }>(db, statement, [unknown])
    const found = new Map(apps.map(({ id, name }) => [id, name]))
    for (const id of unknown) names.set(id, found.get(id) ?? null)
  }
  return events.map((event) => Object.assign(event, { app_name: names.get(event.app_id ?? '') ?? null }))
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
