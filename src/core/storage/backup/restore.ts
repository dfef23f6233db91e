import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { OperatorError } from '../../../errors.ts'
import { UUID_PATTERN } from '../../input/uuid.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { Db } from '../database.ts'
import {
  appliedMigrations,
  migrate,
  migrationFault,
  pendingMigrations,
  readMigrations,
  withBaseline,
} from '../migrate.ts'
import type { StoreId } from '../store-id.ts'
import {
  BLOBS_FOLDER,
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
  TRANSIENT_TABLES,
  totalRows,
} from './archive-format.ts'
import { type ArchivedBytes, type ArchiveReader, damagedBackup, notABackup, readArchive } from './archive-reader.ts'
import type { BackupContext } from './backup.ts'

interface RestoreReport {
  /** When the backup was made. */
  created_at: string
  rows: number
  blobs: number
  blobs_missing: number
  /** Migrations that were applied after loading the backup. */
  migrated: string[]
}

/** Loads a backup into an empty database, completely or not at all. */
export const restoreBackup = async (place: BackupContext, file: string): Promise<RestoreReport> => {
  const { db } = place.database
  return readArchive(file, place.signal, async (archive) => {
    const manifest = await readManifest(archive)
    const last = await lastMigration(manifest)
    await refuseUsedDatabase(db, last)
    await migrate(db, last)
    const end = await load(place, archive, manifest)
    const migrated = await migrate(db)
    await sql`analyze`.execute(db)
    const { blobs, blobs_missing } = end
    return { created_at: manifest.created_at, rows: totalRows(end), blobs, blobs_missing, migrated }
  })
}

const readManifest = async (archive: ArchiveReader): Promise<Manifest> => {
  const manifest = (await archive.json(MANIFEST_ENTRY)) as Manifest | undefined
  if (manifest?.format !== FORMAT) throw notABackup()
  if (manifest.format_version !== FORMAT_VERSION)
    throw new OperatorError(
      `The backup has format ${manifest.format_version}; this release reads ${FORMAT_VERSION}. Use a newer release.`,
    )
  return manifest
}

/** This release must know the schema version of the backup. */
const lastMigration = async (manifest: Manifest): Promise<number> => {
  const known = await readMigrations()
  const migrations = withBaseline(manifest.migrations)
  const fault = migrationFault(known, migrations)
  if (fault) throw new OperatorError(`This release cannot restore the backup. ${fault}`)
  const ordered = known.filter(({ isInSchema }) => !isInSchema)
  const has = (version: number) => migrations.some((done) => done.version === version)
  const last = Math.max(...ordered.map(({ version }) => version).filter(has))
  const skipped = ordered.find(({ version }) => version < last && !has(version))
  if (skipped) throw new OperatorError(`The backup was made without migration ${skipped.name}.`)
  return last
}

const HINT = 'Restore into an empty one: another DATA_DIR, or a DATABASE_URL that names a new database.'
const inUse = () => new OperatorError(`The database already has stores or apps; nothing was changed. ${HINT}`)

/** The built-in app comes with the schema. */
const USED = 'exists (select from store) or exists (select from app where not built_in)'

const refuseUsedDatabase = async (db: Db, last: number) => {
  await pendingMigrations(db)
  const applied = await appliedMigrations(db)
  if (applied.length === 0) return
  const later = (await readMigrations()).filter(({ version, isInSchema }) => version > last && !isInSchema)
  const { rows } = await sql<{ used: boolean }>`select ${sql.raw(USED)} as used`.execute(db)
  if (rows[0]?.used) throw inUse()
  if (applied.some(({ version }) => later.some((migration) => migration.version === version)))
    throw new OperatorError(`The schema of the database is newer than that of the backup; nothing was changed. ${HINT}`)
}

const load = async ({ database, blobs, say }: BackupContext, archive: ArchiveReader, { tables }: Manifest) => {
  const placed: string[] = []
  try {
    return await inTransaction(database.pool, 'begin', async (client) => {
      await clearTables(client, tables)
      const rows = await loadRows(client, archive, tables, say)
      const end = await checkEnd(archive, rows, await loadBlobs(archive, blobs, placed, say))
      await startNewFeeds(client, tables)
      await reenableTriggers(client, tables)
      return end
    })
  } catch (error) {
    await blobs.remove(placed)
    throw error
  }
}

/** The schema of an older backup may lack some of these tables. */
const existingTables = async (client: pg.ClientBase, names: readonly string[]) => {
  const { rows } = await client.query<{ name: string }>(
    'select name from unnest($1::text[]) name where to_regclass(quote_ident(name)) is not null',
    [names],
  )
  return rows.map(({ name }) => name)
}

/**
 * Locks all tables and deletes the rows that migrations inserted. Triggers are disabled, because the backup contains
 * the counters and stock they maintain.
 */
const clearTables = async (client: pg.ClientBase, tables: readonly TableShape[]) => {
  const present = await readTables(client)
  for (const { name, columns } of tables) {
    const found = present.find((table) => table.name === name)
    if (!found || columns.some((column) => !found.columns.includes(column)))
      throw new OperatorError(`The backup has a table ${name} that is not in this service's schema.`)
  }
  const transient = await existingTables(client, TRANSIENT_TABLES)
  const all = [...tables.map(({ name }) => name), ...transient].map(quoteIdentifier).join(', ')
  await client.query(`lock table ${all} in access exclusive mode`)
  const { rows } = await client.query(`select ${USED} as used`)
  if (rows[0].used) throw inUse()
  const cleared = tables.filter(({ name }) => !LOCAL_ROWS[name]).map(({ name }) => name)
  // Derived rows are deleted with their source.
  await client.query(`truncate ${[...cleared, ...transient].map(quoteIdentifier).join(', ')} cascade`)
  for (const [name, localRows] of Object.entries(LOCAL_ROWS))
    await client.query(`delete from ${quoteIdentifier(name)} where not (${localRows})`)
  for (const { name } of tables) await client.query(`alter table ${quoteIdentifier(name)} disable trigger user`)
}

/**
 * Events since the backup are lost, so that cursors of that time must be refused: each feed gets a new id. Its floor is of
 * another sequence.
 */
const startNewFeeds = async (client: pg.ClientBase, tables: readonly TableShape[]) => {
  if (!tables.some(({ name }) => name === 'feed')) return
  // Store by store, with ids made here: a distributed database takes no function that differs for each row.
  const { rows: feeds } = await client.query<{ store_id: StoreId }>('select store_id from feed')
  for (const { store_id } of feeds)
    await client.query(`update feed set id = $2, floor_n = 0, next_n = 0, next_xid = '0' where store_id = $1`, [
      store_id,
      randomBytes(6).toString('hex'),
    ])
  if (!tables.some(({ name }) => name === 'webhook')) return
  // Receivers may know events that are lost, and a copy of the store must not call them at all.
  await client.query(
    `update webhook set state = 'paused', reason = 'restored', paused_at = now(), lease = null, leased_until = null
    where state = 'on'`,
  )
}

const reenableTriggers = async (client: pg.ClientBase, tables: readonly TableShape[]) => {
  await client.query('set constraints all immediate')
  for (const { name } of tables) await client.query(`alter table ${quoteIdentifier(name)} enable trigger user`)
  // A running server has cached that there are no apps.
  await client.query(`notify access_changed`)
}

const loadRows = async (
  client: pg.ClientBase,
  archive: ArchiveReader,
  tables: readonly TableShape[],
  say: (line: string) => void,
) => {
  const rows: Record<string, number> = {}
  for (const table of tables) {
    const copy = client.query(copyFrom(`copy ${quoteIdentifier(table.name)} (${columnList(table)}) from stdin`))
    await pipeline(archive.contents(rowsFolder(table.name)), copy)
    rows[table.name] = copy.rowCount
    if (copy.rowCount > 0) say(`${table.name}: ${copy.rowCount} rows`)
  }
  return rows
}

const BLOB_KEY = new RegExp(String.raw`^${UUID_PATTERN}/[0-9a-f]{2}/([0-9a-f]{64})(\.webp)?$`)

const loadBlobs = async (
  archive: ArchiveReader,
  blobs: Blobs,
  placed: string[],
  say: (line: string) => void,
): Promise<number> => {
  let count = 0
  for await (const entry of archive.entries(BLOBS_FOLDER)) {
    const key = entry.name.slice(BLOBS_FOLDER.length)
    const [, sha256, thumbnail] = BLOB_KEY.exec(key) ?? []
    if (!sha256) throw damagedBackup(`${entry.name} is not a valid blob name`)
    await loadBlob(blobs, key, entry, thumbnail ? entry.sha256 : sha256, placed)
    if (!thumbnail && ++count % 1000 === 0) say(`files: ${count}`)
  }
  say(`files: ${count}`)
  return count
}

/** Existing blobs are kept, and not deleted if the restore fails: they may belong to another database. */
const loadBlob = async (
  blobs: Blobs,
  key: string,
  { bytes }: ArchivedBytes,
  sha256: string | undefined,
  placed: string[],
) => {
  const draft = path.join(blobs.incoming, `restore-${randomUUID()}`)
  const hash = createHash('sha256')
  const hashing = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk)
      yield chunk
    }
  }
  try {
    await pipeline(bytes, hashing, createWriteStream(draft, { mode: 0o600 }))
    if (sha256 && hash.digest('hex') !== sha256)
      throw damagedBackup(`the content of ${key} does not match its checksum`)
    if (await blobs.has(key)) return
    placed.push(key)
    await blobs.place(key, draft)
  } finally {
    await rm(draft, { force: true })
  }
}

const checkEnd = async (archive: ArchiveReader, rows: Record<string, number>, blobs: number): Promise<EndMarker> => {
  const end = (await archive.json(END_ENTRY)) as EndMarker | undefined
  if (!end) throw damagedBackup('its end is missing')
  for (const [table, count] of Object.entries(end.rows)) {
    if (rows[table] !== count) throw damagedBackup(`${rows[table] ?? 0} of ${count} rows of ${table}`)
  }
  if (end.blobs !== blobs) throw damagedBackup(`${blobs} of ${end.blobs} files`)
  await archive.finish()
  return end
}
