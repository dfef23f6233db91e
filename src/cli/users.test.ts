import type pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../tests/support/server-process.ts'
import { cloneDatabase, databaseUrl } from '../../tests/support/test-database.ts'
import { readConfig } from '../config/config.ts'
import { runCommandLine } from './run.ts'

let database: pg.ClientConfig
let folder: string

beforeAll(async () => {
  database = await cloneDatabase()
  folder = await temporaryFolder()
})

const run = async (...words: string[]) => {
  let out = ''
  let err = ''
  const code = await runCommandLine([...words, '--json'], {
    config: () =>
      readConfig({ DATABASE_URL: databaseUrl(database), DATA_DIR: folder, BASE_URL: 'https://shop.example' }),
    print: async (text) => {
      out += text
    },
    say: (line) => {
      err += line
    },
  })
  return { code, err, value: code === 0 ? JSON.parse(out) : undefined }
}

const LINK = /^https:\/\/shop\.example\/console\/welcome#[\w-]{43}$/

test('the first operator gets a console link, and every later account a link of its own', async () => {
  const first = (await run('console', 'link')).value
  expect(first.link).toMatch(LINK)
  expect((await run('console', 'link')).value.link).not.toBe(first.link)
  const created = await run('user', 'create', '--email', 'Amina@shop.example', '--name', 'Amina', '--role', 'operator')
  expect(created.value).toMatchObject({ email: 'Amina@shop.example', link: expect.stringMatching(LINK) })
  expect((await run('console', 'link')).err).toMatch(/There is already an operator/)
  const again = await run('user', 'create', '--email', 'AMINA@shop.example', '--role', 'operator')
  expect(again.err).toMatch(/already has an account/)
  expect((await run('user', 'link', 'amina@shop.example')).value.link).toMatch(LINK)
})

test('roles are granted and revoked, and an invalid change is refused with a reason', async () => {
  const store = (await run('store', 'create', '--name', 'Shop')).value.id
  const app = (await run('app', 'create', '--name', 'App')).value.client_id
  const create = (...more: string[]) => run('user', 'create', '--email', 'leila@shop.example', ...more)
  expect((await create('--role', 'king')).err).toMatch(/--role must be one of/)
  expect((await create('--role', 'owner')).err).toMatch(/needs --store/)
  expect((await create('--role', 'developer')).err).toMatch(/needs --app/)
  expect((await create('--role', 'staff', '--store', store)).err).toMatch(/needs permissions/)
  expect((await create('--role', 'staff', '--store', store, '--grant', 'fly')).err).toMatch(/No such permission: fly/)
  expect((await run('user', 'create', '--email', 'nonsense', '--role', 'operator')).err).toMatch(/not an email/)
  expect((await run('user', 'list')).value, 'a refused command leaves nothing').toHaveLength(1)
  expect((await create('--role', 'staff', '--store', store, '--grant', 'order:view')).code).toBe(0)
  expect((await run('user', 'grant', 'leila@shop.example', '--role', 'owner', '--store', store)).code).toBe(0)
  expect((await run('user', 'grant', 'leila@shop.example', '--role', 'developer', '--app', app)).code).toBe(0)
  const listed = (await run('user', 'list')).value.find(({ email }: { email: string }) => email.startsWith('leila'))
  expect(listed).toMatchObject({ has_password: false, stores: [{ store_id: store, role: 'owner' }] })
  const revoked = await run('user', 'revoke', 'leila@shop.example', '--role', 'owner', '--store', store)
  expect(revoked.err).toMatch(/last owner/)
  expect((await run('user', 'disable', 'nobody@shop.example')).err).toMatch(/no account/)
  expect((await run('user', 'disable', 'leila@shop.example')).err).toMatch(/last owner/)
})
