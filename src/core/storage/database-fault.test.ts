import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { beforeAll, expect, inject, test } from 'vitest'
import { addCleanup } from '../../../tests/support/cleanup.ts'
import { inDatabase } from '../../../tests/support/global-setup.ts'
import { startProcess, temporaryFolder } from '../../../tests/support/server-process.ts'
import { databaseUrl } from '../../../tests/support/test-database.ts'
import { runCommandLine } from '../../cli/run.ts'
import { readConfig } from '../../config/config.ts'

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

/** The URL of a database for a user without rights in it. */
const asUserWithoutRights = (database: string) => {
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

test('the start and the doctor report a missing database with the statement that creates it', async () => {
  const url = asUserWithoutRights(`${name}_missing`)
  for (const message of [await start(url), await askDoctor(url)]) {
    expect(message).toContain(`There is no database ${name}_missing on the PostgreSQL at`)
    expect(message).toContain(`→ Create it: create database "${name}_missing" owner "${name}"`)
    expect(message).not.toContain(PASSWORD)
  }
})

test('the start and the doctor report a user without rights, and the suggested fix works', async () => {
  const url = asUserWithoutRights(name)
  const remedy = `alter database "${name}" owner to "${name}";`
  for (const message of [await start(url), await askDoctor(url)]) {
    expect(message).toContain(`The user ${name} lacks privileges in the database ${name}`)
    expect(message).toContain(`→ Make it the owner, as a superuser: ${remedy}`)
    expect(message).not.toContain(PASSWORD)
  }
  await onServer(remedy)
  const server = startProcess({ DATABASE_URL: url, DATA_DIR: await temporaryFolder() })
  await server.ready()
  expect(await server.stop()).toBe(0)
  await onServer(`alter database ${name} owner to current_user`)
})
