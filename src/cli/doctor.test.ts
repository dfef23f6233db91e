import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApi } from '../../tests/support/api.ts'
import { isOnCitus } from '../../tests/support/citus.ts'
import { cloneDatabase, databaseUrl } from '../../tests/support/test-database.ts'
import { readConfig } from '../config/config.ts'
import { openDatabase } from '../core/storage/database.ts'
import type { Finding } from '../doctor/finding.ts'
import { runCommandLine } from './run.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'storefront-doctor-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const ask = async (settings: Record<string, string>, ...words: string[]) => {
  let out = ''
  let err = ''
  const code = await runCommandLine(['doctor', ...words], {
    config: () => readConfig({ DATA_DIR: folder, PORT: '1', ...settings }),
    print: async (text) => {
      out += text
    },
    say: (line) => {
      err += line
    },
  })
  return { code, out, err }
}

const examine = async (settings: Record<string, string>) => {
  const { code, out } = await ask(settings, '--json')
  const { healthy, findings } = JSON.parse(out) as { healthy: boolean; findings: Finding[] }
  expect(code).toBe(healthy ? 0 : 1)
  const named = (check: string) => findings.filter((finding) => finding.check === check)
  return { healthy, findings, named }
}

test('a healthy set-up passes every check, and a service that is not running is only a note', async () => {
  const DATABASE_URL = databaseUrl(await cloneDatabase())
  const { healthy, findings, named } = await examine({ DATABASE_URL })
  expect(healthy).toBe(true)
  expect(findings.map(({ check }) => check)).toEqual([
    ...['settings', 'disk', 'database', 'version', 'encoding', 'rights', 'extensions', 'migrations', 'clock', 'secret'],
    ...['shared phones', 'texts'],
    ...Array<string>(isOnCitus ? 5 : 0).fill('distribution'),
    ...['files', 'address'],
  ])
  expect(named('address')).toMatchObject([{ state: 'note', found: expect.stringContaining('not running') }])
  const { code, out } = await ask({ DATABASE_URL })
  expect(code).toBe(0)
  expect(out).toMatch(/^✓ settings/)
  expect(out).toMatch(/No faults found\.\n$/)
})

test('a running service is reported as live and ready; an unreachable public URL is a fault', async () => {
  const api = await startTestApi()
  const DATABASE_URL = databaseUrl(api.connection)
  const PORT = String(api.port)
  expect((await examine({ DATABASE_URL, PORT })).named('address')).toMatchObject([{ state: 'ok' }])
  const behind = await examine({ DATABASE_URL, PORT, BASE_URL: 'http://127.0.0.1:1' })
  expect(behind.named('address')).toMatchObject([{ state: 'ok' }, { state: 'fault' }])
})

test('another program on the port is not mistaken for the service', async () => {
  const other = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const { healthy, named } = await examine({ DATABASE_URL: databaseUrl(await cloneDatabase()), PORT: String(port) })
  expect(healthy).toBe(false)
  expect(named('address')).toMatchObject([{ state: 'fault', fix: expect.stringContaining('PORT') }])
  other.close()
})

test('all invalid settings are named at once, and no secret is shown', async () => {
  const { code, out } = await ask({
    PORT: 'x',
    WORKERS: '0',
    TOKEN_SECRET: 'tooshort',
    DATABASE_URL: 'mysql://u:hush@h/d',
  })
  expect(code).toBe(1)
  expect(out.match(/^✗ settings/gm)).toHaveLength(4)
  expect(out).not.toMatch(/tooshort|hush/)
})

test('an unreachable database is a fault with a remedy, and its password stays hidden', async () => {
  const { code, out, err } = await ask({ DATABASE_URL: 'postgresql://shop:hush@127.0.0.1:1/shop' })
  expect(code).toBe(1)
  expect(out).toMatch(/✗ database +PostgreSQL at 127.0.0.1:1\/shop cannot be reached/)
  expect(out).toContain('→ Start that PostgreSQL')
  expect(out + err).not.toContain('hush')
})

test('pending migrations are a note, edited and unknown ones a fault', async () => {
  const connection = await cloneDatabase()
  const { db, close } = openDatabase(connection, { pool: 1, prepare: false, name: 'test' })
  const migrations = async () => (await examine({ DATABASE_URL: databaseUrl(connection) })).named('migrations')
  const { rows } = await sql<{ version: number; name: string }>`delete from schema_migration where version =
    (select max(version) from schema_migration) returning version, name`.execute(db)
  const { version, name } = rows[0] as { version: number; name: string }
  expect(await migrations()).toMatchObject([{ state: 'note', found: expect.stringContaining(name) }])
  await sql`insert into schema_migration (version, name, checksum) values (${version}, ${name}, 'edited')`.execute(db)
  expect(await migrations()).toMatchObject([{ state: 'fault', found: expect.stringContaining(name) }])
  await sql`update schema_migration set version = 9999, name = '9999_later' where version = ${version}`.execute(db)
  expect(await migrations()).toMatchObject([{ state: 'fault', found: expect.stringContaining('9999_later') }])
  await close()
})

test('a folder that is not writable is a fault', async () => {
  const blocked = path.join(folder, 'blocked')
  await writeFile(blocked, 'a file where a folder should be')
  await chmod(blocked, 0o644)
  const { named } = await examine({ DATABASE_URL: databaseUrl(await cloneDatabase()), DATA_DIR: blocked })
  expect(named('files')).toMatchObject([{ state: 'fault', fix: expect.stringContaining('DATA_DIR') }])
})
