import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { innerCalls } from '../../core/http/inner-calls.ts'
import { type Db, errorCode, isDatabaseBusy, isDatabaseUnavailable } from '../../core/storage/database.ts'
import { databaseCaller } from '../../core/storage/database-caller.ts'
import {
  type CallRecord,
  countedOf,
  describeCall,
  describeLoss,
  describeRejection,
  isLogged,
  type Rejection,
} from './call-record.ts'
import { addPartition, partitionOf } from './partitions.ts'
import { createRing } from './ring.ts'
import { createSampler } from './sampling.ts'
import { createTallies } from './tallies.ts'

const CAPACITY = 20_000
const WRITE_MS = 1_000
/** This many are not kept waiting. */
const ENOUGH = 500
const AT_ONCE = 5_000
const COUNT_MS = 10_000

const READS = new Set(['GET', 'HEAD'])

const COLUMNS = sql.raw(
  'id, at, request_id, app_id, store_id, installation_id, account_id, method, route, resource_id, status, ms, bytes_in, ' +
    'bytes_out, code, fields, permission, ignored, idempotency_key, is_replay, agent, via, skipped',
)

const insert = (db: Db, calls: readonly CallRecord[]) =>
  sql`insert into call (${COLUMNS}) select ${COLUMNS}
    from json_populate_recordset(null::call, ${JSON.stringify(calls)}::json)`.execute(db)

const NO_PARTITION = '23514'

/** Not the fault of what was written: it can be written later. */
const isPassing = (error: unknown) =>
  isDatabaseUnavailable(error) || isDatabaseBusy(error) || errorCode(error) === NO_PARTITION

export interface CallRecorder {
  hook: (app: FastifyInstance) => void
  reject: (rejection: Rejection) => void
  /** Writes everything that waits. */
  flush: () => Promise<void>
  start: () => void
  stop: () => Promise<void>
}

/** Records nothing. */
const NONE: CallRecorder = {
  hook: () => {},
  reject: () => {},
  flush: async () => {},
  start: () => {},
  stop: async () => {},
}

/**
 * Records calls in memory and writes them in the background: no request waits for it. If the database cannot keep up, the
 * oldest lines are lost, and the log says how many.
 */
export const createCallRecorder = (
  db: Db,
  log: Logger,
  { days, capacity = CAPACITY, atOnce = AT_ONCE }: { days: number; capacity?: number; atOnce?: number },
): CallRecorder => {
  if (days === 0) return NONE
  const ring = createRing<CallRecord>(capacity)
  const tallies = createTallies()
  const choose = createSampler()
  const partitions = new Set<string>()
  let running: Promise<void> | undefined
  let timers: NodeJS.Timeout[] = []
  let isFailing = false

  const report = (error: unknown) => {
    if (!isFailing) log.warn({ err: error }, 'calls could not be logged, will retry')
    isFailing = true
  }

  const write = async (calls: readonly CallRecord[]) => {
    for (const { at } of calls) {
      const partition = partitionOf(at)
      if (partitions.has(partition.name)) continue
      await addPartition(db, partition)
      partitions.add(partition.name)
    }
    await insert(db, calls)
  }

  const writeSome = async () => {
    const lost = ring.takeDropped()
    const calls = ring.take(atOnce)
    if (calls.length + lost === 0) return
    try {
      await write(lost > 0 ? [...calls, describeLoss(lost)] : calls)
      isFailing = false
    } catch (error) {
      // It may have been dropped by another node, or with a restored backup.
      partitions.clear()
      ring.lose(lost)
      if (isPassing(error)) ring.putBack(calls)
      else ring.lose(calls.length)
      throw error
    }
  }

  const writeAll = async () => {
    do await writeSome()
    while (ring.size >= ENOUGH)
  }

  /** One write at a time. */
  const writeLines = () => {
    running ??= databaseCaller
      .exit(writeAll)
      .catch(report)
      .finally(() => {
        running = undefined
      })
    return running
  }

  /** Until nothing waits, or nothing can be written. */
  const writeRest = async () => {
    await running
    for (let before = Number.POSITIVE_INFINITY; ring.size > 0 && ring.size < before; ) {
      before = ring.size
      await writeLines()
    }
  }

  const writeCounts = () => databaseCaller.exit(() => tallies.write(db)).catch(report)

  /** Most reads of a busy app are only counted: a line is described when it is kept. */
  const keep = (
    call: Pick<CallRecord, 'method' | 'installation_id' | 'app_id' | 'status'>,
    at: number,
    describe: () => CallRecord,
  ) => {
    const isRead = call.method !== null && READS.has(call.method)
    const skipped = choose(call.installation_id ?? call.app_id, call.status >= 400 || !isRead, at)
    if (skipped === undefined) return
    ring.push({ ...describe(), skipped })
    if (ring.size === ENOUGH) void writeLines()
  }

  return {
    hook: (app) => {
      app.addHook('onResponse', (request, reply, done) => {
        done()
        if (!isLogged(request)) return
        const at = Date.now()
        const call = countedOf(request, reply)
        tallies.count(call, at)
        const { caller, failure, route, checkedPermissions = [] } = request
        // What people do in the console says nothing about an app.
        if (caller?.installation && !caller.account) {
          const { id, store_id } = caller.installation
          if (failure?.permission) tallies.countPermission(store_id, id, failure.permission, at, 'refused')
          else if (failure?.code !== 'rate_limited')
            for (const name of route.permission ? [route.permission, ...checkedPermissions] : checkedPermissions)
              tallies.countPermission(store_id, id, name, at, 'used')
        }
        // What an assistant's call asks of the service itself is part of that call.
        if (caller?.assistantOf && caller.installation && !innerCalls.getStore())
          tallies.countAssistant(caller.installation.id, caller.assistantOf.id, at)
        keep(call, at, () => describeCall(request, reply, call, at))
      })
    },
    reject: (rejection) => {
      const at = Date.now()
      const call = describeRejection(rejection, at)
      tallies.count(call, at)
      keep(call, at, () => call)
    },
    flush: async () => {
      await writeRest()
      await writeCounts()
    },
    start: () => {
      timers = [setInterval(writeLines, WRITE_MS).unref(), setInterval(writeCounts, COUNT_MS).unref()]
    },
    stop: async () => {
      for (const timer of timers) clearInterval(timer)
      await writeRest()
      await writeCounts()
    },
  }
}
