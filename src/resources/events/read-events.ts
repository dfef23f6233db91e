import type { JsonText } from '../../core/reading/json-text.ts'
import type { Reader } from '../../core/reading/reader.ts'
import { UNNUMBERED } from '../../core/reading/unnumbered-changes.ts'
import type { Db } from '../../core/storage/database.ts'
import { isDiskFull } from '../../core/storage/disk-space.ts'
import { ResultTooLargeError } from '../../core/storage/result-limit.ts'
import { AND, COMMA, identifier, joinSql, type Sql, sqlText, t } from '../../core/storage/sql.ts'
import { cachedSql, runSql, Statement } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { inStore } from '../../core/storage/store-statement.ts'
import {
  checkCursor,
  conditionsOf,
  createFeed,
  type EventFilter,
  type Feed,
  numberChanges,
  positionsOf,
} from './feed.ts'
import type { Cursor } from './feed-cursor.ts'
import { SHOWN_ACTIONS, showsResource } from './kinds.ts'
import { RESOURCES_PER_READ, type ReadData, textsById } from './resource-data.ts'

/** How many positions a page scans at most, so that looking for a rare type takes no long scan. */
const MAX_LOOKED_AT = 2_000

export interface StoredEvent {
  position: number
  n: number
  kind: string
  action: string
  resource_id: string
  changed: JsonText<string[]>
  previous: JsonText<Record<string, unknown>>
  app_id: string | null
  app_name: string | null
  account_id: string | null
  account_name: string | null
  via: string | null
  /** The `traceparent` of the request that made the change. For webhooks; readers of the feed do not see it. */
  trace: string | null
  at: string
}

export type UnnamedEvent = Omit<StoredEvent, 'app_name' | 'account_name'>

export interface EventPage {
  feed: string
  events: StoredEvent[]
  /** After the last position that was scanned. */
  next: Cursor
  /** There are events behind `next` already. */
  more: boolean
  /** `data` of the first events, if it was read with them. */
  data?: ReadData | undefined
  /** What `columns` selected. */
  row: Readonly<Record<string, unknown>>
}

export interface ReadOptions {
  /** The store is known to have changed: numbers first, instead of looking for changes that have no number. */
  isChanged?: boolean | undefined
  /** Reads `data` in the same statement, if all events are of one kind. */
  reader?: Reader | undefined
  /** More columns of the statement. They can use `page` and `place`. */
  columns?: ((statement: Statement) => Sql) | undefined
}

/** Lists and objects stay as they are: they are only sent. */
export const JSON_COLUMNS = sqlText`coalesce(array_to_json(e.changed)::text, '[]') as changed,
  coalesce(e.previous::text, '{}') as previous`

/** Who made the change, and in which trace. */
export const AUTHOR_COLUMNS = sqlText`e.app_id, e.account_id, e.via, e.trace`

/** Control characters, which JSON escapes. Splitting a text takes half the time of parsing JSON, here and in PostgreSQL. */
const [FIELD, ROW] = ['\u0002', '\u0003']
const EVENTS = sqlText`select string_agg(concat_ws(E'\\x02', p.position, p.n, p.kind, p.action, p.resource_id,
    coalesce(p.app_id::text, ''), coalesce(p.account_id::text, ''), coalesce(p.via, ''), coalesce(p.trace, ''),
    (extract(epoch from p.at) * 1000)::bigint, array_to_json(p.changed), p.previous),
    E'\\x03') from page p`

const parseEvents = (text: string | null): UnnamedEvent[] =>
  text === null
    ? []
    : text.split(ROW).map((row) => {
        const [position, n, kind, action, resource_id, app_id, account_id, via, trace, at, changed, previous] =
          row.split(FIELD)
        return {
          position: Number(position),
          n: Number(n),
          kind,
          action,
          resource_id,
          changed,
          previous,
          app_id: app_id || null,
          account_id: account_id || null,
          via: via || null,
          trace: trace || null,
          at: new Date(Number(at)).toISOString(),
        } as UnnamedEvent
      })

/** The names of apps and people. */
const NAMES = sqlText`select id, name from app where id = any($1::uuid[])
  union all select id, coalesce(nullif(name, ''), email) from account where id = any($1::uuid[])`

interface Scanned extends Feed {
  /** Committed changes have no position yet. */
  unnumbered: boolean
  /** The last position of the requested time. */
  end: number
  /** Up to where events were scanned, and `n` of the event there. */
  looked: number
  looked_n: number | null
  events: string | null
}

const SHOWN = joinSql(
  SHOWN_ACTIONS.map((action) => sqlText`'${identifier(action)}'`),
  COMMA,
)

/** The only kind that passes the filter. */
const onlyKind = ({ kinds, types }: EventFilter): string | undefined => {
  const all = new Set([...kinds, ...types.map((type) => type.slice(0, type.indexOf('.')))])
  return all.size === 1 ? [...all][0] : undefined
}

/** Reads feed, page and data in one statement. Whoever follows a store does this after each change. */
const scan = async (
  db: Db,
  store: StoreId,
  position: number | null,
  filter: EventFilter,
  limit: number,
  { reader, columns }: ReadOptions,
) => {
  const { first, final } = await positionsOf(db, store, filter)
  const statement = new Statement()
  const { bind } = statement
  const of = bind(store)
  const at = bind(position)
  const only = onlyKind(filter)
  const kind = only && reader?.isInStore(only) ? only : undefined
  const texts = kind ? reader?.query(kind, { store: of, ids: sqlText`(select ids from shown)::uuid[]` }) : undefined
  const queries = [
    sqlText`place as materialized (
      select f.*, greatest(f.start, least(f.start + ${MAX_LOOKED_AT}, f."end")) as looked from (
        select f.id, f.last, f.swept, f.floor_n, least(f.last, ${bind(final)}::bigint) as "end",
          greatest(coalesce(${at}::bigint, f.swept), least(f.last, ${bind(first)}::bigint - 1)) as start
        from ${t.feed} f where f.store_id = ${of}
      ) f
    )`,
    sqlText`page as materialized (
      select e.position, e.n, e.kind, e.action, e.resource_id, e.app_id, e.account_id, e.via, e.trace, e.at,
        e.changed, e.previous from ${t.event} e
      where e.store_id = ${of} and e.position > (select start from place) and e.position <= (select looked from place)
        and ${joinSql(conditionsOf(statement, filter), AND)}
      order by e.position limit ${bind(limit)}
    )`,
    ...(texts
      ? [
          sqlText`shown as (select array(select distinct p.resource_id from (select * from page limit ${RESOURCES_PER_READ}) p
            where p.action in (${SHOWN})) as ids)`,
          ...texts.with,
        ]
      : []),
  ]
  const selected = [
    sqlText`f.id, f.last, f.swept, f."end", f.looked`,
    sqlText`(select e.n from ${t.event} e where e.store_id = ${of} and e.position = ${at}) as n`,
    sqlText`(select e.n from ${t.event} e where e.store_id = ${of} and e.position = f.looked) as looked_n`,
    sqlText`exists (select 1 from ${t.change} c where c.store_id = ${of}${UNNUMBERED}) as unnumbered`,
    sqlText`(${EVENTS}) as events`,
    ...(texts?.sql ? [texts.sql] : []),
    ...(columns ? [columns(statement)] : []),
  ]
  const text = sqlText`with ${joinSql(queries, COMMA)} select ${joinSql(selected, COMMA)} from place f`
  const asOf = new Date().toISOString()
  const constant = cachedSql(text, () => text)
  const row = await inStore<Scanned>(db, store, constant, statement.values)
  return row && { row, asOf, kind, texts }
}

type Scan = NonNullable<Awaited<ReturnType<typeof scan>>>

const dataOf = async (db: Db, { row, asOf, kind, texts }: Scan, events: readonly StoredEvent[]) => {
  if (!kind || !texts) return undefined
  const shown = events.slice(0, RESOURCES_PER_READ).filter(({ action }) => showsResource(action))
  const ids = [...new Set(shown.map(({ resource_id }) => resource_id))]
  return { asOf, texts: textsById(kind, ids, await texts.read(db, ids, { ...row })) }
}

/** On a full disk, only events that have a position are read. */
const tryToNumber = (db: Db, store: StoreId): Promise<boolean> =>
  numberChanges(db, store).catch((error) => {
    if (!isDiskFull(error)) throw error
    return false
  })

const readAtOnce = async (
  db: Db,
  store: StoreId,
  cursor: Cursor | undefined,
  filter: EventFilter,
  limit: number,
  options: ReadOptions,
): Promise<EventPage> => {
  const { isChanged = false } = options
  const read = () => scan(db, store, cursor?.position ?? null, filter, limit, options)
  let hasMore = isChanged && (await tryToNumber(db, store))
  let scanned = await read()
  if (scanned?.row.unnumbered && !isChanged) {
    hasMore = await tryToNumber(db, store)
    scanned = await read()
  }
  if (!scanned) {
    await createFeed(db, store)
    return readAtOnce(db, store, cursor, filter, limit, options)
  }
  const { row: feed } = scanned
  if (cursor) checkCursor(feed, cursor)
  const events = await addNames(db, parseEvents(feed.events))
  const last = events.at(-1)
  const position = last && events.length === limit ? last.position : feed.looked
  const n = position === last?.position ? last.n : (feed.looked_n ?? cursor?.n ?? 0)
  const more = position < feed.end || (hasMore && feed.end === feed.last)
  const data = await dataOf(db, scanned, events)
  return { feed: feed.id, events, next: { feed: feed.id, position, n }, more, data, row: { ...feed } }
}

/**
 * Numbered events behind the cursor that pass the filter, at most `limit`; without a cursor, from the oldest that is kept.
 * Numbers what has been committed first, so that a read after a write shows it. Throws cursor_expired.
 */
export const readEvents = (
  db: Db,
  store: StoreId,
  cursor: Cursor | undefined,
  filter: EventFilter,
  limit: number,
  options: ReadOptions = {},
): Promise<EventPage> =>
  readAtOnce(db, store, cursor, filter, limit, options).catch((error) => {
    if (!(options.reader && error instanceof ResultTooLargeError)) throw error
    // Without `data`, which is read in smaller parts then.
    return readAtOnce(db, store, cursor, filter, limit, { ...options, reader: undefined })
  })

interface Authored {
  app_id: string | null
  account_id: string | null
}

/** Adds who made the changes, in a separate statement: apps and people belong to no store. */
export const addNames = async <Event extends Authored>(
  db: Db,
  events: readonly Event[],
): Promise<(Event & Pick<StoredEvent, 'app_name' | 'account_name'>)[]> => {
  const ids = [...new Set(events.flatMap(({ app_id, account_id }) => [app_id ?? [], account_id ?? []].flat()))]
  const rows = ids.length === 0 ? [] : await runSql<{ id: string; name: string }>(db, NAMES, [ids])
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  return events.map((event) =>
    Object.assign(event, {
      app_name: names.get(event.app_id ?? '') ?? null,
      account_name: names.get(event.account_id ?? '') ?? null,
    }),
  )
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
    sqlText`select e.position, e.n, e.kind, e.action, e.resource_id, ${JSON_COLUMNS}, ${AUTHOR_COLUMNS}, iso(e.at) as at
    from event e join feed f on f.store_id = ${ofStore}
    where ${joinSql([of, ...conditionsOf(statement, filter)], AND)}`,
  )
  return (await addNames(db, found))[0]
}
