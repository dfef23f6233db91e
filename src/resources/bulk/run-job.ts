import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { MAX_JSON_BYTES } from '../../core/http/json-bodies.ts'
import { BlobNotFound, type Blobs, jobInputKey } from '../../core/storage/blobs/blobs.ts'
import { type Db, isDatabaseUnavailable, type Tx, transact } from '../../core/storage/database.ts'
import type { DiskSpace } from '../../core/storage/disk-space.ts'
import { isDiskFull } from '../../core/storage/disk-space.ts'
import { type InputLine, readLines } from './lines.ts'
import { finishJob, forgetInput, type Job, lockJob, recordProgress, storeResults } from './queries.ts'
import { type BatchContext, failedLine, type LineResult, runLine } from './run-line.ts'

/** Few enough for the cache of subtransactions in PostgreSQL, which has room for 64. */
const MAX_BATCH_LINES = 50
const MAX_BATCH_BYTES = MAX_JSON_BYTES
/** A longer line is a batch of its own, so that it is known which line was running when a process died. */
const MAX_SHARED_LINE_BYTES = 64 * 1024
/** A line is not tried again after so many processes died on it. */
const MAX_DEATHS = 2
/** A batch holds locks of what it wrote, and a connection. */
const MAX_BATCH_MS = 150
/** Pause after each batch, as a fraction of the batch's time, so that other requests get through. */
const PAUSE = 0.1

/** The reason in the result of a line that is given up. */
const KILLED = 'The server stopped twice while it worked on this line, so the line was not tried again.'

interface RunServices {
  db: Db
  blobs: Blobs
  log: Logger
  diskSpace?: DiskSpace | undefined
}

interface RunOptions {
  /** Owner of the lease. */
  owner: string
  context: BatchContext
  /** Returns after this time if there is more to do, so that other jobs get a turn. */
  maxMs: number
  signal: AbortSignal
  onProgress?: (lines: number) => void
}

/** Takes lines for the next batch: those left over, then new ones. */
const fill = async (lines: InputLine[], source: AsyncGenerator<InputLine>) => {
  let bytes = lines.reduce((sum, line) => sum + (line.bytes?.length ?? 0), 0)
  while (lines.length < MAX_BATCH_LINES && bytes < MAX_BATCH_BYTES) {
    const { value, done } = await source.next()
    if (done) return
    lines.push(value)
    bytes += value.bytes?.length ?? 0
  }
}

const runLines = async (
  db: Tx,
  job: Job,
  { context }: RunOptions,
  lines: readonly InputLine[],
  maxLines: number,
  log: Logger,
): Promise<LineResult[]> => {
  const started = performance.now()
  const results: LineResult[] = []
  const created = new Set<string>()
  if (job.dry_run) await sql`savepoint batch`.execute(db)
  for (const line of lines.slice(0, maxLines)) {
    results.push(await runLine(db, job, context, line, created, log))
    // In a dry run, lines see only earlier lines of their batch, so its size must not depend on the machine's speed.
    if (!job.dry_run && performance.now() - started > MAX_BATCH_MS) break
  }
  if (created.size > 0) await context.resources.get(job.resource).keepTexts?.(db, job.store_id, [...created])
  if (job.dry_run) await sql`rollback to savepoint batch`.execute(db)
  return results
}

const count = (results: readonly LineResult[], status: LineResult['status']) =>
  results.filter((result) => result.status === status).length

const record = async (
  db: Tx,
  job: Job,
  lines: readonly InputLine[],
  results: readonly LineResult[],
  workedMs: number,
) => {
  const [first, last] = [lines[0] as InputLine, lines[results.length - 1] as InputLine]
  const texts = results.map(({ text }) => text)
  await storeResults(db, job, first.number, texts)
  await recordProgress(db, job, {
    nextByte: last.next,
    nextLine: last.number + 1,
    created: count(results, 'created'),
    updated: count(results, 'updated'),
    failed: count(results, 'failed'),
    workedMs,
  })
}

/** Runs lines and records their results in one transaction. Returns how many; 0 if another process has the job now. */
const runBatch = (
  { db, log }: RunServices,
  job: Job,
  options: RunOptions,
  lines: readonly InputLine[],
  { maxLines, since }: { maxLines: number; since: number },
): Promise<number> =>
  transact(db, async (db) => {
    if (!(await lockJob(db, job, options.owner))) return 0
    const results = await runLines(db, job, options, lines, maxLines, log)
    await record(db, job, lines, results, performance.now() - since)
    return results.length
  })

/** For a line that fails its whole batch, such as by a timeout, or that kills its process. */
const skipLine = (
  { db }: RunServices,
  job: Job,
  { owner }: RunOptions,
  line: InputLine,
  reason?: string,
): Promise<number> =>
  transact(db, async (db) => {
    if (!(await lockJob(db, job, owner))) return 0
    await record(db, job, [line], [failedLine(line.number, reason)], 0)
    return 1
  })

const isLong = ({ bytes }: InputLine) => (bytes?.length ?? 0) > MAX_SHARED_LINE_BYTES

/** How many lines to run together: short ones; after a death one at a time, until all that may have caused it are done. */
const batchSize = (lines: readonly InputLine[], suspects: number) => {
  if (suspects > 0) return 1
  const long = lines.findIndex(isLong)
  return long < 0 ? lines.length : Math.max(long, 1)
}

/** Retries a failed batch line by line. A line that fails again is recorded as failed. */
const runBatchOrLine = async (
  services: RunServices,
  job: Job,
  options: RunOptions,
  lines: readonly InputLine[],
  { maxLines: usual, since }: { maxLines: number; since: number },
): Promise<number> => {
  for (const maxLines of [usual, 1]) {
    try {
      return await runBatch(services, job, options, lines, { maxLines, since })
    } catch (error) {
      if (isDatabaseUnavailable(error) || isDiskFull(error)) throw error
      services.log.warn({ err: error, job: job.id }, 'a batch of a bulk job failed')
    }
  }
  return skipLine(services, job, options, lines[0] as InputLine)
}

/** Removes the input of a finished job. What a crash leaves is removed by the periodic cleanup. */
export const removeInput = async (
  { db, blobs }: Pick<RunServices, 'db' | 'blobs'>,
  job: Pick<Job, 'store_id' | 'id'>,
) => {
  await blobs.remove([jobInputKey(job.store_id, job.id)])
  await forgetInput(db, job.store_id, job.id)
}

const openInput = async ({ blobs }: RunServices, { store_id, id, next_byte, bytes }: Job) =>
  blobs.open(jobInputKey(store_id, id), { first: next_byte, last: bytes - 1 })

/** Ends the job, unless it was cancelled or another process has it now. */
export const endJob = async (
  services: RunServices,
  job: Job,
  owner: string,
  status: 'done' | 'failed',
  error?: string,
) => {
  await finishJob(services.db, job, owner, status, error)
  await removeInput(services, job)
}

/** Resumes a leased job, until the disk is full. Returns whether it has ended, or was taken over by another process. */
export const runJob = async (services: RunServices, job: Job, options: RunOptions): Promise<boolean> => {
  const ends = performance.now() + options.maxMs
  if (job.next_byte >= job.bytes) {
    await endJob(services, job, options.owner, 'done')
    return true
  }
  let stream: Awaited<ReturnType<typeof openInput>>
  try {
    stream = await openInput(services, job)
  } catch (error) {
    if (!(error instanceof BlobNotFound)) throw error
    await endJob(services, job, options.owner, 'failed', 'The input of the job is lost.')
    return true
  }
  try {
    const source = readLines(stream, {
      firstByte: job.next_byte,
      firstLine: job.next_line,
      maxBytes: MAX_JSON_BYTES,
    })
    const lines: InputLine[] = []
    let since = performance.now()
    let suspects = job.deaths > 0 ? MAX_BATCH_LINES : 0
    let isGivenUp = job.deaths >= MAX_DEATHS
    for (;;) {
      await fill(lines, source)
      if (lines.length === 0) {
        await endJob(services, job, options.owner, 'done')
        return true
      }
      if ((await services.diskSpace?.hasRoom()) === false) return false
      const done = isGivenUp
        ? await skipLine(services, job, options, lines[0] as InputLine, KILLED)
        : await runBatchOrLine(services, job, options, lines, { maxLines: batchSize(lines, suspects), since })
      if (done === 0) return true
      isGivenUp = false
      suspects = Math.max(0, suspects - done)
      const spent = performance.now() - since
      since = performance.now()
      lines.splice(0, done)
      options.onProgress?.(done)
      if (options.signal.aborted || performance.now() > ends) return false
      await sleep(spent * PAUSE)
    }
  } finally {
    stream.destroy()
  }
}
