import { randomBytes, randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { migrateDatabase } from '../../src/core/storage/connect.ts'
import { openEngine } from '../../src/core/storage/embedded/engine.ts'
import { createCitusDatabase, distributeTemplate, dropCitusDatabase } from './citus.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Connection to the server with the test databases. */
    server: pg.ClientConfig
    /** The same with the right to create roles. */
    admin: pg.ClientConfig
    /** A migrated, empty database to clone. */
    template: string
    /** The seed of all property tests of the run. */
    seed: number
  }
}

const runSql = async (connection: pg.ClientConfig, ...statements: string[]) => {
  const client = new pg.Client(connection)
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

/** The server of CITUS_URL or DATABASE_URL, or an embedded one in a temporary folder. */
const startServer = async (): Promise<{
  server: pg.ClientConfig
  admin: pg.ClientConfig
  stop: () => Promise<void>
}> => {
  const url = process.env.CITUS_URL || process.env.DATABASE_URL
  if (url) return { server: { connectionString: url }, admin: { connectionString: url }, stop: async () => {} }
  const folder = await mkdtemp(path.join(tmpdir(), 'storefront-test-'))
  const engine = await openEngine(folder, { kind: 'command', name: 'tests' })
  // Tests run with the service's rights, but also create databases.
  const { user } = engine.connection
  await runSql(engine.admin, `alter role ${user} createdb`, `alter role ${user} set wal_compression = off`)
  return {
    server: engine.connection,
    admin: engine.admin,
    stop: async () => {
      await engine.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Leaves nothing in the catalogs for the first connection to each copy: row versions that it would have to check and mark, and
 * the file of descriptors that PostgreSQL writes when it is missing, which only the next connection does.
 */
const tidyCatalogs = async (connection: pg.ClientConfig) => {
  const client = new pg.Client(connection)
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
     where relnamespace = 'pg_catalog'::regnamespace and relkind = 'r' and not relisshared`,
  )
  await client.query(`vacuum (freeze) ${rows.map(({ name }) => name).join(', ')}`)
  await client.end()
  await runSql(connection, 'select from pg_class limit 1')
}

export const inDatabase = (server: pg.ClientConfig, database: string): pg.ClientConfig => {
  if (!server.connectionString) return { ...server, database }
  const url = new URL(server.connectionString)
  url.pathname = `/${database}`
  return { connectionString: url.toString() }
}

/** The data folder of the demo store, created by the first test that needs it. */
export const demoFolder = (template: string) => path.join(tmpdir(), template)

export default async (project: TestProject) => {
  const { server, admin, stop } = await startServer()
  const template = `storefront_test_${randomBytes(6).toString('hex')}`
  const citus = process.env.CITUS_URL
  if (citus) await createCitusDatabase(citus, template)
  else await runSql(server, `create database ${template}`, `alter database ${template} set synchronous_commit = off`)
  await migrateDatabase(inDatabase(server, template))
  if (citus) await distributeTemplate(citus, template)
  else await tidyCatalogs(inDatabase(admin, template))
  project.provide('server', server)
  project.provide('admin', admin)
  project.provide('template', template)
  const seed = Number(process.env.FC_SEED ?? randomInt(2 ** 31))
  project.provide('seed', seed)
  console.log(`Property tests: to repeat this run, set FC_SEED=${seed}`)
  return async () => {
    for (const name of [`${template}_demo`, template])
      if (citus) await dropCitusDatabase(citus, name)
      else await runSql(admin, `drop database if exists ${name} with (force)`)
    await rm(demoFolder(template), { recursive: true, force: true })
    await stop()
  }
}
