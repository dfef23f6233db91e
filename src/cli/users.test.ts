import type pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../tests/support/server-process.ts'
import { cloneDatabase, databaseUrl } from '../../tests/support/test-database.ts'
import { readConfig } from '../config/config.ts'
import { openDatabase } from '../core/storage/database.ts'
import type { StoreId } from '../core/storage/store-id.ts'
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

/** The account of somebody who has redeemed a link. */
const asAccount = async (email: string, account: { is_operator?: boolean }, store?: StoreId) => {
  const { db, close } = openDatabase(database, { pool: 1, prepare: false, name: 'test', untimed: true })
  const { id } = await db
    .insertInto('account')
    .values({ email, email_key: email, password: 'x', ...account })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (store)
    await db
      .insertInto('membership')
      .values({ store_id: store, account_id: id, role: 'staff', permissions: ['order:view'] })
      .execute()
  await close()
}

const LINK = /^https:\/\/shop\.example\/console\/welcome#[\w-]{43}$/

test('the first operator gets a console link, and every later account a link of its own', async () => {
  const first = (await run('console', 'link')).value
  expect(first.link).toMatch(LINK)
  expect((await run('console', 'link')).value.link).not.toBe(first.link)
  const created = await run('user', 'create', '--email', 'Amina@shop.example', '--name', 'Amina', '--role', 'operator')
  expect(created.value).toMatchObject({ email: 'Amina@shop.example', link: expect.stringMatching(LINK) })
  expect((await run('user', 'list')).value, 'no account before the link is redeemed').toEqual([])
  expect((await run('console', 'link')).value.link, 'nobody is operator yet').toMatch(LINK)
  const again = await run('user', 'create', '--email', 'AMINA@shop.example', '--role', 'operator')
  expect(again.value.link).not.toBe(created.value.link)
  const invited = (await run('user', 'invitations')).value
  expect(invited).toMatchObject([
    { email: 'AMINA@shop.example', role: 'operator', link_expires_at: expect.any(String) },
  ])
  await asAccount('amina@shop.example', { is_operator: true })
  expect((await run('console', 'link')).err).toMatch(/There is already an operator/)
  const known = await run('user', 'create', '--email', 'AMINA@shop.example', '--role', 'operator')
  expect(known.err).toMatch(/already has an account/)
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
  expect((await run('user', 'invitations')).value, 'a refused command leaves nothing').not.toContainEqual(
    expect.objectContaining({ email: 'leila@shop.example' }),
  )
  expect((await create('--role', 'staff', '--store', store, '--grant', 'order:view')).code).toBe(0)
  const role = ['leila@shop.example', '--store', store, '--role']
  expect((await run('user', 'grant', ...role, 'owner')).value).toMatchObject({ link: expect.stringMatching(LINK) })
  const developer = ['leila@shop.example', '--role', 'developer', '--app', app]
  expect((await run('user', 'grant', ...developer)).value).toMatchObject({ link: expect.stringMatching(LINK) })
  const offered = async () =>
    (await run('user', 'invitations')).value
      .filter(({ email }: { email: string }) => email.startsWith('leila'))
      .map(({ role, store_id }: Record<string, unknown>) => [role, store_id])
  expect(await offered()).toEqual([
    ['owner', store],
    ['developer', null],
  ])
  expect((await run('user', 'revoke', ...developer)).code).toBe(0)
  expect(await offered()).toEqual([['owner', store]])
  expect((await run('user', 'revoke', ...role, 'owner')).code).toBe(0)
  expect(await offered()).toEqual([])
  expect((await run('user', 'grant', ...role, 'owner')).err).toMatch(/no account/)

  // A member's role changes at once; another role needs a link, also for somebody with an account.
  await asAccount('leila@shop.example', {}, store)
  expect((await run('user', 'grant', ...role, 'owner')).value).toEqual({
    granted: 'owner',
    email: 'leila@shop.example',
  })
  expect((await run('user', 'grant', ...developer)).value).toMatchObject({ invited: 'developer' })
  const listed = (await run('user', 'list')).value.find(({ email }: { email: string }) => email.startsWith('leila'))
  expect(listed).toMatchObject({ stores: [{ store_id: store, role: 'owner' }] })
  expect((await run('user', 'revoke', ...role, 'owner')).err).toMatch(/last owner/)
  expect((await run('user', 'disable', 'nobody@shop.example')).err).toMatch(/no account/)
  expect((await run('user', 'disable', 'leila@shop.example')).err).toMatch(/last owner/)
})

test('a second factor is required and cleared, and wrong values are refused with a reason', async () => {
  expect((await run('console', 'second-factor')).value).toEqual({ required_of: 'nobody' })
  expect((await run('console', 'second-factor', '--require', 'operators')).value).toEqual({ required_of: 'operators' })
  expect((await run('console', 'second-factor')).value).toEqual({ required_of: 'operators' })
  expect((await run('console', 'second-factor', '--require', 'all')).err).toMatch(/nobody, operators, everybody/)
  await asAccount('lost@shop.example', {})
  expect((await run('user', 'clear-second-factor', 'LOST@shop.example')).value).toEqual({
    cleared: 'lost@shop.example',
  })
  expect((await run('user', 'clear-second-factor', 'nobody@shop.example')).err).toMatch(/no account/)
  const { db, close } = openDatabase(database, { pool: 1, prepare: false, name: 'test', untimed: true })
  const entries = await db
    .selectFrom('audit_entry')
    .select(['act', 'actor', 'subject'])
    .where('act', 'in', ['clear_second_factor', 'require_second_factor'])
    .orderBy('id')
    .execute()
  await close()
  expect(entries).toEqual([
    { act: 'require_second_factor', actor: 'command line', subject: '' },
    { act: 'clear_second_factor', actor: 'command line', subject: 'lost@shop.example' },
  ])
  expect((await run('console', 'second-factor', '--require', 'nobody')).value).toEqual({ required_of: 'nobody' })
})

test('roles are named, given, changed and deleted by name, and mistakes are refused with a reason', async () => {
  const store = (await run('store', 'create', '--name', 'Roles')).value.id
  const role = (word: string, ...more: string[]) => run('role', word, ...more, '--store', store)
  const packer = (await role('create', '--name', 'Packer', '--grant', 'order:view', 'order:update')).value
  expect(packer).toEqual({
    id: expect.any(String),
    name: 'Packer',
    people: 0,
    permissions: ['order:update', 'order:view'],
  })
  expect((await role('create', '--name', 'packer', '--grant', 'order:view')).err).toMatch(
    /name is already taken by another role/,
  )
  expect((await role('create', '--name', 'Odd', '--grant', 'order:fly')).err).toMatch(/No such permission: order:fly/)
  expect((await run('role', 'list', '--store', packer.id)).err).toMatch(/no store/)
  const grant = ['grant', 'sami@shop.example', '--role', 'staff', '--store', store]
  await asAccount('sami@shop.example', {}, store)
  expect((await run('user', ...grant, '--as', 'Painter')).err).toMatch(/no role Painter/)
  expect((await run('user', ...grant, '--as', 'Packer', '--grant', 'all')).err).toMatch(
    /permissions of its own|no others/,
  )
  expect((await run('user', 'grant', 'sami@shop.example', '--role', 'operator', '--as', 'Packer')).err).toMatch(/--as/)
  expect((await run('user', ...grant, '--as', 'packer')).value).toMatchObject({ granted: 'staff' })
  const create = ['create', '--email', 'new@shop.example', '--role', 'staff', '--store', store, '--as', packer.id]
  expect((await run('user', ...create)).value).toMatchObject({ link: expect.stringMatching(LINK) })
  expect((await role('update', 'Packer')).err).toMatch(/Give --name, --grant or --revoke/)
  const update = ['--name', 'Packers', '--grant', 'product:view', '--revoke', 'order:update']
  expect((await role('update', 'Packer', ...update)).value).toMatchObject({
    name: 'Packers',
    people: 2,
    permissions: ['order:view', 'product:view'],
  })
  expect((await role('update', 'Packers', '--revoke', 'all')).err).toMatch(/at least one permission/)
  expect((await role('delete', 'Packers', '--replacement', 'Nobody')).err).toMatch(/no role Nobody/)
  expect((await role('delete', 'Packers')).value).toEqual({ deleted: 'Packers', people: 2 })
  expect((await role('list')).value).toEqual([])
  const { value } = await run('user', 'invitations')
  expect(value.find(({ email }: { email: string }) => email === 'new@shop.example')).toMatchObject({
    role_id: null,
    permissions: ['order:view', 'product:view'],
  })
})
