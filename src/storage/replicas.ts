import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import { type Database, type DatabaseOptions, type Db, openDatabase } from './database.ts'
import { type DatabaseCaller, databaseCaller } from './database-caller.ts'
import { ClusterClient } from './hosts.ts'

const SAMPLE_EVERY_MS = 1_000
/** A standby that keeps up has replayed the primary's position by then. */
const REPLAY_MS = 30
/** How many positions of the primary are remembered: one each second. */
const MAX_SAMPLES = 120
/** The time of an installation's last write is stored at most this often, and expires later by as much. */
const NOTE_EVERY_MS = 1_000
const MAX_NOTES = 20_000
/** How long a read that must not be behind waits for a standby. */
const CATCH_UP_MS = 500

interface ReplicaOptions extends DatabaseOptions {
  /** For how long after its last write an installation reads from the primary. */
  readYourWritesSeconds: number
  /** A standby that is further behind is not used. Less than `readYourWritesSeconds`. */
  maxLagSeconds: number
  onRead: (target: 'primary' | 'replica') => void
}

/** A position in the write-ahead log, such as 16/B374D848. */
const readPosition = (text: string): bigint => {
  const [high = '', low = ''] = text.split('/')
  return BigInt(`0x${high}`) * 2n ** 32n + BigInt(`0x${low}`)
}

export const primaryPosition = async (db: Db): Promise<bigint> => {
  const { rows } = await sql<{ lsn: string }>`select pg_current_wal_insert_lsn()::text as lsn`.execute(db)
  return readPosition(rows[0]?.lsn ?? '0/0')
}

/** How far a standby has replayed; undefined for a server that is none. */
export const replayPosition = async (db: Db): Promise<bigint | undefined> => {
  const { rows } = await sql<{ lsn: string | null }>`
    select case when pg_is_in_recovery() then pg_last_wal_replay_lsn()::text end as lsn`.execute(db)
  return rows[0]?.lsn ? readPosition(rows[0].lsn) : undefined
}

interface Sample {
  at: number
  position: bigint
}

interface Replica {
  address: string
  database: Database
  /** It shows everything that was committed before this time. */
  freshAt: number
}

/**
 * Sends reads that may lag to standbys. To measure the lag, the primary's position in the write-ahead log is sampled every
 * second: a standby that has replayed a sample shows everything committed before it. PostgreSQL's own replay time is of no
 * use here: it ages while nothing is written, and says nothing once the standby is cut off.
 *
 * An installation that has written reads from the primary for a while. Its next request may reach another node, so the time
 * of the write is stored in the database, in the table of the rate limits, whose rows expire the same way.
 */
export const openReplicas = (primary: Database, connections: pg.ClientConfig[], options: ReplicaOptions) => {
  const { readYourWritesSeconds, maxLagSeconds, onRead, ...rest } = options
  const all = connections.map((connection): Replica => {
    const database = openDatabase(connection, { ...rest, name: 'replica', otherwise: primary })
    const { host, port } = new ClusterClient(connection)
    return { address: `${host}:${port}`, database, freshAt: Number.NEGATIVE_INFINITY }
  })
  const samples: Sample[] = []
  const notes = new Map<string, { at: number; kept: Promise<void> }>()
  const stopping = new AbortController()
  let turn = 0

  const lagSeconds = ({ freshAt }: Replica) => (performance.now() - freshAt) / 1000

  const measure = async (replica: Replica) => {
    const position = await replayPosition(replica.database.db)
    if (position === undefined) return
    const passed = samples.findLast((sample) => sample.position <= position)
    if (passed) replica.freshAt = Math.max(replica.freshAt, passed.at)
  }
  const sample = async () => {
    const at = performance.now()
    const position = await primaryPosition(primary.db)
    if (samples.push({ at, position }) > MAX_SAMPLES) samples.shift()
    await sleep(REPLAY_MS)
    // A standby that hangs must not delay the measurement of the others.
    for (const replica of all) measure(replica).catch(() => {})
  }
  const watch = async () => {
    while (!stopping.signal.aborted) {
      await sample().catch(() => {})
      await sleep(SAMPLE_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  const watching = watch()

  const findUsable = () => {
    const usable = all.filter((replica) => lagSeconds(replica) <= maxLagSeconds)
    return usable[turn++ % usable.length]
  }

  const hasWritten = async (installation: string) => {
    const last = notes.get(installation)
    if (last && performance.now() - last.at < readYourWritesSeconds * 1000) return true
    const { rows } = await sql`
      select 1 as found from rate_window where key = ${`wrote:${installation}`} and ends_at > now()`.execute(primary.db)
    return rows.length > 0
  }

  const note = async (installation: string): Promise<void> => {
    const seconds = readYourWritesSeconds + NOTE_EVERY_MS / 1000
    await sql`
      insert into rate_window as w (key, window_start, used, ends_at)
      values (${`wrote:${installation}`}, now(), 1, now() + ${seconds} * interval '1 second')
      on conflict (key) do update set ends_at = greatest(w.ends_at, excluded.ends_at)`.execute(primary.db)
  }

  /** Waits until the standby shows everything that is committed now. Returns whether it does. */
  const catchesUp = async ({ database }: Replica) => {
    const position = await primaryPosition(primary.db)
    for (const until = performance.now() + CATCH_UP_MS; performance.now() < until; await sleep(20))
      if (((await replayPosition(database.db)) ?? 0n) >= position) return true
    return false
  }

  const choose = async (installation: string, upToDate: boolean) => {
    const replica = findUsable()
    if (!replica || (await hasWritten(installation))) return undefined
    return !upToDate || (await catchesUp(replica).catch(() => false)) ? replica.database : undefined
  }

  return {
    /** Seconds that each is behind. */
    lags: () => all.map((replica) => ({ address: replica.address, seconds: lagSeconds(replica) })),
    /** Where the installation may read now: a standby, or the primary if undefined. */
    find: async (installation: string, upToDate: boolean): Promise<DatabaseCaller['replica']> => {
      const found = await choose(installation, upToDate)
      onRead(found ? 'replica' : 'primary')
      return found
    },
    /** To be called before the write is acknowledged. */
    wrote: async (installation: string) => {
      const last = notes.get(installation)
      if (last && performance.now() - last.at < NOTE_EVERY_MS) return last.kept
      if (notes.size >= MAX_NOTES) notes.clear()
      const kept = note(installation)
      notes.set(installation, { at: performance.now(), kept })
      // If this fails, other nodes do not learn of the write; the next write tries again.
      await kept.catch((error) => {
        notes.delete(installation)
        throw error
      })
    },
    close: async () => {
      stopping.abort()
      await watching
      await Promise.all(all.map(({ database }) => database.close()))
    },
  }
}

export type Replicas = ReturnType<typeof openReplicas>

/**
 * Sends the remaining reads of this request to a standby. With `upToDate`, waits until the standby shows everything that
 * was committed before.
 */
export const preferReplica = async ({ upToDate = false } = {}): Promise<void> => {
  const caller = databaseCaller.getStore()
  if (caller?.findReplica) caller.replica = await caller.findReplica(upToDate)
}
