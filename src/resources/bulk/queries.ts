import { sql } from 'kysely'
import { dropWork, noteWorkChange, readWork, sweepWork } from '../../core/jobs/store-work.ts'
import { createExistenceCheck } from '../../core/reading/single-row.ts'
import type { Db, Tx } from '../../core/storage/database.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { ApiError } from '../../errors.ts'
import { MAX_OPEN_JOBS, type Mode } from './schema.ts'
import type {} from './tables.ts'

export const jobExists = createExistenceCheck('bulk_job')

/** What a job imports. */
export const findJob = async (db: Db, store: StoreId, id: string) => {
  const text = sqlText`select resource, mode from bulk_job where store_id = $1 and id = $2`
  return (await runSql<{ resource: string; mode: string }>(db, text, [store, id]))[0]
}

/** A job as the process with its lease sees it. */
export interface Job {
  store_id: StoreId
  id: string
  resource: string
  mode: Mode
  match: string | null
  dry_run: boolean
  app_id: string | null
  app_name: string
  installation_id: string | null
  /** The person on whose behalf the console started it. */
  account_id: string | null
  status: string
  bytes: number
  lines: number
  next_byte: number
  next_line: number
  /** Processes that died, or lost the job, since it last made progress. */
  deaths: number
}

const JOB_COLUMNS = sqlText`store_id, id, resource, mode, match, dry_run, app_id, app_name, installation_id, account_id, status,
  bytes, lines, next_byte, next_line, deaths`

export type NewJob = Pick<
  Job,
  | 'store_id'
  | 'id'
  | 'resource'
  | 'mode'
  | 'match'
  | 'dry_run'
  | 'app_id'
  | 'app_name'
  | 'installation_id'
  | 'account_id'
>

/** A request that receives its input takes minutes at most; one that was killed must not count for long. */
const RECEIVING_MINUTES = 15

/** Reserves a place for a job whose input is still to come. */
export const reserveJob = async (db: Db, job: NewJob) => {
  await db.insertInto('bulk_job').values(job).execute()
  const [open] = await runSql<{ jobs: number }>(
    db,
    sqlText`select count(*) as jobs from bulk_job where store_id = $1 and finished_at is null
      and (status <> 'receiving' or created_at > statement_timestamp() - interval '${RECEIVING_MINUTES} minutes')`,
    [job.store_id],
  )
  if ((open?.jobs ?? 0) <= MAX_OPEN_JOBS) return
  await dropJob(db, job)
  throw new ApiError('rate_limited', `A store may have ${MAX_OPEN_JOBS} unfinished bulk jobs. Wait for one to end.`, {
    retryAfter: 30,
  })
}

export const dropJob = (db: Db, { store_id, id }: Pick<NewJob, 'store_id' | 'id'>) =>
  runSql(db, sqlText`delete from bulk_job where store_id = $1 and id = $2`, [store_id, id])

/** Queues the job, so that it is run. */
export const queueJob = async (
  db: Tx,
  job: Pick<NewJob, 'store_id' | 'id'>,
  input: { bytes: number; lines: number },
) => {
  await runSql(
    db,
    sqlText`update bulk_job set status = 'waiting', has_input = true, bytes = $3, lines = $4
      where store_id = $1 and id = $2 and status = 'receiving'`,
    [job.store_id, job.id, input.bytes, input.lines],
  )
  await noteWorkChange(db, 'jobs', job.store_id)
}

/** How often one of all processes looks for jobs that nobody has noted. */
const SWEEP_EVERY_MS = 30_000

/** A lease is renewed with every batch. A process that is killed leaves its job to others after this time. */
export const LEASE_SECONDS = 20

/**
 * Jobs without a lease, the longest waiting first. Jobs of one store run one after the other. During an upgrade, an older
 * process leaves jobs of resources that it does not have to newer ones.
 */
const findIdleJobs = (db: Db, resources: readonly string[], stores: readonly string[]) =>
  runSql<{ store_id: StoreId; id: string }>(
    db,
    sqlText`select j.store_id, j.id from bulk_job j
    where j.store_id = any($2) and j.finished_at is null and j.status <> 'receiving' and j.resource = any($1)
      and (j.leased_until is null or j.leased_until < statement_timestamp())
      and not exists (
        select 1 from bulk_job earlier where earlier.store_id = j.store_id and earlier.finished_at is null
          and earlier.status <> 'receiving' and (earlier.created_at, earlier.id) < (j.created_at, j.id))
    order by j.turn_at limit 10`,
    [resources, stores],
  )

const UNFINISHED = sqlText`select distinct store_id from bulk_job where finished_at is null and status <> 'receiving'`

/** The same of the stores that have jobs. One that has none left is not asked again. */
export const takeIdleJobs = async (db: Db, resources: readonly string[]) => {
  await sweepWork(db, 'jobs', SWEEP_EVERY_MS, () => runSql<{ store_id: StoreId }>(db, UNFINISHED, []))
  const noted = await readWork(db, 'jobs')
  if (noted.length === 0) return []
  const stores = noted.map(({ store_id }) => store_id)
  const idle = await findIdleJobs(db, resources, stores)
  if (idle.length > 0) return idle
  const unfinished = await runSql<{ store_id: StoreId }>(db, sqlText`${UNFINISHED} and store_id = any($1)`, [stores])
  const left = new Set(unfinished.map(({ store_id }) => store_id))
  await dropWork(
    db,
    'jobs',
    noted.filter(({ store_id }) => !left.has(store_id)),
  )
  return []
}

/** A process that ends properly releases its jobs: a lease that is left has expired because its process died or hung. */
export const leaseJob = async (db: Db, store: StoreId, id: string, owner: string): Promise<Job | undefined> =>
  (
    await runSql<Job>(
      db,
      sqlText`update bulk_job set status = 'running', error = null, leased_by = $3, turn_at = statement_timestamp(),
        deaths = deaths + (leased_by is not null)::int,
        leased_until = statement_timestamp() + interval '${LEASE_SECONDS} seconds',
        started_at = coalesce(started_at, $4::timestamptz)
      where store_id = $1 and id = $2 and status in ('waiting', 'running')
        and (leased_until is null or leased_until < statement_timestamp())
      returning ${JOB_COLUMNS}`,
      [store, id, owner, new Date()],
    )
  )[0]

/** Says why a job does not go on. Writes nothing if the job says so already. */
export const pauseJob = (db: Db, store: StoreId, id: string, reason: string) =>
  runSql(
    db,
    sqlText`update bulk_job set status = 'waiting', error = $3
    where store_id = $1 and id = $2 and status in ('waiting', 'running') and error is distinct from $3
      and (leased_until is null or leased_until < statement_timestamp())`,
    [store, id, reason],
  )

/** Undefined if the job was cancelled, or another process has it now. */
export const lockJob = async (db: Tx, { store_id, id }: Job, owner: string): Promise<Job | undefined> =>
  (
    await runSql<Job>(
      db,
      sqlText`select ${JOB_COLUMNS} from bulk_job
      where store_id = $1 and id = $2 and leased_by = $3 and status = 'running' for no key update`,
      [store_id, id, owner],
    )
  )[0]

export interface Progress {
  nextByte: number
  nextLine: number
  created: number
  updated: number
  failed: number
  workedMs: number
}

export const recordProgress = (db: Tx, { store_id, id }: Job, progress: Progress) =>
  runSql(
    db,
    sqlText`update bulk_job set next_byte = $3, next_line = $4, created = created + $5, updated = updated + $6,
      failed = failed + $7, worked_ms = worked_ms + $8, deaths = 0, updated_at = statement_timestamp(),
      leased_until = statement_timestamp() + interval '${LEASE_SECONDS} seconds'
    where store_id = $1 and id = $2`,
    [
      ...[store_id, id, progress.nextByte, progress.nextLine],
      ...[progress.created, progress.updated, progress.failed, Math.round(progress.workedMs)],
    ],
  )

export const storeResults = (db: Tx, { store_id, id }: Job, firstLine: number, lines: string[]) =>
  runSql(db, sqlText`insert into bulk_result (store_id, job_id, first_line, lines) values ($1, $2, $3, $4)`, [
    ...[store_id, id, firstLine],
    `${lines.join('\n')}\n`,
  ])

/** A batch has at most some megabytes, and a stalled reader holds one in memory. */
export async function* readResults(
  db: Db,
  store: StoreId,
  id: string,
  checkCaller: () => Promise<void>,
): AsyncGenerator<string> {
  let after = 0
  for (;;) {
    const [next] = await runSql<{ first_line: number; lines: string }>(
      db,
      sqlText`select first_line, lines from bulk_result where store_id = $1 and job_id = $2 and first_line > $3
      order by first_line limit 1`,
      [store, id, after],
    )
    if (!next) return
    yield next.lines
    after = next.first_line
    await checkCaller()
  }
}

export const releaseJob = (db: Db, { store_id, id }: Job, owner: string) =>
  runSql(
    db,
    sqlText`update bulk_job set leased_by = null, leased_until = null where store_id = $1 and id = $2 and leased_by = $3`,
    [store_id, id, owner],
  )

export const finishJob = (db: Db, { store_id, id }: Job, owner: string, status: 'done' | 'failed', error?: string) =>
  runSql(
    db,
    sqlText`update bulk_job set status = $4, error = $5, finished_at = statement_timestamp(), leased_by = null,
      leased_until = null
    where store_id = $1 and id = $2 and leased_by = $3 and status = 'running'`,
    [store_id, id, owner, status, error ?? null],
  )

/** Waits for the batch that is being written. Lines that are done stay done. */
export const cancelJob = (db: Tx, store: StoreId, id: string) =>
  runSql(
    db,
    sqlText`update bulk_job set status = 'cancelled', error = null, finished_at = statement_timestamp(), leased_by = null,
      leased_until = null
    where store_id = $1 and id = $2 and finished_at is null`,
    [store, id],
  )

/** Finished jobs, and those whose request was killed, whose input is still stored. */
export const findLeftInputs = (db: Db) =>
  runSql<{ store_id: StoreId; id: string; status: string }>(
    db,
    sqlText`select store_id, id, status from bulk_job
    where (finished_at is not null and has_input)
      or (status = 'receiving' and created_at < statement_timestamp() - interval '1 hour')
    limit 100`,
    [],
  )

export const forgetInput = (db: Db, store: StoreId, id: string) =>
  runSql(db, sqlText`update bulk_job set has_input = false where store_id = $1 and id = $2`, [store, id])

export const deleteOldJobs = (db: Db, days: number) =>
  sql`delete from bulk_job where finished_at < statement_timestamp() - make_interval(days => ${days})
    and not has_input`.execute(db)
