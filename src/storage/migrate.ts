import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'
import { ADVISORY_LOCKS } from './advisory-locks.ts'
import { type Db, errorCode, type Tx } from './database.ts'
import { applyDistributedSettings, DEFAULT_SHARDS, distributeNewTables, distributeRest } from './distribute.ts'
import { hasDistributedTables } from './distributed.ts'
import { splitStatements } from './split-statements.ts'

export interface Migration {
  version: number
  name: string
  text: string
  checksum: string
}

const folder = new URL('./migrations/', import.meta.url)

const loadMigrations = async (): Promise<Migration[]> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (file) => {
      const text = await readFile(new URL(file, folder), 'utf8')
      const checksum = createHash('sha256').update(text).digest('hex')
      return { version: Number.parseInt(file, 10), name: file.replace(/\.sql$/, ''), text, checksum }
    }),
  )
}

let migrations: Promise<Migration[]> | undefined

/** Reads and hashes the files once: they belong to the release and do not change while it runs. */
export const readMigrations = () => {
  migrations ??= loadMigrations()
  return migrations
}

export interface AppliedMigration {
  version: number
  name: string
  checksum: string
}

const UNDEFINED_TABLE = '42P01'

export const appliedMigrations = async (db: Db): Promise<AppliedMigration[]> => {
  try {
    const { rows } = await sql<AppliedMigration>`
      select version, name, checksum from schema_migration order by version`.execute(db)
    return rows
  } catch (error) {
    if (errorCode(error) === UNDEFINED_TABLE) return []
    throw error
  }
}

/** Maps applied migrations to their numbers and names in this release. */
export const underCurrentNumbers = (known: Migration[], applied: AppliedMigration[]): AppliedMigration[] =>
  applied.map((row) => known.find(({ checksum }) => checksum === row.checksum) ?? row)

/**
 * Returns the migrations still to apply. Refuses a database that is newer than this release, or whose migrations were
 * edited. Migrations are identified by checksum: their numbers differ in a database from before the files were renumbered.
 */
const missing = (known: Migration[], done: AppliedMigration[]) => {
  for (const { version, name, checksum } of done) {
    if (known.some((migration) => migration.checksum === checksum)) continue
    if (!known.some((migration) => migration.version === version))
      throw new Error(`The database has migration ${name}, which this release does not know: start a newer release.`)
    throw new Error(`Migration ${name} was edited after it was applied here. Restore its text; add a new one instead.`)
  }
  return known.filter(({ checksum }) => !done.some((row) => row.checksum === checksum))
}

export const pendingMigrations = async (db: Db) => missing(await readMigrations(), await appliedMigrations(db))

const createLedger = sql`
  create table if not exists schema_migration (
    version    integer primary key,
    name       text not null,
    checksum   text not null,
    applied_at timestamptz(3) not null default now()
  )`

/**
 * Migrates the schema to the latest version, or to `target`. Each migration is one transaction under a lock, so that
 * any number of nodes may start at once.
 */
export const migrate = async (db: Db, target = Number.POSITIVE_INFINITY): Promise<string[]> => {
  const names: string[] = []
  const known = await readMigrations()
  for (const migration of missing(known, await appliedMigrations(db))) {
    if (migration.version <= target && (await applyOnce(db, migration, known))) names.push(migration.name)
  }
  return names
}

/** Renumbers migrations that were applied under another number. */
const renumber = async (db: Db, known: Migration[]) => {
  const column = (name: keyof Migration) => known.map((migration) => migration[name])
  // Negative at first: the new number may still be in use by another migration.
  await sql`update schema_migration m set version = -k.version, name = k.name
    from unnest(${column('version')}::int[], ${column('name')}::text[], ${column('checksum')}::text[]) k (version, name, checksum)
    where m.checksum = k.checksum and m.version <> k.version`.execute(db)
  await sql`update schema_migration set version = -version where version < 0`.execute(db)
}

const applyOnce = (db: Db, migration: Migration, known: Migration[]) =>
  db.transaction().execute(async (db) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(ADVISORY_LOCKS.migration)})`.execute(db)
    await createLedger.execute(db)
    await renumber(db, known)
    if ((await appliedMigrations(db)).some(({ checksum }) => checksum === migration.checksum)) return false
    await runMigration(db, migration.text)
    await sql`insert into schema_migration (version, name, checksum)
      values (${migration.version}, ${migration.name}, ${migration.checksum})`.execute(db)
    return true
  })

/** Several statements in one message need the simple query protocol, which has no parameters. */
// biome-ignore lint/suspicious/noExplicitAny: a script is not typed by the tables.
const runScript = (db: Kysely<any>, text: string) => sql.raw(text).execute(db)

export const runMigration = async (db: Tx, text: string) => {
  if (await hasDistributedTables((text) => runScript(db, text))) await runDistributed(db, text)
  else await runScript(db, text)
}

/**
 * Citus takes statements one by one. A new table is distributed before anything else is done with it; until then, its
 * references are known to the coordinator alone.
 */
const runDistributed = async (db: Tx, text: string) => {
  await applyDistributedSettings(db)
  for (const statement of splitStatements(text)) {
    const createsTable = /^create (unlogged )?table/i.test(statement)
    if (createsTable) await runScript(db, 'set local citus.enable_ddl_propagation = off')
    await runScript(db, statement)
    if (!createsTable) continue
    await runScript(db, 'set local citus.enable_ddl_propagation = on')
    await distributeNewTables(db, DEFAULT_SHARDS)
  }
  await distributeRest(db)
}
