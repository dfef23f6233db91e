import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import { type AppRecord, restrictToPerson } from '../../core/http/access.ts'
import { analyzeGrownTables } from '../../core/storage/analyze-tables.ts'
import type { Blobs } from '../../core/storage/blobs/blobs.ts'
import type { Db } from '../../core/storage/database.ts'
import { databaseCaller } from '../../core/storage/database-caller.ts'
import type { DiskSpace } from '../../core/storage/disk-space.ts'
import type { Replicas } from '../../core/storage/replicas.ts'
import type { AccessCache } from '../auth/access-cache.ts'
import { findTicked } from '../auth/queries.ts'
import type { BulkResources } from './bulk-resources.ts'
import {
  deleteOldJobs,
  dropJob,
  findLeftInputs,
  type Job,
  leaseJob,
  pauseJob,
  releaseJob,
  takeIdleJobs,
} from './queries.ts'
import { endJob, removeInput, runJob } from './run-job.ts'
import type { BatchContext } from './run-line.ts'
import { KEPT_DAYS } from './schema.ts'

/** How long a job may take to be noticed by a process other than the one that received it. */
const POLL_MS = 2_000
/** After this time, a job of another store gets its turn. */
const TURN_MS = 5_000

/** Shown in a job that is paused. */
const NO_DISK_SPACE = 'The service has no disk space left. The job goes on when there is some again.'

export interface BulkServices {
  db: Db
  blobs: Blobs
  log: Logger
  bulkResources: BulkResources
  accessCache: AccessCache
  replicas?: Replicas | undefined
  diskSpace?: DiskSpace | undefined
  config: Pick<Config, 'STORE_QUOTA_GB'>
}

/** Tells the runner of this process that there is a new job. */
export const newJobs = new EventEmitter()

/**
 * What the job's app may do on the store; for the console, what the person may do who started the job, and for an assistant
 * what is left of that.
 */
const permissionsOf = async ({ accessCache, db }: BulkServices, job: Job): Promise<ReadonlySet<string> | undefined> => {
  const app = await accessCache.app(job.app_id ?? '')
  const installation = await accessCache.installation(job.installation_id ?? '')
  if (!app || app.disabled || !installation || installation.is_suspended) return undefined
  if (!job.account_id && !app.built_in) return installation.permissions
  const account = await accessCache.account(job.account_id ?? '')
  if (!account || account.disabled) return undefined
  if (app.built_in) return account.everywhere ?? account.stores.get(job.store_id)
  const ticked = await findTicked(db, installation.id, account.id)
  const held = account.everywhere ?? account.stores.get(job.store_id)
  return ticked && held && restrictToPerson(installation, account, ticked).permissions
}

/** Why the job must stop: its app, or the person who started it, has lost access since. */
const refusalOf = async (services: BulkServices, job: Job): Promise<string | undefined> => {
  if (!job.installation_id) return undefined
  const permissions = await permissionsOf(services, job)
  const who = job.account_id ? 'person' : 'app'
  if (!permissions) return job.account_id ? 'The person no longer has access.' : 'The app is no longer installed.'
  const missing = services.bulkResources
    .permissionsFor(job.resource, job.mode)
    .find((needed) => !permissions.has(needed))
  return missing && `The ${who} no longer has the permission ${missing}.`
}

/** Operations record the name and id of the app, the person, and nothing else of them. */
export const contextOf = (
  job: Job,
  resources: BulkResources,
  { account, via, limits }: Pick<AppRecord, 'account' | 'via'> & { limits?: BatchContext['limits'] } = {},
): BatchContext => ({
  limits,
  resources,
  store: job.store_id,
  app: { id: job.app_id, name: job.app_name, ...(account && { account }), via } as AppRecord,
})

/** Works on one job for a while. Returns whether there was one. */
const takeTurn = async (services: BulkServices, owner: string, signal: AbortSignal): Promise<boolean> => {
  const { db, bulkResources, diskSpace } = services
  const hasRoom = (await diskSpace?.hasRoom()) ?? true
  for (const { store_id, id } of await takeIdleJobs(db, bulkResources.names)) {
    if (!hasRoom) {
      await pauseJob(db, store_id, id, NO_DISK_SPACE)
      continue
    }
    const job = await leaseJob(db, store_id, id, owner)
    if (!job) continue
    const refusal = await refusalOf(services, job)
    if (refusal) {
      await endJob(services, job, owner, 'failed', refusal)
      return true
    }
    const isConsole = (await services.accessCache.app(job.app_id ?? ''))?.built_in
    const via = job.account_id && !isConsole ? ('assistant' as const) : undefined
    const caller = {
      app: job.app_id ?? undefined,
      account: job.account_id ?? undefined,
      via,
      installation: job.installation_id ?? undefined,
      store: job.store_id,
      isGone: () => false,
      wrote: async () => services.replicas?.wrote(job.installation_id ?? ''),
    }
    const account = job.account_id ? await services.accessCache.account(job.account_id) : undefined
    const limits = (await services.accessCache.installation(job.installation_id ?? ''))?.limits
    const context = contextOf(job, bulkResources, { ...(account && { account }), via, limits })
    const options = { owner, context, maxMs: TURN_MS, signal }
    try {
      await analyzeGrownTables(db)
      await databaseCaller.run(caller, () => runJob(services, job, options))
    } finally {
      await releaseJob(db, job, owner)
    }
    return true
  }
  return false
}

/**
 * Runs bulk jobs, one at a time, in every server process. A lease keeps two processes from running the same job. A job
 * whose lease has expired is resumed by the process that finds it.
 */
export const startBulkRunner = (services: BulkServices) => {
  const owner = randomUUID()
  const stopping = new AbortController()
  const { signal } = stopping
  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(end, POLL_MS).unref()
      function end() {
        clearTimeout(timer)
        newJobs.off('job', end)
        signal.removeEventListener('abort', end)
        resolve()
      }
      newJobs.on('job', end)
      signal.addEventListener('abort', end)
    })
  const work = async () => {
    while (!signal.aborted) {
      const found = await takeTurn(services, owner, signal).catch((error) => {
        services.log.warn({ err: error }, 'bulk job interrupted, will be continued')
        return false
      })
      if (!found && !signal.aborted) await pause()
    }
  }
  const ended = work()
  return () => {
    stopping.abort()
    return ended
  }
}

/** Deletes inputs that a crash has left, and jobs that ended a week ago. */
export const sweepBulkJobs = async ({ db, blobs }: Pick<BulkServices, 'db' | 'blobs'>, keptDays = KEPT_DAYS) => {
  for (const job of await findLeftInputs(db)) {
    await removeInput({ db, blobs }, job)
    if (job.status === 'receiving') await dropJob(db, job)
  }
  await deleteOldJobs(db, keptDays)
}
