import { createHash, randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fillEveryTable } from '../../../../tests/support/every-table.ts'
import { expectTextsToFitRows } from '../../../../tests/support/kept-texts.ts'
import { cloneDatabase, createEmptyDatabase } from '../../../../tests/support/test-database.ts'
import { kinds } from '../../../app.ts'
import { type Config, readConfig } from '../../../config/config.ts'
import { createStore } from '../../../resources/stores/create-store.ts'
import { listStores } from '../../../resources/stores/queries.ts'
import { buildMissingTexts } from '../../reading/build-texts.ts'
import { blobKey } from '../blobs/blobs.ts'
import { openBlobs } from '../blobs/open-blobs.ts'
import { migrateDatabase } from '../connect.ts'
import { type Database, openDatabase } from '../database.ts'
import { type Engine, openEngine } from '../embedded/engine.ts'
import { migrate, readMigrations } from '../migrate.ts'
import type { StoreId } from '../store-id.ts'
import { DERIVED_TABLES, inLoadingOrder, inTransaction, readTables, TRANSIENT_TABLES } from './archive-format.ts'
import { type BackupContext, createBackup } from './backup.ts'
import { restoreBackup } from './restore.ts'

interface Place extends BackupContext {
  config: Config
  connection: pg.ClientConfig
  database: Database
  lines: string[]
}

let root: string
let source: Place
let file: string
const closing: (() => Promise<unknown>)[] = []

const openPlace = async (connection: pg.ClientConfig, folder: string): Promise<Place> => {
  const config = readConfig({ DATA_DIR: folder })
  const database = openDatabase(connection, { pool: 3, prepare: false, name: 'test', untimed: true })
  closing.push(database.close)
  const lines: string[] = []
  return { config, connection, database, blobs: await openBlobs(config), lines, say: (line) => lines.push(line) }
}

const newFolder = () => mkdtemp(path.join(root, 'data-'))

let engine: Engine

/** The embedded database. */
const embedded = async (): Promise<Place> => {
  const folder = await newFolder()
  engine = await openEngine(folder, { kind: 'command', name: 'test' })
  closing.push(engine.close)
  return openPlace(engine.connection, folder)
}

/** Another, empty one of the same engine. */
const otherEmbedded = async (): Promise<Place> => {
  const admin = new pg.Client(engine.admin)
  await admin.connect()
  await admin.query(`create database other owner ${engine.connection.user}`)
  await admin.end()
  return openPlace({ ...engine.connection, database: 'other' }, await newFolder())
}

/** An external database: empty, or already migrated, which makes the restore quicker. */
const external = async ({ migrated = false } = {}): Promise<Place> =>
  openPlace(migrated ? await cloneDatabase() : await createEmptyDatabase(), await newFolder())

/** A hash of each table's rows, in any order. */
const contents = async ({ database: { db } }: Place): Promise<Record<string, string>> => {
  const { rows: tables } = await sql<{ name: string }>`
    select c.relname::text as name from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
      and c.relname <> all(${[...TRANSIENT_TABLES, 'schema_migration', ...DERIVED_TABLES]}::text[])
    order by 1`.execute(db)
  const digests: Record<string, string> = {}
  for (const { name } of tables) {
    const own = name === 'setting' ? sql`where name not in ('token_secret', 'kept_texts')` : sql``
    // A restored feed has a new id, so that older cursors are refused, and webhooks are paused.
    const kept = { feed: sql`(t.store_id, t.last, t.swept)::text`, webhook: sql`(t.store_id, t.id, t.position)::text` }
    const row = kept[name as keyof typeof kept] ?? sql`t::text`
    const { rows } = await sql<{ digest: string }>`
      select count(*) || ' ' || coalesce(md5(string_agg(md5(${row}), '' order by md5(${row}))), '') as digest
      from ${sql.table(name)} t ${own}`.execute(db)
    digests[name] = rows[0]?.digest ?? ''
  }
  return digests
}

/** Every stored file, by its path below DATA_DIR/blobs. */
const storedBytes = async ({ config }: Place): Promise<Record<string, string>> => {
  const folder = path.join(config.DATA_DIR, 'blobs')
  const found: Record<string, string> = {}
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const name = path.join(entry.parentPath, entry.name)
    found[path.relative(folder, name)] = createHash('sha256')
      .update(await readFile(name))
      .digest('hex')
  }
  return found
}

const isEmpty = async (place: Place) => {
  const { rows } = await sql<{ stores: number }>`select count(*) as stores from store`
    .execute(place.database.db)
    .catch(() => ({ rows: [{ stores: 0 }] }))
  return rows[0]?.stores === 0 && Object.keys(await storedBytes(place)).length === 0
}

/** A row in every table, and a file with a thumbnail. */
const addShop = async ({ connection, blobs, database: { db } }: Place) => {
  const { store } = await fillEveryTable(connection)
  const store_id = store?.id as StoreId
  const bytes = randomBytes(300_000)
  const sha256 = createHash('sha256').update(bytes).digest()
  await db
    .insertInto('blob')
    .values({ store_id, sha256, size: bytes.length, mime_type: 'image/png', has_thumbnail: true })
    .execute()
  const key = blobKey(store_id, sha256.toString('hex'))
  for (const [name, content] of Object.entries({ [key]: bytes, [`${key}.webp`]: Buffer.from('small') })) {
    const draft = path.join(blobs.incoming, 'draft')
    await writeFile(draft, content)
    await blobs.place(name, draft)
  }
}

const filesBeside = async (name: string) =>
  (await readdir(root)).filter((entry) => entry.startsWith(path.basename(name)))

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'storefront-backup-'))
  await chmod(root, 0o755)
  source = await embedded()
  await migrateDatabase(source.connection)
  for (let store = 0; store < 3; store++) await addShop(source)
  await sql`insert into setting (name, value) values ('token_secret', 'never-to-leave'), ('note', 'comes along')
    on conflict (name) do update set value = excluded.value`.execute(source.database.db)
  file = path.join(root, 'demo.backup')
  await createBackup(source, file)
})

afterAll(async () => {
  for (const close of closing.reverse()) await close()
  await rm(root, { recursive: true, force: true })
})

test('a shop moves from the embedded database to an external one and back, with every row and every byte', async () => {
  const rows = await contents(source)
  const bytes = await storedBytes(source)
  expect(Object.keys(bytes)).toHaveLength(6)
  expect(Object.entries(rows).filter(([, digest]) => digest.startsWith('0 '))).toEqual([])

  const out = await external()
  const report = await restoreBackup(out, file)
  expect(report).toMatchObject({ blobs: 3, migrated: [] })
  expect(await contents(out)).toEqual(rows)
  expect(await storedBytes(out)).toEqual(bytes)
  const feeds = ({ database }: Place) => sql<{ id: string }>`select id from feed`.execute(database.db)
  const before = (await feeds(source)).rows.map(({ id }) => id)
  expect((await feeds(out)).rows.filter(({ id }) => before.includes(id))).toEqual([])
  const paused = await sql<{ reason: string }>`select distinct reason from webhook`.execute(out.database.db)
  expect(paused.rows).toEqual([{ reason: 'restored' }])

  const second = path.join(root, 'external.backup')
  await createBackup(out, second)
  const home = await otherEmbedded()
  await restoreBackup(home, second)
  expect(await contents(home)).toEqual(rows)
  expect(await storedBytes(home)).toEqual(bytes)
  await buildMissingTexts(home.database.db, kinds, () => {})
  await expectTextsToFitRows(home.database.db)

  // Triggers were disabled while loading, and are enabled again.
  const { rows: resting } = await sql`select tgname from pg_trigger where tgenabled = 'D'`.execute(home.database.db)
  expect(resting).toEqual([])
})

test('a backup can be restored into a migrated, unused database, which keeps its own token secret', async () => {
  const target = await external({ migrated: true })
  await sql`insert into setting (name, value) values ('token_secret', 'of this place')`.execute(target.database.db)
  await restoreBackup(target, file)
  expect(await contents(target)).toEqual(await contents(source))
  const kept = await target.database.db
    .selectFrom('setting')
    .select('value')
    .where('name', '=', 'token_secret')
    .execute()
  expect(kept).toEqual([{ value: 'of this place' }])
})

test('a backup is readable by its owner only, lists its content, and contains no token secret', async () => {
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await filesBeside(file)).toEqual(['demo.backup'])
  const text = gunzipSync(await readFile(file))
  expect(text.subarray(0, 13).toString()).toBe('manifest.json')
  expect(text.includes('never-to-leave')).toBe(false)
  expect(source.lines.some((line) => /^orders: \d+ rows$/.test(line))).toBe(true)
})

test('a backup overwrites a file only with --force', async () => {
  const target = path.join(root, 'precious')
  await writeFile(target, 'precious')
  await expect(createBackup(source, target)).rejects.toThrow('--force')
  expect(await readFile(target, 'utf8')).toBe('precious')
  await createBackup(source, target, { force: true })
  expect((await stat(target)).size).toBeGreaterThan(10_000)
})

test('a restore into a database with a store is refused and changes nothing', async () => {
  const target = await external({ migrated: true })
  await createStore(target.database.db, { name: 'Theirs' })
  const before = await contents(target)
  await expect(restoreBackup(target, file)).rejects.toThrow(/already has stores or apps.*DATA_DIR/)
  expect(await contents(target)).toEqual(before)
  expect(await storedBytes(target)).toEqual({})
})

test('restoring a truncated or damaged backup leaves nothing behind, wherever the damage is', async () => {
  const whole = await readFile(file)
  const target = await external({ migrated: true })
  const flipped = Buffer.from(whole)
  flipped[whole.length - 6] = (flipped[whole.length - 6] as number) ^ 0xff
  const broken = [0, 0.02, 0.5, 0.97].map((part) => whole.subarray(0, Math.floor(whole.length * part)))
  const damagedFile = path.join(root, 'damaged')
  for (const bytes of [...broken, whole.subarray(0, -1), flipped]) {
    await writeFile(damagedFile, bytes)
    await expect(restoreBackup(target, damagedFile)).rejects.toThrow(/damaged or truncated/)
    expect(await isEmpty(target)).toBe(true)
  }
  await restoreBackup(target, file)
  expect(await contents(target)).toEqual(await contents(source))
})

test('a thumbnail that was changed in the backup is not restored', async () => {
  const target = await external({ migrated: true })
  const tar = gunzipSync(await readFile(file))
  const at = tar.indexOf('small\0\0\0')
  expect(at).toBeGreaterThan(0)
  tar.write('SMALL', at)
  const changed = path.join(root, 'changed')
  await writeFile(changed, gzipSync(tar))
  await expect(restoreBackup(target, changed)).rejects.toThrow(/damaged.*\.webp does not match its checksum/)
  expect(await isEmpty(target)).toBe(true)
})

test('a failed restore does not delete blobs that existed before', async () => {
  const target = await external({ migrated: true })
  const [key = ''] = Object.keys(await storedBytes(source))
  const draft = path.join(target.blobs.incoming, 'draft')
  await writeFile(draft, await readFile(path.join(source.config.DATA_DIR, 'blobs', key)))
  await target.blobs.place(key, draft)
  const cut = path.join(root, 'cut')
  await writeFile(cut, (await readFile(file)).subarray(0, -1))
  await expect(restoreBackup(target, cut)).rejects.toThrow(/damaged/)
  expect(Object.keys(await storedBytes(target))).toEqual([key])
})

test('a file that is not a backup, or a backup of a later release, is refused with a clear error', async () => {
  const target = await external({ migrated: true })
  const other = path.join(root, 'other')
  await writeFile(other, 'hello')
  await expect(restoreBackup(target, other)).rejects.toThrow('not a backup')
  await expect(restoreBackup(target, path.join(root, 'nowhere'))).rejects.toThrow(/nowhere cannot be read/)

  const later = await external({ migrated: true })
  await createBackup(later, path.join(root, 'empty.backup'))
  await sql`insert into schema_migration (version, name, checksum) values (9999, '9999_later', 'x')`.execute(
    later.database.db,
  )
  await expect(createBackup(later, path.join(root, 'later'))).rejects.toThrow('9999_later')
  await expect(restoreBackup(later, file)).rejects.toThrow('9999_later')
})

test('a backup of an older schema is migrated, and is refused by a database with a newer schema', async () => {
  const old = await external({ migrated: true })
  await old.database.db
    .insertInto('store')
    .values({ name: 'Old shop', domain: 'old.example', currency: 'USD' })
    .execute()
  const backup = path.join(root, 'old.backup')
  await createBackup(old, backup)

  const known = await readMigrations()
  const text = 'alter table setting add column later integer'
  known.push({ version: 9999, name: '9999_later', text, checksum: 'later', isInSchema: false })
  try {
    const newer = await external()
    await migrate(newer.database.db)
    await expect(restoreBackup(newer, backup)).rejects.toThrow('newer than that of the backup')

    const target = await external()
    expect(await restoreBackup(target, backup)).toMatchObject({ migrated: ['9999_later'] })
    expect(await listStores(target.database.db)).toMatchObject([{ name: 'Old shop' }])
  } finally {
    known.pop()
  }
})

test('a backup that is interrupted or cannot be written leaves no file', async () => {
  const target = path.join(root, 'interrupted')
  const controller = new AbortController()
  const say = (line: string) => line.startsWith('customer') && controller.abort(new Error('Interrupted.'))
  await expect(createBackup({ ...source, say, signal: controller.signal }, target)).rejects.toThrow('Interrupted.')
  expect(await filesBeside(target)).toEqual([])
  await expect(createBackup(source, path.join(root, 'no', 'such', 'folder'))).rejects.toThrow('cannot be written')
})

test('missing blobs are counted, and the rest is backed up', async () => {
  const place = await external({ migrated: true })
  await restoreBackup(place, file)
  const lost = Object.keys(await storedBytes(place)).find((key) => !key.endsWith('.webp')) as string
  await place.blobs.remove([lost])
  const partial = path.join(root, 'lost.backup')
  expect(await createBackup(place, partial)).toMatchObject({ blobs_missing: 4 })
  const target = await external({ migrated: true })
  expect(await restoreBackup(target, partial)).toMatchObject({ blobs_missing: 4 })
  expect(await contents(target)).toEqual(await contents(source))
})

test('tables of a store are loaded after it, although some refer to it only in a distributed database', async () => {
  const names = (await inTransaction(source.database.pool, 'begin', readTables)).map(({ name }) => name)
  const ofStores = ['first_order', 'orders', 'phone_count', 'tally'].filter((name) => names.includes(name))
  expect(ofStores).toContain('first_order')
  for (const name of ofStores) expect(names.indexOf(name), name).toBeGreaterThan(names.indexOf('store'))
})

test('tables are loaded after those they refer to, and a self-reference is no obstacle', () => {
  const tables = ['line', 'orders', 'store', 'tree'].map((name) => ({ name, columns: [] }))
  const references = [
    { child: 'line', parent: 'orders' },
    { child: 'orders', parent: 'store' },
    { child: 'tree', parent: 'tree' },
  ]
  const names = inLoadingOrder(tables, references).map(({ name }) => name)
  expect(names).toEqual(['store', 'tree', 'orders', 'line'])
})
