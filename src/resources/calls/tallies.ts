import { sql } from 'kysely'
import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { CallRecord } from './call-record.ts'

/** Upper bounds in ms; the last bucket has none. */
export const BUCKETS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000] as const

interface Tally {
  store_id: StoreId | null
  installation_id: string | null
  app_id: string | null
  hour: string
  method: string
  route: string
  status_class: number
  calls: number
  ms: number
  buckets: number[]
}

interface Use {
  store_id: StoreId
  installation_id: string
  permission: string
  day: string
  used: number
  refused: number
  /** Milliseconds, in memory. */
  last_used: number
  last_refused: number
}

interface AssistantUse {
  installation_id: string
  account_id: string
  calls: number
  last_used_at: string
}

type Counted = Pick<CallRecord, 'store_id' | 'installation_id' | 'app_id' | 'method' | 'route' | 'status' | 'ms'>

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const timestamp = (at: number) => (at === 0 ? null : new Date(at).toISOString())

const bucketOf = (ms: number) => {
  const found = BUCKETS.findIndex((bound) => ms <= bound)
  return found === -1 ? BUCKETS.length : found
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Rows in one order, so that two processes that add to the same ones wait instead of blocking each other. */
const inOrder = <T>(rows: Map<string, T>) => [...rows].sort(([a], [b]) => compare(a, b)).map(([, row]) => row)

const writeTallies = (db: Db, rows: Tally[]) =>
  sql`insert into call_tally as t (store_id, installation_id, app_id, hour, method, route, status_class, calls, ms, buckets)
    select store_id, installation_id, app_id, hour, method, route, status_class, calls, ms, buckets
    from json_populate_recordset(null::call_tally, ${JSON.stringify(rows)}::json)
    on conflict (store_id, installation_id, app_id, hour, method, route, status_class) do update set
      calls = t.calls + excluded.calls, ms = t.ms + excluded.ms,
      buckets = array(select coalesce(a, 0) + coalesce(b, 0) from unnest(t.buckets, excluded.buckets) as u (a, b))`.execute(
    db,
  )

const useRow = ({ last_used, last_refused, ...use }: Use) => ({
  ...use,
  last_used_at: timestamp(last_used),
  last_refused_at: timestamp(last_refused),
})

const writeUses = (db: Db, uses: Use[]) =>
  sql`insert into permission_use as u (store_id, installation_id, permission, day, used, refused, last_used_at, last_refused_at)
    select store_id, installation_id, permission, day, used, refused, last_used_at, last_refused_at
    from json_populate_recordset(null::permission_use, ${JSON.stringify(uses.map(useRow))}::json)
    on conflict (store_id, installation_id, permission, day) do update set
      used = u.used + excluded.used, refused = u.refused + excluded.refused,
      last_used_at = greatest(u.last_used_at, excluded.last_used_at),
      last_refused_at = greatest(u.last_refused_at, excluded.last_refused_at)`.execute(db)

const writeAssistants = (db: Db, rows: AssistantUse[]) =>
  sql`update connected_assistant c set calls = c.calls + u.calls, last_used_at = greatest(c.last_used_at, u.last_used_at)
    from json_to_recordset(${JSON.stringify(rows)}::json)
      u (installation_id uuid, account_id uuid, calls bigint, last_used_at timestamptz)
    where c.installation_id = u.installation_id and c.account_id = u.account_id`.execute(db)

/** Adds calls up in memory, until they are written. */
export const createTallies = () => {
  let tallies = new Map<string, Tally>()
  let uses = new Map<string, Use>()
  let assistants = new Map<string, AssistantUse>()

  const addTally = (key: string, row: Tally) => {
    const known = tallies.get(key)
    if (!known) return tallies.set(key, row)
    known.calls += row.calls
    known.ms += row.ms
    for (const [n, count] of row.buckets.entries()) known.buckets[n] = (known.buckets[n] ?? 0) + count
  }

  const addUse = (key: string, row: Use) => {
    const known = uses.get(key)
    if (!known) return uses.set(key, row)
    known.used += row.used
    known.refused += row.refused
    known.last_used = Math.max(known.last_used, row.last_used)
    known.last_refused = Math.max(known.last_refused, row.last_refused)
  }

  const addAssistant = (key: string, row: AssistantUse) => {
    const known = assistants.get(key)
    if (!known) return assistants.set(key, row)
    known.calls += row.calls
    known.last_used_at = row.last_used_at
  }

  return {
    countAssistant: (installation_id: string, account_id: string, at: number) =>
      void addAssistant(`${installation_id} ${account_id}`, {
        installation_id,
        account_id,
        calls: 1,
        last_used_at: new Date(at).toISOString(),
      }),

    count: ({ store_id, installation_id, app_id, method, route, status, ms }: Counted, at: number) => {
      const hour = Math.floor(at / HOUR_MS)
      const status_class = Math.floor(status / 100)
      const key = `${installation_id ?? app_id ?? ''} ${hour} ${status_class} ${method} ${route}`
      const known = tallies.get(key)
      const bucket = bucketOf(ms ?? 0)
      if (known) {
        known.calls++
        known.ms += ms ?? 0
        known.buckets[bucket] = (known.buckets[bucket] as number) + 1
        return
      }
      const buckets = new Array<number>(BUCKETS.length + 1).fill(0)
      buckets[bucket] = 1
      tallies.set(key, {
        store_id,
        installation_id,
        app_id,
        hour: new Date(hour * HOUR_MS).toISOString(),
        method: method ?? '',
        route: route ?? '',
        status_class,
        calls: 1,
        ms: ms ?? 0,
        buckets,
      })
    },

    countPermission: (
      store_id: StoreId,
      installation_id: string,
      permission: string,
      at: number,
      outcome: 'used' | 'refused',
    ) => {
      const day = Math.floor(at / DAY_MS)
      const key = `${installation_id} ${permission} ${day}`
      let use = uses.get(key)
      if (!use) {
        const date = new Date(day * DAY_MS).toISOString().slice(0, 10)
        use = { store_id, installation_id, permission, day: date, used: 0, refused: 0, last_used: 0, last_refused: 0 }
        uses.set(key, use)
      }
      use[outcome]++
      use[`last_${outcome}`] = at
    },

    /** What could not be written is kept, and written the next time. */
    write: async (db: Db) => {
      const [given, used, seen] = [tallies, uses, assistants]
      tallies = new Map()
      uses = new Map()
      assistants = new Map()
      try {
        if (given.size > 0) await writeTallies(db, inOrder(given))
        given.clear()
        if (used.size > 0) await writeUses(db, inOrder(used))
        used.clear()
        if (seen.size > 0) await writeAssistants(db, inOrder(seen))
      } catch (error) {
        for (const [key, row] of given) addTally(key, row)
        for (const [key, row] of used) addUse(key, row)
        for (const [key, row] of seen) addAssistant(key, row)
        throw error
      }
    },
  }
}
