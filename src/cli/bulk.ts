import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { access } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { createReader } from '../core/reading/reader.ts'
import { type Db, type Tx, transact } from '../core/storage/database.ts'
import { watchDiskSpace } from '../core/storage/disk-space.ts'
import { newId } from '../core/storage/new-id.ts'
import { identifier, sqlText } from '../core/storage/sql.ts'
import { runSql } from '../core/storage/statement.ts'
import type { StoreId } from '../core/storage/store-id.ts'
import type { Tables } from '../core/storage/tables.ts'
import { OperatorError } from '../errors.ts'
import { deriveKey, masterSecret } from '../resources/auth/secrets.ts'
import type { BulkResources } from '../resources/bulk/bulk-resources.ts'
import {
  asNumberedLines,
  CSV_RESOURCES,
  type CsvResource,
  readCsv,
  UnknownColumns,
} from '../resources/bulk/csv/read.ts'
import { cancelJob, leaseJob, type NewJob, queueJob, readResults, releaseJob } from '../resources/bulk/queries.ts'
import { removeInput, runJob } from '../resources/bulk/run-job.ts'
import { contextOf } from '../resources/bulk/runner.ts'
import { MODES, type Mode } from '../resources/bulk/schema.ts'
import { startJob } from '../resources/bulk/start-job.ts'
import { createFileUrls } from '../resources/files/file-urls.ts'
import { requireStore } from '../resources/stores/queries.ts'
import { type Command, type Input, UsageError } from './arguments.ts'
import { withBlobs, withDatabase } from './command-context.ts'
import type { CommandIo } from './command-io.ts'
import { createProgress } from './progress-bar.ts'
import { recordCommand } from './recorded.ts'

const store = { value: 'STORE_ID', required: true, about: 'Id of the store, from store list.' }

const oneOf = <T extends string>(input: Input, option: string, choices: readonly T[], usual: T): T => {
  const value = input.optional(option) ?? usual
  if ((choices as readonly string[]).includes(value)) return value as T
  throw new UsageError(`--${option} must be one of ${choices.join(', ')}.`)
}

const readMatch = (input: Input, resources: BulkResources, resource: string, mode: Mode): string | null => {
  const match = input.optional('match')
  if (mode === 'create') {
    if (match) throw new UsageError('--match is for --mode upsert and --mode update.')
    return null
  }
  const known = resources.matches(resource)
  if (match && known.includes(match)) return match
  throw new UsageError(`--mode ${mode} needs --match: ${known.join(', ')}.`)
}

const FILE_FIELDS = ['image', 'images', 'ugc_videos', 'file']

/** Ids of files are not valid in another store. */
const withoutFiles = (line: Record<string, unknown>) => {
  const dropped = { ...line }
  for (const field of FILE_FIELDS) delete dropped[field]
  for (const part of ['variants', 'default'] as const)
    if (dropped[part])
      dropped[part] = JSON.parse(
        JSON.stringify(dropped[part], (key, value) => (FILE_FIELDS.includes(key) ? undefined : value)),
      )
  return dropped
}

async function* stripFiles(chunks: Readable): AsyncGenerator<string> {
  const { createInterface } = await import('node:readline')
  for await (const line of createInterface({ input: chunks, crlfDelay: Number.POSITIVE_INFINITY })) {
    try {
      yield `${JSON.stringify(withoutFiles(JSON.parse(line)))}\n`
    } catch {
      // Not JSON: the job reports the line.
      yield `${line}\n`
    }
  }
}

/** Results name the rows of the file. */
async function* csvLines(chunks: AsyncIterable<string>, resource: CsvResource): AsyncGenerator<string> {
  try {
    yield* asNumberedLines(readCsv(chunks, { resource }))
  } catch (error) {
    if (!(error instanceof UnknownColumns)) throw error
    throw new OperatorError(
      'The columns are neither those of Shopify (Handle, Title, …) nor of WooCommerce (Type, SKU, Name, Regular price, …), ' +
        'nor our own (sku, title, price, …; email, name, …).',
    )
  }
}

const bytesOf = (text: AsyncIterable<string>) =>
  Readable.from(
    (async function* () {
      for await (const piece of text) yield Buffer.from(piece)
    })(),
    { objectMode: false },
  )

/** The lines of a file: NDJSON unchanged, CSV converted. */
const openLines = async (input: Input, resource: string): Promise<Readable> => {
  const file = input.text('FILE')
  if (file !== '-')
    await access(file).catch(() => {
      throw new OperatorError(`${file} cannot be read.`)
    })
  const source = () => (file === '-' ? process.stdin : createReadStream(file))
  if (/\.csv$/i.test(file)) {
    const found = CSV_RESOURCES.find((name) => name === resource)
    if (!found) throw new OperatorError('Only products and customers can be imported from CSV. Use NDJSON.')
    return bytesOf(csvLines(source().setEncoding('utf8') as AsyncIterable<string>, found))
  }
  return input.has('without-files') ? bytesOf(stripFiles(source())) : source()
}

interface Outcome {
  id: string
  status: string
  lines: number
  created: number
  updated: number
  failed: number
}

const readOutcome = async (db: Db, { store_id, id }: NewJob) => {
  const text = sqlText`select id, status, lines, created, updated, failed from bulk_job where store_id = $1 and id = $2`
  return (await runSql<Outcome>(db, text, [store_id, id]))[0] as Outcome
}

const doneOf = ({ created, updated, failed }: Outcome) => created + updated + failed

const watchJob = async (db: Db, job: NewJob, add: (count: number) => void, signal: AbortSignal) => {
  let seen = 0
  for (;;) {
    const outcome = await readOutcome(db, job)
    add(doneOf(outcome) - seen)
    seen = doneOf(outcome)
    if (!['waiting', 'running'].includes(outcome.status)) return
    await sleep(300, undefined, { signal })
  }
}

const MAX_SHOWN = 20

interface Failed {
  line: number
  status: string
  message: string
  errors: Record<string, string[]>
}

/** Shows the first lines that were refused, and writes all results to a file if requested. */
const reportResults = async (io: CommandIo, db: Db, job: NewJob, file: string | undefined) => {
  const out = file === undefined ? undefined : createWriteStream(file)
  let shown = 0
  for await (const text of readResults(db, job.store_id, job.id, async () => {})) {
    out?.write(text)
    for (const line of text.split('\n')) {
      if (shown >= MAX_SHOWN || !line.includes('"status":"failed"')) continue
      const { line: number, message, errors } = JSON.parse(line) as Failed
      const reasons = Object.entries(errors).map(([field, messages]) => `${field} ${messages.join(', ')}`)
      io.say(`Line ${number}: ${reasons.join('; ') || message}`)
      shown++
    }
  }
  if (out) await finished(out.end())
}

/** The job that the options describe. */
const readJob = async (input: Input, db: Db, resources: BulkResources): Promise<NewJob> => {
  const resource = oneOf(input, 'resource', resources.names, 'product')
  const mode = oneOf(input, 'mode', MODES, 'create')
  return {
    store_id: await requireStore(db, input.text('store')),
    id: newId(),
    resource,
    mode,
    match: readMatch(input, resources, resource, mode),
    dry_run: input.has('dry-run'),
    app_id: null,
    app_name: 'storefront import',
    installation_id: null,
    account_id: null,
  }
}

/** Runs the job to its end, or watches it if a running server has already taken it. */
const finishJob = async (
  services: Parameters<typeof runJob>[0],
  job: NewJob,
  resources: BulkResources,
  onProgress: (lines: number) => void,
  signal: AbortSignal,
) => {
  const { db } = services
  const owner = randomUUID()
  const leased = await leaseJob(db, job.store_id, job.id, owner)
  if (!leased) return watchJob(db, job, onProgress, signal)
  const context = contextOf(leased, resources)
  const options = { owner, context, maxMs: Number.POSITIVE_INFINITY, signal, onProgress }
  const hasEnded = await runJob(services, leased, options)
  await releaseJob(db, leased, owner)
  if (!hasEnded && !signal.aborted)
    throw new OperatorError('There is no disk space left. Once there is some, a running server continues the import.')
}

const importCommand: Command = {
  name: 'import',
  summary: 'Imports many products, customers, orders, reviews, categories, bundles or landing pages into a store.',
  details: `FILE is NDJSON, one JSON object per line, as POST /bulk takes it; - reads standard input. A .csv file has products
or customers in the columns of an export of Shopify, WooCommerce or the console (see docs/operating.md). Lines that are refused are shown and do not
affect the others. If the command is killed, a running server continues the import.`,
  operands: [{ name: 'FILE', about: 'NDJSON, or CSV of products or customers.' }],
  options: {
    store,
    resource: {
      value: 'RESOURCE',
      about: 'product (default), customer, order or another resource that POST /bulk takes.',
    },
    mode: {
      value: 'MODE',
      about: 'create (default), upsert: update what --match finds, create the rest, or update: create nothing.',
    },
    match: {
      value: 'FIELD',
      about: 'For upsert and update: the field that finds the existing resource, such as id, sku or email.',
    },
    'dry-run': { about: 'Try every line and change nothing.' },
    'without-files': { about: 'Omit pictures, videos and files, which exist only in their own store.' },
    results: { value: 'RESULTS', about: 'Write the result of each line to this file, as NDJSON.' },
  },
  run: (input, io) =>
    withBlobs(io, 'import', async ({ db, blobs, config, signal }) => {
      const { bulkResources } = await import('../app.ts')
      const job = await readJob(input, db, bulkResources)
      const diskSpace = config.DATABASE_URL ? undefined : watchDiskSpace(config.DATA_DIR)
      const services = { db, blobs, diskSpace, log: pino({ level: 'silent' }) }
      const lines = await startJob(
        services,
        job,
        () => openLines(input, job.resource),
        async (staged, queued) => {
          await transact(db, async (db: Tx) => {
            await queueJob(db, job, staged)
            const { id, resource, mode, dry_run } = job
            if (!dry_run)
              await recordCommand(db, 'import', { job: id, resource, mode, lines: staged.lines }, job.store_id)
          })
          queued()
          return staged.lines
        },
      )
      const progress = createProgress(io, lines, 'lines')
      try {
        await finishJob(services, job, bulkResources, progress.add, signal)
      } finally {
        if (signal.aborted) {
          await transact(db, (db) => cancelJob(db, job.store_id, job.id))
          await removeInput(services, job)
        }
      }
      signal.throwIfAborted()
      progress.end()
      await reportResults(io, db, job, input.optional('results'))
      const outcome = await readOutcome(db, job)
      const { created, updated, failed } = outcome
      const tried = job.dry_run ? 'Nothing was changed. It would be: ' : ''
      return {
        value: outcome,
        shown: `${tried}${created} created, ${updated} updated, ${failed} failed.\n`,
        failed: failed > 0 || outcome.status !== 'done',
      }
    }),
}

const PAGE_ROWS = 200

/** Yields every resource of a kind as the API shows it, page by page, so that memory stays bounded. */
async function* exportTexts(
  db: Db,
  store: StoreId,
  { table, kind }: { table: keyof Tables; kind: string },
  read: ReturnType<typeof createReader>,
) {
  let after = '00000000-0000-0000-0000-000000000000'
  const text = sqlText`select id from ${identifier(table)} where store_id = $1 and id > $2 order by id limit ${PAGE_ROWS}`
  for (;;) {
    const rows = await runSql<{ id: string }>(db, text, [store, after])
    const last = rows.at(-1)
    if (!last) return
    const ids = rows.map(({ id }) => id)
    yield await read.many(db, kind, ids)
    after = last.id
  }
}

const exportCommand: Command = {
  name: 'export',
  summary:
    'Writes the products, customers, orders, reviews, categories, bundles or landing pages of a store as NDJSON.',
  details: `Each line is a resource as the API shows it, and can be imported again: into the same store with --mode upsert
--match id, into another one with --without-files. Orders are for reading: an order that is imported needs variants.`,
  options: {
    store,
    resource: {
      value: 'RESOURCE',
      about: 'product (default), customer, order or another resource that POST /bulk takes.',
    },
    to: { value: 'FILE', about: 'Write to this file. Default: standard output.' },
  },
  run: (input, io) =>
    withDatabase(io, 'export', async ({ db, config, signal }) => {
      const { bulkResources, kinds } = await import('../app.ts')
      const kind = oneOf(input, 'resource', bulkResources.names, 'product')
      const { table } = bulkResources.get(kind)
      const id = await requireStore(db, input.text('store'))
      const key = deriveKey(await masterSecret(db, config), 'file links')
      const urls = createFileUrls(`${config.baseUrl}/files`, key, config.FILE_URL_SECONDS)
      const read = createReader(kinds, id, { ...urls, showsSold: true })
      const file = input.optional('to')
      const out = file === undefined ? undefined : createWriteStream(file)
      const [{ rows: total } = { rows: 0 }] = await runSql<{ rows: number }>(
        db,
        sqlText`select count(*) as rows from ${identifier(table)} where store_id = $1`,
        [id],
      )
      const progress = createProgress(io, total, 'lines')
      let lines = 0
      for await (const texts of exportTexts(db, id, { table, kind }, read)) {
        signal.throwIfAborted()
        const piece = texts.map((text) => `${text}\n`).join('')
        if (!out) await io.print(piece)
        else if (!out.write(piece)) await once(out, 'drain')
        lines += texts.length
        progress.add(texts.length)
      }
      if (out) {
        await finished(out.end())
        progress.end()
      }
      return { value: { lines }, shown: out ? `${lines} lines written to ${file}.\n` : '' }
    }),
}

export const bulkCommands: readonly Command[] = [importCommand, exportCommand]
