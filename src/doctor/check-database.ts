import { stat } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import type { Config } from '../config/config.ts'
import { checkTexts } from '../core/reading/build-texts.ts'
import type { Kinds } from '../core/reading/texts.ts'
import type { Db } from '../core/storage/database.ts'
import { missingRights } from '../core/storage/database-fault.ts'
import {
  type AppliedMigration,
  appliedMigrations,
  type Migration,
  migrationFault,
  readMigrations,
} from '../core/storage/migrate.ts'
import { createFileUrls, type FileUrls } from '../resources/files/file-urls.ts'
import type { Finding } from './finding.ts'

const MAX_SKEW_MS = 5_000

export interface TextsToCheck {
  all: boolean
  repair: boolean
}

export const checkDatabase = async (
  db: Db,
  config: Config,
  kinds: Kinds<FileUrls>,
  texts: TextsToCheck,
): Promise<Finding[]> => {
  const known = await readMigrations()
  const done = await appliedMigrations(db)
  const isCurrent = known.every(({ checksum }) => done.some((migration) => migration.checksum === checksum))
  return [
    ...(await checkServer(db)),
    await checkRights(db),
    await checkExtensions(db, known),
    checkMigrations(known, done),
    await checkClock(db),
    await checkSecret(db, config, done.length > 0),
    ...(isCurrent ? [await checkSharedPhones(db, config)] : []),
    ...(isCurrent ? [await checkKeptTexts(db, kinds, texts)] : []),
  ]
}

const checkServer = async (db: Db): Promise<Finding[]> => {
  const { rows } = await sql<{ version: string; major: number; encoding: string }>`
    select current_setting('server_version') as version, current_setting('server_version_num')::int / 10000 as major,
      current_setting('server_encoding') as encoding`.execute(db)
  const { version = '', major = 0, encoding = '' } = rows[0] ?? {}
  return [
    major >= 15
      ? { check: 'version', state: 'ok', found: `PostgreSQL ${version}.` }
      : { check: 'version', state: 'fault', found: `PostgreSQL ${version} is too old.`, fix: 'Use 15 or newer.' },
    encoding === 'UTF8'
      ? { check: 'encoding', state: 'ok', found: 'UTF8.' }
      : { check: 'encoding', state: 'fault', found: `${encoding}.`, fix: 'Create the database with encoding UTF8.' },
  ]
}

const checkRights = async (db: Db): Promise<Finding> => {
  const { rows } = await sql<{ user: string; database: string; enough: boolean }>`
    select current_user as user, current_database() as database,
      has_database_privilege(current_database(), 'create')
        and has_schema_privilege(coalesce(current_schema(), 'public'), 'create') as enough`.execute(db)
  const { user = '', database = '', enough = false } = rows[0] ?? {}
  const check = 'rights'
  if (enough) return { check, state: 'ok', found: `${user} has the required privileges.` }
  const { message, fix } = missingRights(user, database)
  return { check, state: 'fault', found: message, fix }
}

const checkExtensions = async (db: Db, migrations: readonly Migration[]): Promise<Finding> => {
  const needed = migrations.flatMap(({ text }) =>
    [...text.matchAll(/^create extension if not exists (\w+)/gm)].map(([, name]) => name as string),
  )
  const { rows } = await sql<{ name: string; installed: boolean }>`
    select name, installed_version is not null as installed from pg_available_extensions
    where name = any(${needed}::text[])`.execute(db)
  const absent = needed.filter((name) => !rows.some((row) => row.name === name))
  const waiting = rows.filter(({ installed }) => !installed).map(({ name }) => name)
  const check = 'extensions'
  if (absent.length > 0)
    return {
      ...{ check, state: 'fault', found: `The server does not have ${absent.join(', ')}.` },
      fix: 'Install the contrib modules of PostgreSQL on it (the package postgresql-contrib).',
    }
  if (waiting.length > 0)
    return { check, state: 'note', found: `${waiting.join(', ')} will be created by the first migration.` }
  return { check, state: 'ok', found: `${needed.join(', ')}.` }
}

const checkMigrations = (known: readonly Migration[], done: readonly AppliedMigration[]): Finding => {
  const check = 'migrations'
  const fault = migrationFault(known, done)
  if (fault)
    return {
      ...{ check, state: 'fault', found: fault },
      fix: 'Start the release that applied them, or use another database.',
    }
  const pending = known.filter(({ checksum }) => !done.some((migration) => migration.checksum === checksum))
  const names = (list: readonly { name: string }[]) => list.map(({ name }) => name).join(', ')
  if (pending.length > 0)
    return {
      ...{ check, state: 'note', found: `${done.length} applied, ${pending.length} pending: ${names(pending)}.` },
      fix: 'The next start applies them, or storefront-apps migrate does.',
    }
  return { check, state: 'ok', found: `All ${done.length} are applied.` }
}

/** Compares what a caller without file permissions sees: file URLs do not matter here. */
const NOBODY: FileUrls = { ...createFileUrls('', Buffer.alloc(32), 3600), showsSold: false }

const checkKeptTexts = async (db: Db, kinds: Kinds<FileUrls>, { all, repair }: TextsToCheck): Promise<Finding> => {
  const reports = await checkTexts(db, kinds, NOBODY, { all, repair })
  const sum = (count: 'checked' | 'missing' | 'wrong') => reports.reduce((sum, report) => sum + report[count], 0)
  const [checked, missing, wrong] = [sum('checked'), sum('missing'), sum('wrong')]
  const check = 'texts'
  const compared = `${checked} kept texts compared with their rows`
  if (missing + wrong === 0) return { check, state: 'ok', found: `${compared}.` }
  const found = `${compared}: ${wrong} differ, ${missing} are missing.`
  const repairs = reports
    .map(({ kind, missing, wrong }) => ({ kind, texts: missing + wrong }))
    .filter(({ texts }) => texts > 0)
  if (repair) return { check, state: 'ok', found: `${found} They have been rewritten.`, repairs }
  const fix = 'storefront-apps doctor --all --repair rewrites them.'
  // Missing texts are rendered on read: correct, but slower.
  return { check, state: wrong > 0 ? 'fault' : 'note', found, fix, repairs }
}

const checkClock = async (db: Db): Promise<Finding> => {
  const before = Date.now()
  const { rows } = await sql<{ now: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`.execute(db)
  const skew = (rows[0]?.now ?? 0) - (before + Date.now()) / 2
  const found = `${(Math.abs(skew) / 1000).toFixed(1)} s between this machine and the database.`
  return Math.abs(skew) < MAX_SKEW_MS
    ? { check: 'clock', state: 'ok', found }
    : { check: 'clock', state: 'fault', found, fix: 'Synchronise both clocks with NTP: token expiry depends on them.' }
}

/** What a store shares ends as soon as it says so. */
const checkSharedPhones = async (db: Db, { SHARED_PHONE_COUNTS }: Config): Promise<Finding> => {
  const { rows } = await sql<{ stores: number; left: number }>`
    select count(*) filter (where s.shares)::int as stores,
      count(*) filter (where not s.shares and p.store_id is not null)::int as left
    from (select id, (order_desk->'share_phone_counts')::boolean and ${SHARED_PHONE_COUNTS} as shares from store) s
    left join (select distinct store_id from shared_phone) p on p.store_id = s.id`.execute(db)
  const { stores = 0, left = 0 } = rows[0] ?? {}
  const check = 'shared phones'
  if (left > 0)
    return {
      ...{ check, state: 'note', found: `Counts of ${left} stores are left that share none.` },
      fix: 'The service removes them within ten minutes of its start.',
    }
  return { check, state: 'ok', found: SHARED_PHONE_COUNTS ? `${stores} stores share counts of phone numbers.` : 'Off.' }
}

/** Reports where the secret comes from, never its value. */
const checkSecret = async (db: Db, config: Config, migrated: boolean): Promise<Finding> => {
  const check = 'secret'
  const kept = (place: string): Finding => ({ check, state: 'ok', found: `Generated, kept in ${place}.` })
  const notYet: Finding = { check, state: 'note', found: 'TOKEN_SECRET is not set; the first start generates one.' }
  if (config.TOKEN_SECRET) return { check, state: 'ok', found: 'TOKEN_SECRET of the environment.' }
  if (config.DATABASE_URL) {
    const row = migrated
      ? await db.selectFrom('setting').select('name').where('name', '=', 'token_secret').executeTakeFirst()
      : undefined
    return row ? kept('the database') : notYet
  }
  const file = path.join(config.DATA_DIR, 'token-secret')
  const found = await stat(file).catch(() => undefined)
  if (!found) return notYet
  const open = process.platform !== 'win32' && (found.mode & 0o077) !== 0
  return open
    ? { check, state: 'fault', found: `Others on this machine may read ${file}.`, fix: `chmod 600 ${file}` }
    : kept(file)
}
