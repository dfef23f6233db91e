import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { invalid } from '../../errors.ts'
import { LOG_FULL } from './call-record.ts'
import { type CallFilters, type CallLine, PAGE_SIZE } from './schema.ts'
import { BUCKETS } from './tallies.ts'

/** Of one app, or of the whole service. */
export interface Scope {
  app?: string | undefined
}

type Row = Omit<CallLine, 'at' | 'fields' | 'ignored'> & { at: Date; fields: string[] | null; ignored: string[] | null }

const ofScope = ({ app }: Scope) => (app === undefined ? sql<boolean>`true` : sql<boolean>`c.app_id = ${app}`)

const SELECT = sql`select c.id, c.at, c.request_id, a.name as app, c.app_id, s.name as store, c.store_id, c.installation_id,
  coalesce(nullif(p.name, ''), p.email) as account, c.method, c.route, c.resource_id, c.status, c.ms,
  c.bytes_in::float8 as bytes_in, c.bytes_out::float8 as bytes_out, c.code, c.fields, c.permission, c.ignored,
  c.idempotency_key, c.is_replay, c.agent, c.via, c.skipped`
const NAMES = sql`left join app a on a.id = c.app_id left join store s on s.id = c.store_id
  left join account p on p.id = c.account_id`

const show = ({ at, fields, ignored, ...row }: Row): CallLine => ({
  ...row,
  at: at.toISOString(),
  fields: fields ?? [],
  ignored: ignored ?? [],
})

const statusCondition = (status: string) => {
  const first = Number(status[0]) * 100
  return status.endsWith('xx')
    ? sql<boolean>`c.status >= ${first} and c.status < ${first + 100}`
    : sql<boolean>`c.status = ${Number(status)}`
}

const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_([0-9a-f-]{36})$/

const afterCursor = (cursor: string) => {
  const [, at, id] = CURSOR.exec(cursor) ?? []
  if (!at || !id) throw invalid({ cursor: ['must be next_cursor of the page before'] })
  return sql<boolean>`(c.at, c.id) < (${at}::timestamptz, ${id}::uuid)`
}

const conditions = (scope: Scope, filters: CallFilters): RawBuilder<boolean>[] => {
  const { status, method, route, code, store, request_id, resource_id, via, cursor } = filters
  return [
    ofScope(scope),
    ...(status ? [statusCondition(status)] : []),
    // An index has the failures.
    ...(code || (status && Number(status[0]) >= 4) ? [sql<boolean>`c.status >= 400`] : []),
    ...(method ? [sql<boolean>`c.method = ${method.toUpperCase()}`] : []),
    ...(route ? [sql<boolean>`c.route = ${route}`] : []),
    ...(code ? [sql<boolean>`c.code = ${code}`] : []),
    ...(store ? [sql<boolean>`c.store_id = ${store}`] : []),
    ...(request_id ? [sql<boolean>`c.request_id = ${request_id}`] : []),
    ...(resource_id ? [sql<boolean>`c.resource_id = ${resource_id}`] : []),
    ...(via ? [sql<boolean>`c.via = ${via}`] : []),
    ...(cursor ? [afterCursor(cursor)] : []),
  ]
}

/** The newest first. */
export const listCalls = async (db: Db, scope: Scope, filters: CallFilters, limit = PAGE_SIZE) => {
  const where = sql.join(conditions(scope, filters), sql` and `)
  const { rows } = await sql<Row>`${SELECT} from (
      select * from call c where ${where} and c.code is distinct from ${LOG_FULL}
      order by c.at desc, c.id desc limit ${limit + 1}) c ${NAMES} order by c.at desc, c.id desc`.execute(db)
  const calls = rows.slice(0, limit).map(show)
  const last = calls.at(-1)
  return { calls, next_cursor: rows.length > limit && last ? `${last.at}_${last.id}` : null }
}

/** A caller may choose the same id for several requests. */
export const findCalls = async (db: Db, scope: Scope, request: string) => {
  const { rows } = await sql<Row>`${SELECT} from call c ${NAMES}
    where c.request_id = ${request} and ${ofScope(scope)} order by c.at desc, c.id desc limit 20`.execute(db)
  return rows.map(show)
}

export const countLost = async (db: Db) => {
  const { rows } = await sql<{ lost: number }>`
    select coalesce(sum(skipped), 0)::float8 as lost from call where code = ${LOG_FULL}`.execute(db)
  return rows[0]?.lost ?? 0
}

interface Hour {
  hour: Date
  ok: number
  refused: number
  failed: number
  buckets: number[]
}

const bucketSums = sql.join(
  Array.from({ length: BUCKETS.length + 1 }, (_, n) => sql`coalesce(sum(c.buckets[${sql.lit(n + 1)}]), 0)::float8`),
)

const percentile = (buckets: readonly number[], share: number) => {
  const total = buckets.reduce((sum, count) => sum + count, 0)
  let seen = 0
  const index = buckets.findIndex((count) => {
    seen += count
    return seen >= total * share
  })
  return total === 0 ? null : (BUCKETS[index] ?? null)
}

/** Exact, unlike what could be counted from the lines. */
export const countCalls = async (db: Db, scope: Scope, hours: number) => {
  const { rows } = await sql<Hour>`select c.hour,
      coalesce(sum(c.calls) filter (where c.status_class < 4), 0)::float8 as ok,
      coalesce(sum(c.calls) filter (where c.status_class = 4), 0)::float8 as refused,
      coalesce(sum(c.calls) filter (where c.status_class = 5), 0)::float8 as failed,
      array[${bucketSums}] as buckets
    from call_tally c where ${ofScope(scope)} and c.hour > now() - ${hours} * interval '1 hour'
    group by c.hour order by c.hour`.execute(db)
  const sum = (of: (row: Hour) => number) => rows.reduce((total, row) => total + of(row), 0)
  const buckets = Array.from({ length: BUCKETS.length + 1 }, (_, n) => sum((row) => row.buckets[n] ?? 0))
  const [ok, refused, failed] = [sum((row) => row.ok), sum((row) => row.refused), sum((row) => row.failed)]
  return {
    hours: rows.map(({ hour, ok, refused, failed }) => ({ hour: hour.toISOString(), ok, refused, failed })),
    calls: ok + refused + failed,
    refused,
    failed,
    p50: percentile(buckets, 0.5),
    p95: percentile(buckets, 0.95),
  }
}

export interface StoreCalls {
  calls: number
  /** Refused or failed. */
  errors: number
}

/** What was called in each of these stores. Stores without calls are left out. */
export const countCallsOfStores = async (db: Db, stores: readonly string[], hours: number) => {
  const { rows } = await sql<StoreCalls & { store_id: StoreId }>`select store_id, sum(calls)::float8 as calls,
      coalesce(sum(calls) filter (where status_class >= 4), 0)::float8 as errors
    from call_tally where store_id = any(${stores}::uuid[]) and hour > now() - ${hours} * interval '1 hour'
    group by store_id`.execute(db)
  return new Map(rows.map(({ store_id, ...counts }): [string, StoreCalls] => [store_id, counts]))
}

interface ErrorRow {
  code: string
  status: number
  method: string | null
  route: string | null
  field: string | null
  permission: string | null
  count: number
  stores: number
  first_at: Date
  last_at: Date
  request_id: string
}

/** Places in an array are one field: `variants.*.price`. */
const FIELD = sql`regexp_replace(f.field, '\\.\\d+(?=\\.|$)', '.*', 'g')`

export const groupErrors = async (db: Db, scope: Scope, hours: number) => {
  const { rows } =
    await sql<ErrorRow>`select coalesce(c.code, 'other') as code, c.status, c.method, c.route, ${FIELD} as field,
      c.permission, count(distinct c.id)::float8 as count, count(distinct c.store_id)::float8 as stores,
      min(c.at) as first_at, max(c.at) as last_at, (array_agg(c.request_id order by c.at desc))[1] as request_id
    from call c left join lateral unnest(c.fields) as f (field) on true
    where ${ofScope(scope)} and c.status >= 400 and c.at > now() - ${hours} * interval '1 hour'
    group by 1, 2, 3, 4, 5, 6 order by count(*) desc, max(c.at) desc limit 100`.execute(db)
  return rows.map((row) => ({ ...row, first_at: row.first_at.toISOString(), last_at: row.last_at.toISOString() }))
}

interface RetryRow {
  idempotency_key: string
  store: string | null
  method: string | null
  route: string | null
  status: number
  calls: number
  replays: number
  conflicts: number
  first_at: Date
  last_at: Date
}

/** Keys that were sent more than once, for as long as replies are stored. */
export const listRetries = async (db: Db, scope: Scope) => {
  const { rows } =
    await sql<RetryRow>`select s.name as store, c.idempotency_key, c.method, c.route, c.status, c.calls, c.replays,
      c.conflicts, c.first_at, c.last_at from (
      select c.idempotency_key, c.store_id, (array_agg(c.method order by c.at, c.id))[1] as method,
        (array_agg(c.route order by c.at, c.id))[1] as route, (array_agg(c.status order by c.at, c.id))[1] as status,
        count(*)::float8 as calls, (count(*) filter (where c.is_replay))::float8 as replays,
        (count(*) filter (where c.code = 'idempotency_conflict'))::float8 as conflicts,
        min(c.at) as first_at, max(c.at) as last_at
      from call c where ${ofScope(scope)} and c.idempotency_key is not null and c.at > now() - interval '24 hours'
      group by c.installation_id, c.store_id, c.idempotency_key having count(*) > 1
      order by max(c.at) desc limit 100) c left join store s on s.id = c.store_id order by c.last_at desc`.execute(db)
  return rows.map(({ first_at, last_at, ...row }) => ({
    ...row,
    first_at: first_at.toISOString(),
    last_at: last_at.toISOString(),
  }))
}
