import { hash } from 'node:crypto'
import { once } from 'node:events'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { type Pack, pack as packTar } from 'tar-stream'
import { OperatorError } from '../../../errors.ts'
import { BlobNotFound, type Blobs, blobKey, thumbnailKey } from '../blobs/blobs.ts'
import type { Database } from '../database.ts'
import { appliedMigrations, pendingMigrations } from '../migrate.ts'
import type { StoreId } from '../store-id.ts'
import {
  BLOBS_FOLDER,
  CHECKSUM,
  columnList,
  END_ENTRY,
  type EndMarker,
  FORMAT,
  FORMAT_VERSION,
  inTransaction,
  LOCAL_ROWS,
  MANIFEST_ENTRY,
  type Manifest,
  quoteIdentifier,
  readTables,
  rowsFolder,
  type TableShape,
  totalRows,
} from './archive-format.ts'

export interface BackupContext {
  database: Database
  blobs: Blobs
  say: (line: string) => void
  signal?: AbortSignal
}

interface BackupReport {
  file: string
  bytes: number
  rows: number
  blobs: number
  blobs_missing: number
}

/** A tar entry starts with its size, so this much of a table is held in memory. */
const PIECE_BYTES = 8 * 1024 * 1024

const SNAPSHOT = 'begin isolation level repeatable read read only'

/** Writes a consistent snapshot to one file. The file appears only when it is complete. */
export const createBackup = async (
  context: BackupContext,
  file: string,
  { force = false } = {},
): Promise<BackupReport> => {
  const target = path.resolve(file)
  if (!force && (await exists(target)))
    throw new OperatorError(`${file} already exists. Choose another name, or overwrite it with --force.`)
  const migrations = await knownMigrations(context.database)
  const partial = `${target}.partial`
  await rm(partial, { force: true })
  const handle = await open(partial, 'wx', 0o600).catch((error) => {
    throw new OperatorError(`${partial} cannot be written: ${error.message}`)
  })
  try {
    const opened = await handle.stat()
    const end = await inTransaction(context.database.pool, SNAPSHOT, (client) =>
      writeArchive(context, client, handle, migrations),
    )
    const { size, ino } = await stat(partial)
    if (ino !== opened.ino) throw new OperatorError(`Another backup to ${file} is running.`)
    await rename(partial, target)
    await syncFolder(path.dirname(target))
    return { file: target, bytes: size, rows: totalRows(end), blobs: end.blobs, blobs_missing: end.blobs_missing }
  } catch (error) {
    await rm(partial, { force: true })
    throw context.signal?.aborted ? context.signal.reason : error
  } finally {
    await handle.close()
  }
}

const exists = (file: string) =>
  stat(file).then(
    () => true,
    () => false,
  )

/** Makes the rename survive a power failure. Not every system can sync a folder. */
const syncFolder = async (folder: string) => {
  const handle = await open(folder).catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

const knownMigrations = async ({ db }: Database) => {
  await pendingMigrations(db)
  const migrations = await appliedMigrations(db)
  if (migrations.length === 0) throw new OperatorError('There is nothing to back up: the database is empty.')
  return migrations
}

const writeArchive = async (
  context: BackupContext,
  client: pg.PoolClient,
  handle: FileHandle,
  migrations: Manifest['migrations'],
): Promise<EndMarker> => {
  const pack = packTar()
  // Syncs and closes the file at the end.
  const output = handle.createWriteStream({ flush: true })
  const written = pipeline(pack, createGzip({ level: 4 }), output, { signal: context.signal })
  const filled = fillArchive(context, client, pack, migrations).catch((error) => {
    pack.destroy(error)
    throw error
  })
  // The first failure is the cause; the other one only follows from it.
  const [end] = await Promise.all([filled, written])
  return end
}

const fillArchive = async (
  { blobs, say }: BackupContext,
  client: pg.PoolClient,
  pack: Pack,
  migrations: Manifest['migrations'],
): Promise<EndMarker> => {
  const tables = await readTables(client)
  const created_at = new Date().toISOString()
  await addJson(pack, MANIFEST_ENTRY, {
    format: FORMAT,
    format_version: FORMAT_VERSION,
    created_at,
    migrations,
    tables,
  })
  const end: EndMarker = { rows: {}, blobs: 0, blobs_missing: 0 }
  for (const table of tables) {
    const rows = await addRows(pack, client, table)
    end.rows[table.name] = rows
    if (rows > 0) say(`${table.name}: ${rows} rows`)
  }
  await addBlobs(pack, client, blobs, end)
  say(`files: ${end.blobs}`)
  await addJson(pack, END_ENTRY, end)
  pack.finalize()
  return end
}

const addEntry = async (
  pack: Pack,
  name: string,
  size: number,
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  sha256?: string,
) => {
  const header = { name, size, mode: 0o600, ...(sha256 && { pax: { [CHECKSUM]: sha256 } }) }
  const entry = pack.entry(header)
  const closed = new Promise<void>((resolve, reject) => entry.once('close', resolve).once('error', reject))
  closed.catch(() => {})
  for await (const chunk of chunks) {
    if (!entry.write(chunk)) await Promise.race([once(entry, 'drain'), closed])
  }
  entry.end(null)
  await closed
}

const addJson = (pack: Pack, name: string, value: Manifest | EndMarker) => {
  const text = Buffer.from(JSON.stringify(value, null, 2))
  return addEntry(pack, name, text.length, [text])
}

const addRows = async (pack: Pack, client: pg.PoolClient, table: TableShape): Promise<number> => {
  const localRows = LOCAL_ROWS[table.name] ?? 'false'
  const select = `select ${columnList(table)} from ${quoteIdentifier(table.name)} where not (${localRows})`
  const rows = client.query(copyTo(`copy (${select}) to stdout`))
  let number = 0
  for await (const chunks of pieces(rows)) {
    const name = `${rowsFolder(table.name)}${String(++number).padStart(6, '0')}`
    await addEntry(pack, name, sizeOf(chunks), chunks)
  }
  return rows.rowCount
}

const sizeOf = (chunks: readonly Buffer[]) => chunks.reduce((sum, { length }) => sum + length, 0)

async function* pieces(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer[]> {
  let piece: Buffer[] = []
  let size = 0
  for await (const chunk of source) {
    piece.push(chunk)
    size += chunk.length
    if (size < PIECE_BYTES) continue
    yield piece
    piece = []
    size = 0
  }
  if (size > 0) yield piece
}

interface BlobRow {
  store_id: StoreId
  sha256: Buffer
  size: number
  has_thumbnail: boolean
}

const BLOB_ROWS = `
  select store_id, sha256, size, has_thumbnail from blob
  where $1::uuid is null or (store_id, sha256) > ($1::uuid, $2::bytea)
  order by store_id, sha256 limit 1000`

async function* blobRows(client: pg.PoolClient): AsyncGenerator<BlobRow> {
  let last: BlobRow | undefined
  for (;;) {
    const { rows } = await client.query<BlobRow>(BLOB_ROWS, [last?.store_id ?? null, last?.sha256 ?? null])
    yield* rows
    last = rows.at(-1)
    if (!last) return
  }
}

/** Blobs that were deleted since the snapshot, or are missing, are counted and skipped. */
const addBlobs = async (pack: Pack, client: pg.PoolClient, blobs: Blobs, end: EndMarker) => {
  for await (const { store_id, sha256, size, has_thumbnail } of blobRows(client)) {
    const hash = sha256.toString('hex')
    const added = await addBytes(pack, blobs, blobKey(store_id, hash), size)
    if (added) end.blobs++
    else end.blobs_missing++
    // Size and checksum are unknown, but it is small.
    if (added && has_thumbnail) await addBytes(pack, blobs, thumbnailKey(store_id, hash))
  }
}

const addBytes = async (pack: Pack, blobs: Blobs, key: string, size?: number): Promise<boolean> => {
  const bytes = await blobs.open(key).catch((error) => {
    if (error instanceof BlobNotFound) return undefined
    throw error
  })
  if (!bytes) return false
  const chunks = size === undefined ? ((await bytes.toArray()) as Buffer[]) : bytes
  const length = size ?? sizeOf(chunks as Buffer[])
  const sha256 = size === undefined ? hash('sha256', Buffer.concat(chunks as Buffer[])) : undefined
  await addEntry(pack, BLOBS_FOLDER + key, length, chunks, sha256).catch((error) => {
    throw error.message === 'Size mismatch' ? new OperatorError(`The stored bytes of ${key} are damaged.`) : error
  })
  return true
}
