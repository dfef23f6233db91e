import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { PERMISSIONS } from '../permissions/catalogue.ts'
import { startTestApi } from '../testing/api.ts'
import { cloneDatabase, databaseUrl } from '../testing/database.ts'
import { COMMANDS, runCommandLine } from './run.ts'

let folder: string
let database: pg.ClientConfig

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'storefront-cli-'))
  database = await cloneDatabase()
})

afterAll(() => rm(folder, { recursive: true, force: true }))

/** One command line on a database, in this process: its exit code and what it wrote where. */
const storefront = async (words: string[], connection = database, settings: Record<string, string> = {}) => {
  let out = ''
  let err = ''
  const code = await runCommandLine(words, {
    config: () => readConfig({ DATABASE_URL: databaseUrl(connection), DATA_DIR: folder, PORT: '1', ...settings }),
    print: async (text) => {
      out += text
    },
    say: (line) => {
      err += `${line}\n`
    },
  })
  return { code, out, err }
}

/** The JSON value of a command that went well. */
const json = async (...words: string[]) => {
  const { code, out, err } = await storefront([...words, '--json'])
  expect(err).toBe('')
  expect(code).toBe(0)
  expect(out.trimEnd().split('\n')).toHaveLength(1)
  return JSON.parse(out)
}

const refused = async (message: RegExp, ...words: string[]) => {
  const { code, out, err } = await storefront(words)
  expect(err).toMatch(message)
  expect({ code, out }).toEqual({ code: 1, out: '' })
}

const newInstallation = async () => {
  const store = await json('store', 'create', '--name', 'Shop')
  const app = await json('app', 'create', '--name', 'App')
  const where = ['--app', app.client_id, '--store', store.id]
  return { store, app, install: await json('install', 'create', ...where, '--grant', 'product:view', 'order:view') }
}

test('every command explains itself, and so does every group', async () => {
  for (const { name, options = {} } of COMMANDS) {
    const { code, out, err } = await storefront([...name.split(' '), '--help'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain(`storefront ${name}`)
    for (const option of [...Object.keys(options), 'json', 'help']) expect(out).toContain(`--${option}`)
  }
  for (const group of ['store', 'app', 'install', 'category', 'carrier'])
    expect((await storefront([group, '--help'])).out).toContain(`${group} create`)
  expect((await storefront(['--help'])).out).toContain('rotate-secret')
  expect((await storefront(['help', 'backup'])).out).toContain('FILE')
})

test('what is not a command line is refused with the word at fault and the way to the help', async () => {
  await refused(/Missing: COMMAND.*storefront --help/)
  await refused(/There is no command shop.*storefront --help/, 'shop')
  await refused(/no command store drop: there is store create, store list/, 'store', 'drop')
  await refused(/Choose one of store create, store list/, 'store')
  await refused(/Unknown option '--colour'.*storefront store create --help/, 'store', 'create', '--colour', 'red')
  await refused(/Missing: --app, --store, --grant/, 'install', 'create')
  await refused(/Missing: INSTALL_ID, PERM/, 'install', 'grant')
  await refused(/--name <value>' argument missing/, 'store', 'create', '--name')
  await refused(/--name is given twice/, 'store', 'create', '--name', 'A', '--name', 'B')
  await refused(/Must not be empty: --name/, 'app', 'create', '--name', ' ')
  await refused(/Unexpected argument: extra/, 'store', 'list', 'extra')
  await refused(/Missing: FILE/, 'backup')
})

test('a setting that is not right is named, whatever the command', async () => {
  const { code, out, err } = await storefront(['store', 'list'], database, { PORT: 'http', LOG_LEVEL: 'loud' })
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toMatch(/The settings are not right:\nPORT must be .*\nLOG_LEVEL must be /)
})

test('a store is created with what was given, and the rest is chosen for it', async () => {
  const given = ['--name', 'Tea House', '--domain', 'tea.example', '--currency', 'TND']
  const tea = await json('store', 'create', ...given)
  expect(tea).toEqual({ id: expect.any(String), name: 'Tea House', domain: 'tea.example', currency: 'TND' })
  const plain = await json('store', 'create', '--name', 'Plain')
  expect(plain).toEqual({ id: expect.any(String), name: 'Plain', domain: expect.any(String), currency: 'USD' })
  await refused(/Another store has the domain tea.example/, 'store', 'create', ...given)
  await refused(/--currency must be/, 'store', 'create', '--name', 'X', '--currency', 'dinar')
  expect(await json('store', 'list')).toContainEqual({ ...tea, created_at: expect.any(String) })
})

test('a table for people has a heading, and a name cannot play tricks on the screen', async () => {
  await storefront(['store', 'create', '--name', 'Evil\u001b[2J\tname'])
  const { code, out } = await storefront(['store', 'list'])
  expect(code).toBe(0)
  expect(out).toMatch(/^ID +NAME +DOMAIN +CURRENCY +CREATED_AT\n/)
  expect(out).toContain('Evil [2J name')
  const { out: one, err } = await storefront(['app', 'create', '--name', 'Shown'])
  expect(one).toMatch(/^client_secret {2}sk_\S+$/m)
  expect(err).toContain('not shown again')
})

test('a secret is shown when it is made and never again', async () => {
  const app = await json('app', 'create', '--name', 'Sync')
  expect(app).toEqual({
    id: expect.any(String),
    name: 'Sync',
    client_id: expect.stringMatching(/^app_/),
    client_secret: expect.stringMatching(/^sk_/),
  })
  const rotated = await json('app', 'rotate-secret', app.client_id, '--revoke-tokens')
  expect(rotated).toMatchObject({ client_id: app.client_id, tokens_revoked: true })
  expect(rotated.client_secret).not.toBe(app.client_secret)
  const listed = [await storefront(['app', 'list']), await storefront(['app', 'list', '--json'])]
  for (const { out } of listed) {
    expect(out).toContain(app.client_id)
    expect(out).not.toMatch(/sk_|hash|client_secret/)
  }
  expect(await json('app', 'disable', app.client_id)).toMatchObject({ disabled_at: expect.any(String) })
  expect(await json('app', 'enable', app.client_id)).toMatchObject({ disabled_at: null })
  await refused(/no app with the client_id app_nobody/, 'app', 'disable', 'app_nobody')
})

test('a rotated secret is kept for the time given, and ended early', async () => {
  const { client_id } = await json('app', 'create', '--name', 'Overlap')
  const listed = async () =>
    (await json('app', 'list')).find((app: { client_id: string }) => app.client_id === client_id).old_secret_until
  expect(await listed()).toBeNull()
  const rotated = await json('app', 'rotate-secret', client_id, '--keep-old', '24h')
  expect(rotated).toMatchObject({ client_id, tokens_revoked: false, old_secret_until: expect.any(String) })
  expect(await listed()).toBe(rotated.old_secret_until)
  const ended = await json('app', 'end-old-secret', client_id, '--revoke-tokens')
  expect(ended).toEqual({ client_id, name: 'Overlap', tokens_revoked: true })
  expect(await listed()).toBeNull()
  for (const time of ['24', '1w', '0h', '91d', '-1h', 'h', '1.5h'])
    await refused(/--keep-old must be minutes, hours or days/, 'app', 'rotate-secret', client_id, `--keep-old=${time}`)
  await refused(/no app with the client_id app_nobody/, 'app', 'end-old-secret', 'app_nobody')
})

test('an installation gets the permissions named, in whichever way they are named', async () => {
  const { store, app, install } = await newInstallation()
  const permissions = ['product:view', 'order:view']
  expect(install).toEqual({ install_id: expect.any(String), client_id: app.client_id, store_id: store.id, permissions })
  const other = await json('app', 'create', '--name', 'Other')
  const where = ['--store', store.id, '--app', other.client_id]
  const mixed = ['--grant', 'product:view', '--grant', 'file:browse,file:upload', 'order:view']
  const second = await json('install', 'create', ...mixed, ...where)
  expect(second.permissions).toEqual(['product:view', 'file:browse', 'file:upload', 'order:view'])
  await refused(/installed on that store already/, 'install', 'create', ...where, '--grant', 'all')

  const third = await json('app', 'create', '--name', 'Third')
  const all = ['install', 'create', '--app', third.client_id, '--store', store.id, '--grant', 'all']
  expect((await json(...all)).permissions).toEqual(PERMISSIONS)
  expect((await storefront(['install', 'list'])).out).toMatch(new RegExp(`${third.client_id} .* all`))
  await refused(/No such permission: product:fly/, 'install', 'create', ...where, '--grant', 'product:fly')
  await refused(/There is no store 7/, 'install', 'create', '--app', app.client_id, '--store', '7', '--grant', 'all')
})

test('permissions are granted, revoked and removed with their installation', async () => {
  const { install } = await newInstallation()
  const id = install.install_id
  const granted = await json('install', 'grant', id, 'file:browse', 'order:view')
  expect(granted.permissions).toEqual(['file:browse', 'order:view', 'product:view'])
  expect((await json('install', 'revoke', id, 'order:view,file:browse')).permissions).toEqual(['product:view'])
  expect((await json('install', 'list')).map((row: { install_id: string }) => row.install_id)).toContain(id)
  await json('install', 'remove', id)
  await refused(/There is no installation/, 'install', 'remove', id)
  expect((await json('install', 'list')).map((row: { install_id: string }) => row.install_id)).not.toContain(id)
})

test('a store is given categories and carriers', async () => {
  const store = await json('store', 'create', '--name', 'Goods')
  const of = ['--store', store.id]
  expect((await storefront(['category', 'list', ...of])).out).toBe('None yet.\n')
  const tea = await json('category', 'create', ...of, '--name', 'Tea')
  expect(tea).toEqual({ id: expect.any(String), name: 'Tea' })
  expect(await json('category', 'list', ...of)).toMatchObject([tea])

  const named = ['--name', 'Swift', '--code', 'swift', '--tracking-url', 'https://swift.example/{tracking_number}']
  const carrier = await json('carrier', 'create', ...of, ...named)
  expect(carrier).toEqual({ id: expect.any(String), name: 'Swift', code: 'swift', status: 'active' })
  expect(await json('carrier', 'disable', carrier.id)).toMatchObject({ id: carrier.id, status: 'inactive' })
  expect(await json('carrier', 'list', ...of)).toMatchObject([{ ...carrier, status: 'inactive' }])
  await refused(/There is no carrier swift/, 'carrier', 'disable', 'swift')
  await refused(/--tracking-url must be/, 'carrier', 'create', ...of, ...named.slice(0, 4), '--tracking-url', 'nowhere')
})

test('a running server lets in and shuts out at once what a command changes', async () => {
  const api = await startTestApi()
  const run = async (...words: string[]) =>
    JSON.parse((await storefront([...words, '--json'], api.connection)).out || 'null')
  const app = await run('app', 'create', '--name', 'Live')
  const where = ['--app', app.client_id, '--store', api.store.id]
  const { install_id } = await run('install', 'create', ...where, '--grant', 'product:view')
  const caller = api.anonymous.with({ authorization: `Bearer ${await api.getToken(app, { install_id })}` })
  const soon = (path: string, status: number) =>
    expect.poll(async () => (await caller.get(path)).status, { timeout: 3_000 }).toBe(status)

  await soon('/shipping-carrier', 200)
  await soon('/customer', 403)
  await run('install', 'grant', install_id, 'customer:view')
  await soon('/customer', 200)
  await run('install', 'revoke', install_id, 'customer:view')
  await soon('/customer', 403)
  await run('app', 'disable', app.client_id)
  await soon('/auth/me', 401)
})

test('migrate says what it did', async () => {
  expect(await json('migrate')).toEqual({ applied: [] })
  expect((await storefront(['migrate'])).out).toBe('The schema is up to date.\n')
})

test('backup and restore move a shop from one database to another', async () => {
  await newInstallation()
  const file = path.join(folder, 'shop.backup')
  const made = await storefront(['backup', file, '--json'])
  expect(JSON.parse(made.out)).toMatchObject({ file, bytes: expect.any(Number), blobs: 0 })
  expect(made.err).toMatch(/^store: \d+ rows$/m)
  await refused(/exists already.*--force/, 'backup', file)
  expect((await storefront(['backup', file, '--force'])).code).toBe(0)
  await refused(/holds stores or apps already/, 'restore', file)
  const empty = await cloneDatabase()
  const restored = await storefront(['restore', file, '--json'], empty)
  expect(JSON.parse(restored.out)).toMatchObject({ blobs: 0, migrated: [] })
  expect((await storefront(['store', 'list'], empty)).out).toBe((await storefront(['store', 'list'])).out)
})
