import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'
import { ADVISORY_LOCKS } from './advisory-locks.ts'
import { type Db, errorCode, type Tx } from './database.ts'
import { applyDistributedSettings, DEFAULT_SHARDS, distributeMigrated, distributeNewTables } from './distribute.ts'
import { hasDistributedTables } from './distributed.ts'
import { splitStatements } from './split-statements.ts'

export interface Migration {
  version: number
  name: string
  text: string
  checksum: string
  /** New databases have it from schema/, which was changed as well. */
  isInSchema: boolean
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const read = (file: string) => readFile(new URL(file, import.meta.url), 'utf8')

/** The files of schema/, in the order in which a new database loads them. */
const SCHEMA = [
  'basics',
  'countries',
  'stores',
  'counters',
  'events',
  'changed-since',
  'apps',
  'accounts',
  'second-factors',
  'assistants',
  'oauth',
  'plans',
  'calls',
  'catalogue',
  'sales',
  'orders',
  'parcels',
  'stock',
  'order-desk',
  'customer-deletion',
  'search',
  'files',
  'texts',
  'analytics',
  'webhooks',
  'bulk',
  'work',
]

/**
 * What schema/ replaced: the migrations up to 0440, known by a hash over the sorted checksums of those behind 0048, where an
 * earlier schema began. A database to which exactly these were applied has the same schema. This is the checksum of the
 * schema too, so that a word in a comment may change.
 */
const BASELINE = {
  version: 440,
  name: '0440_schema',
  checksum: 'e989cf06d65597beb1aef0acd9b4dedee57b240a55a5689938d83a4517a57503',
}
const EARLIER_BASELINE = 48

/** The first line of a migration that also changed schema/. A new database only records it. */
const IN_SCHEMA = '-- In schema/'

const loadSchema = async (): Promise<Migration> => {
  const parts = await Promise.all(SCHEMA.map((name) => read(`./schema/${name}.sql`)))
  return { ...BASELINE, text: parts.join('\n'), isInSchema: false }
}

const loadMigrations = async (): Promise<Migration[]> => {
  const names = (await readdir(new URL('./migrations/', import.meta.url)))
    .filter((name) => name.endsWith('.sql'))
    .sort()
  const load = async (file: string): Promise<Migration> => {
    const text = await read(`./migrations/${file}`)
    const [version, name] = [Number.parseInt(file, 10), file.replace(/\.sql$/, '')]
    return { version, name, text, checksum: sha256(text), isInSchema: text.startsWith(IN_SCHEMA) }
  }
  return Promise.all([loadSchema(), ...names.map(load)])
}

let migrations: Promise<Migration[]> | undefined

/**
 * The schema of a new database, then the migrations that followed. Read and hashed once: the files belong to the release
 * and do not change while it runs.
 */
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
    return withBaseline(rows)
  } catch (error) {
    if (errorCode(error) === UNDEFINED_TABLE) return []
    throw error
  }
}

/** Takes the migrations that schema/ replaced for the schema itself. Others are left as they are. */
export const withBaseline = (applied: AppliedMigration[]): AppliedMigration[] => {
  const replaced = applied.filter(({ version }) => version > EARLIER_BASELINE && version <= BASELINE.version)
  const sorted = replaced.map(({ checksum }) => checksum).sort()
  if (sha256(sorted.join('\n')) !== BASELINE.checksum) return applied
  const later = applied.filter(({ version }) => version > BASELINE.version)
  return [BASELINE, ...later]
}

const isKnown = (known: readonly Migration[], { checksum }: AppliedMigration) =>
  known.some((migration) => migration.checksum === checksum)

/** Why this release cannot use a database, or a backup, with these migrations. */
export const migrationFault = (known: readonly Migration[], done: readonly AppliedMigration[]) => {
  const unknown = done.filter((migration) => !isKnown(known, migration))
  const last = unknown.filter(({ version }) => version <= BASELINE.version).at(-1)
  if (last && last.version < BASELINE.version)
    return `It is from before the first release and ends with migration ${last.name}. First upgrade it with the build that ends with migration 0440.`
  if (last)
    return `The migrations up to ${last.name} were edited: they are not those that this release has as its schema.`
  const edited = unknown.find(({ version }) => known.some((migration) => migration.version === version))
  if (edited)
    return `Migration ${edited.name} was edited after it was applied here. Restore its text; add a new one instead.`
  if (unknown[0]) return `It has migration ${unknown[0].name}, which this release does not know: start a newer release.`
}

/** Returns the migrations still to apply. */
const missing = (known: Migration[], done: AppliedMigration[]) => {
  const fault = migrationFault(known, done)
  if (fault) throw new Error(`This release cannot use the database. ${fault}`)
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
 * any number of nodes may start at once. `onApplied` gets a line for each.
 */
export const migrate = async (
  db: Db,
  target = Number.POSITIVE_INFINITY,
  onApplied: (line: string) => void = () => {},
): Promise<string[]> => {
  const names: string[] = []
  for (const migration of await pendingMigrations(db)) {
    if (migration.version > target) continue
    const started = performance.now()
    for (const name of await applyOnce(db, migration)) {
      names.push(name)
      onApplied(`Applied migration ${name} (${Math.round(performance.now() - started)} ms).`)
    }
  }
  return names
}

/** Applies the migration, and with the schema those that it contains. Returns their names. */
const applyOnce = (db: Db, migration: Migration): Promise<string[]> =>
  db.transaction().execute(async (db) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(ADVISORY_LOCKS.migration)})`.execute(db)
    await createLedger.execute(db)
    if ((await appliedMigrations(db)).some(({ checksum }) => checksum === migration.checksum)) return []
    await runMigration(db, migration.text)
    const isSchema = migration.checksum === BASELINE.checksum
    const contained = isSchema ? (await readMigrations()).filter(({ isInSchema }) => isInSchema) : []
    const applied = [migration, ...contained]
    for (const { version, name, checksum } of applied)
      await sql`insert into schema_migration (version, name, checksum) values (${version}, ${name}, ${checksum})`.execute(
        db,
      )
    return applied.map(({ name }) => name)
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
  await distributeMigrated(db)
}
