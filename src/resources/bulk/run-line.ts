import { sql } from 'kysely'
import type { Logger } from 'pino'
import { MAX_JSON_BYTES } from '../../core/http/json-bodies.ts'
import type { BulkResource, LineContext, LineFields } from '../../core/http/resource.ts'
import { parseJsonInTurns } from '../../core/input/parse-json.ts'
import { errorCode, isDatabaseBusy, isDatabaseUnavailable, type Tx } from '../../core/storage/database.ts'
import { isDiskFull } from '../../core/storage/disk-space.ts'
import { ApiError, ERROR_MESSAGES, type FieldErrors, invalid, ValidationErrors } from '../../errors.ts'
import type { BulkResources } from './bulk-resources.ts'
import { isFields } from './line-fields.ts'
import type { InputLine } from './lines.ts'
import type { Job } from './queries.ts'

/** Unknown fields that a result names. */
const MAX_IGNORED = 10

type LineStatus = 'created' | 'updated' | 'failed'

interface Done {
  status: 'created' | 'updated'
  id: string
  ignored: string[]
}

/** On whose behalf lines are run, and what they can be. */
export interface BatchContext extends LineContext {
  resources: BulkResources
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

const decode = (bytes: Buffer | undefined) => {
  if (!bytes) throw invalid({ line: [`must have at most ${MAX_JSON_BYTES / 1024 ** 2} MB`] })
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalid({ line: ['must be UTF-8'] })
  }
}

const parse = async (line: InputLine) => {
  const parsed = await parseJsonInTurns(decode(line.bytes))
  if (!('value' in parsed)) throw invalid({ line: [`must be ${parsed.fault}`] })
  if (!isFields(parsed.value)) throw invalid({ line: ['must be a JSON object'] })
  return parsed.value
}

/** Creates or updates the resource of a line, with the operations and checks of a single request. */
const apply = async (db: Tx, job: Job, batch: BatchContext, line: InputLine): Promise<Done> => {
  const { resources, ...context } = batch
  const resource = resources.get(job.resource)
  const fields = await parse(line)
  const ignored: string[] = []
  resource.adapt?.(fields, ignored)
  const find = job.mode !== 'create' && job.match ? resources.finder(job.resource, job.match) : undefined
  const known = await find?.(db, context.store, fields)
  if (known === undefined && job.mode === 'update')
    throw invalid({ [job.match as string]: ['finds nothing to update'] })
  try {
    return await write(db, { resource, context }, fields, known, ignored)
  } catch (error) {
    // Refused because somebody else has created it at this moment: then it is there to be updated.
    if (!find || known !== undefined || !(error instanceof ApiError)) throw error
    await sql`rollback to savepoint line`.execute(db)
    const again = await parse(line)
    resource.adapt?.(again, [])
    if ((await find(db, context.store, again)) === undefined) throw error
    return apply(db, job, batch, line)
  }
}

/** Creates the resource of a line, or updates the known one. */
const write = async (
  db: Tx,
  { resource, context }: { resource: BulkResource; context: LineContext },
  fields: LineFields,
  known: string | undefined,
  ignored: string[],
): Promise<Done> => {
  await resource.prepare?.(db, context.store, fields, known)
  // Read-only fields are accepted, because lines may be resources read from a store.
  delete fields.id
  const errors = new ValidationErrors()
  const check = known === undefined ? resource.creation : resource.changes
  check(fields, { errors, ignored })
  if (known === undefined && !errors.any) resource.checkNew?.(fields as never, ignored, errors)
  errors.throwIfAny()
  if (known === undefined)
    return { status: 'created', id: await resource.create(db, context, fields as never), ignored }
  await resource.update(db, context, known, fields as never)
  return { status: 'updated', id: known, ignored }
}

const RETRIED = new Set(['40001', '40P01'])

/** An error that is not the line's fault: the batch is retried. */
const isTransient = (error: unknown) =>
  isDatabaseUnavailable(error) || isDatabaseBusy(error) || isDiskFull(error) || RETRIED.has(errorCode(error))

const resultText = (number: number, result: Record<string, unknown>) => JSON.stringify({ line: number, ...result })

const failure = (number: number, code: string, message: string, errors: FieldErrors = {}) =>
  resultText(number, { status: 'failed', code, message, errors })

export interface LineResult {
  status: LineStatus
  text: string
}

/** The result of a line that cannot be tried, or failed because of an internal error. */
export const failedLine = (number: number, message = ERROR_MESSAGES.server_error): LineResult => ({
  status: 'failed',
  text: failure(number, 'server_error', message),
})

const failedBy = (line: InputLine, error: unknown, log: Logger): LineResult => {
  if (error instanceof ApiError)
    return { status: 'failed', text: failure(line.number, error.code, error.message, error.fields) }
  log.error({ err: error, line: line.number }, 'a line of a bulk job failed')
  return failedLine(line.number)
}

/**
 * Runs one line. If it is refused, its writes are rolled back, and the next line is run. `created` collects the ids of new
 * resources whose texts the batch has yet to store.
 */
export const runLine = async (
  db: Tx,
  job: Job,
  context: BatchContext,
  line: InputLine,
  created: Set<string>,
  log: Logger,
): Promise<LineResult> => {
  // Never released, which would take another round trip: a rollback returns to the newest savepoint of this name.
  await sql`savepoint line`.execute(db)
  try {
    const { status, id, ignored } = await apply(db, job, context, line)
    if (status === 'created') created.add(id)
    const text = resultText(line.number, {
      status,
      // The id that a dry run assigned does not exist.
      ...(!(job.dry_run && status === 'created') && { id }),
      ...(ignored.length > 0 && { ignored: ignored.slice(0, MAX_IGNORED) }),
    })
    return { status, text }
  } catch (error) {
    if (isTransient(error)) throw error
    await sql`rollback to savepoint line`.execute(db)
    return failedBy(line, error, log)
  }
}
