import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import { type Database, type DatabaseOptions, type Db, openDatabase } from './database.ts'
import { type DatabaseCaller, databaseCaller } from './database-caller.ts'
import { ClusterClient } from './hosts.ts'
import { createLastWrites } from './last-writes.ts'

const SAMPLE_EVERY_MS = 1_000
/** A standby that keeps up has replayed the primary's position by then. */
const REPLAY_MS = 30
/** How many positions of the primary are remembered: one each second. */
const MAX_SAMPLES = 120
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
 * Measures how far the standbys are behind, until it is aborted. The primary's position in the write-ahead log is sampled
 * every second: a standby that has replayed a sample shows everything committed before it. PostgreSQL's own replay time is
 * of no use here: it ages while nothing is written, and says nothing once the standby is cut off.
 */
const watchLag = async (primary: Db, replicas: readonly Replica[], signal: AbortSignal) => {
  const samples: Sample[] = []
  const measure = async (replica: Replica) => {
    const position = await replayPosition(replica.database.db)
    if (position === undefined) return
    const passed = samples.findLast((sample) => sample.position <= position)
    if (passed) replica.freshAt = Math.max(replica.freshAt, passed.at)
  }
  const sample = async () => {
    const at = performance.now()
    const position = await primaryPosition(primary)
    if (samples.push({ at, position }) > MAX_SAMPLES) samples.shift()
    await sleep(REPLAY_MS)
    // A standby that hangs must not delay the measurement of the others.
    for (const replica of replicas) measure(replica).catch(() => {})
  }
  while (!signal.aborted) {
    await sample().catch(() => {})
    await sleep(SAMPLE_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

const lagSeconds = ({ freshAt }: Replica) => (performance.now() - freshAt) / 1000

/** Waits until the standby shows everything that is committed now. Returns whether it does. */
const catchesUp = async (primary: Db, { database }: Replica) => {
  const position = await primaryPosition(primary)
  for (const until = performance.now() + CATCH_UP_MS; performance.now() < until; await sleep(20))
    if (((await replayPosition(database.db)) ?? 0n) >= position) return true
  return false
}

/**
 * Sends reads that may lag to standbys. An installation that has written reads from the primary for a while, so that it
 * finds what it has written.
 */
export const openReplicas = (primary: Database, connections: pg.ClientConfig[], options: ReplicaOptions) => {
  const { readYourWritesSeconds, maxLagSeconds, onRead, ...rest } = options
  const all = connections.map((connection): Replica => {
    const database = openDatabase(connection, { ...rest, name: 'replica', otherwise: primary })
    const { host, port } = new ClusterClient(connection)
    return { address: `${host}:${port}`, database, freshAt: Number.NEGATIVE_INFINITY }
  })
  const stopping = new AbortController()
  const watching = watchLag(primary.db, all, stopping.signal)
  const { hasWritten, wrote } = createLastWrites(primary.db, readYourWritesSeconds)
  let turn = 0

  const choose = async (installation: string, upToDate: boolean) => {
    const usable = all.filter((replica) => lagSeconds(replica) <= maxLagSeconds)
    const replica = usable[turn++ % usable.length]
    if (!replica || (await hasWritten(installation))) return undefined
    return !upToDate || (await catchesUp(primary.db, replica).catch(() => false)) ? replica.database : undefined
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
    wrote,
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
