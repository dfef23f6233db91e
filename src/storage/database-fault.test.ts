import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { beforeAll, expect, inject, test } from 'vitest'
import { addCleanup } from '../../tests/support/cleanup.ts'
import { inDatabase } from '../../tests/support/global-setup.ts'
import { startProcess, temporaryFolder } from '../../tests/support/server-process.ts'
import { databaseUrl } from '../../tests/support/test-database.ts'
import { runCommandLine } from '../cli/run.ts'
import { readConfig } from '../config/config.ts'

const name = `storefront_rights_${randomBytes(4).toString('hex')}`
const PASSWORD = 'a-good-password'

const onServer = async (...statements: string[]) => {
  const client = new pg.Client(inject('admin'))
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

beforeAll(async () => {
  await onServer(
    `create role ${name} login password '${PASSWORD}'`,
    `create database ${name} template template0 encoding 'UTF8'`,
  )
  addCleanup(() => onServer(`drop database if exists ${name} with (force)`, `drop role ${name}`))
})

/** The database of that name, for the user that has no rights in it. */
const asStranger = (database: string) => {
  const url = new URL(databaseUrl(inDatabase(inject('server'), database)))
  url.username = name
  url.password = PASSWORD
  return url.toString()
}

const start = async (DATABASE_URL: string) => {
  const server = startProcess({ DATABASE_URL, DATA_DIR: await temporaryFolder() })
  expect(await server.ended()).toBe(1)
  return server.output()
}

const askDoctor = async (DATABASE_URL: string) => {
  let printed = ''
  const config = readConfig({ DATABASE_URL, DATA_DIR: await temporaryFolder(), PORT: '1' })
  const print = async (text: string) => {
    printed += text
  }
  expect(await runCommandLine(['doctor'], { config: () => config, print, say: () => {} })).toBe(1)
  return printed
}

test('a database that is missing is told by start and doctor alike, with the statement that makes it', async () => {
  const url = asStranger(`${name}_missing`)
  for (const told of [await start(url), await askDoctor(url)]) {
    expect(told).toContain(`There is no database ${name}_missing on the PostgreSQL at`)
    expect(told).toContain(`→ Create it: create database "${name}_missing" owner "${name}"`)
    expect(told).not.toContain(PASSWORD)
  }
})

test('a user without rights is told by start and doctor alike, and the remedy works', async () => {
  const url = asStranger(name)
  const remedy = `alter database "${name}" owner to "${name}";`
  for (const told of [await start(url), await askDoctor(url)]) {
    expect(told).toContain(`The user ${name} may not create what the service needs in the database ${name}`)
    expect(told).toContain(`→ Make it the owner, as a superuser: ${remedy}`)
    expect(told).not.toContain(PASSWORD)
  }
  await onServer(remedy)
  const server = startProcess({ DATABASE_URL: url, DATA_DIR: await temporaryFolder() })
  await server.ready()
  expect(await server.stop()).toBe(0)
  await onServer(`alter database ${name} owner to current_user`)
})
