import { sql } from 'kysely'
import { ADVISORY_LOCKS } from '../../core/storage/advisory-locks.ts'
import { type Db, type Tx, transact } from '../../core/storage/database.ts'

const HOURS = 6
const HOUR_MS = 3_600_000
const PERIOD_MS = HOURS * HOUR_MS

/** More than this is not kept, however few days it is. */
export const MAX_BYTES = 2 ** 30

const COUNT_DAYS = 90
const USE_DAYS = 400

const stamp = (time: number) => new Date(time).toISOString()

/** `call_2026111818` has the calls from 18:00 UTC on. */
export const partitionOf = (at: string) => {
  const from = Math.floor(Date.parse(at) / PERIOD_MS) * PERIOD_MS
  return { name: `call_${stamp(from).replace(/\D/g, '').slice(0, 10)}`, from, until: from + PERIOD_MS }
}

/** Nodes add and drop partitions one after the other. */
const alone = (db: Db, work: (db: Tx) => Promise<unknown>) =>
  transact(db, async (db) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(ADVISORY_LOCKS.callPartitions)})`.execute(db)
    await work(db)
  })

export const addPartition = (db: Db, { name, from, until }: ReturnType<typeof partitionOf>) =>
  alone(db, (db) =>
    sql`create unlogged table if not exists ${sql.table(name)} partition of call
      for values from (${sql.lit(stamp(from))}) to (${sql.lit(stamp(until))})`.execute(db),
  )

const listPartitions = async (db: Db) => {
  const { rows } = await sql<{ name: string; bytes: number }>`
    select c.relname::text as name, pg_total_relation_size(c.oid)::float8 as bytes
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'call'::regclass order by 1 desc`.execute(db)
  return rows
}

const endOf = (name: string) => {
  const [, year, month, day, hour] = /^call_(\d{4})(\d\d)(\d\d)(\d\d)$/.exec(name) ?? []
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour)) + PERIOD_MS
}

interface Limits {
  days: number
  maxBytes?: number
  /** The disk is nearly full. */
  isShort?: boolean
}

/** Drops the oldest lines: those of more than some days ago, and more if they need too much room. */
export const dropOldCalls = async (db: Db, { days, maxBytes = MAX_BYTES, isShort = false }: Limits) => {
  const oldest = Date.now() - days * 24 * HOUR_MS
  let bytes = 0
  const dropped = (await listPartitions(db)).filter((partition, index) => {
    bytes += partition.bytes
    return endOf(partition.name) <= oldest || bytes > maxBytes || (isShort && index > 0)
  })
  for (const { name } of dropped) await alone(db, (db) => sql`drop table if exists ${sql.table(name)}`.execute(db))
  await sql`delete from call_tally where hour < now() - ${COUNT_DAYS} * interval '1 day'`.execute(db)
  await sql`delete from permission_use where day < current_date - ${USE_DAYS}::int`.execute(db)
  return dropped.map(({ name }) => name)
}
