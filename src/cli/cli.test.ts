import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApi } from '../../tests/support/api.ts'
import { manifestOf } from '../../tests/support/apps.ts'
import { cloneDatabase, databaseUrl } from '../../tests/support/test-database.ts'
import { picture, upload } from '../../tests/support/uploads.ts'
import { readConfig } from '../config/config.ts'
import { masterSecret } from '../resources/auth/secrets.ts'
import { createCategory } from '../resources/categories/queries.ts'
import { PERMISSIONS } from '../resources/permissions/catalogue.ts'
import type { CommandIo } from './command-io.ts'
import { COMMANDS, runCommandLine } from './run.ts'

let folder: string
let database: pg.ClientConfig

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'storefront-cli-'))
  database = await cloneDatabase()
})

afterAll(() => rm(folder, { recursive: true, force: true }))

/** Runs one command line on a database, in this process. Returns its exit code and output. */
const storefront = async (
  words: string[],
  connection = database,
  settings: Record<string, string> = {},
  ask?: CommandIo['ask'],
) => {
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
    ask,
  })
  return { code, out, err }
}

/** The JSON output of a command that succeeded. */
const json = async (...words: string[]) => {
  const { code, out, err } = await storefront([...words, '--json'])
  // A busy machine may take longer to connect.
  expect(err.replace(/^Waiting for PostgreSQL.*\n/gm, '')).toBe('')
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

test('every command and every group has help', async () => {
  for (const { name, options = {} } of COMMANDS) {
    const { code, out, err } = await storefront([...name.split(' '), '--help'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain(`storefront-apps ${name}`)
    for (const option of [...Object.keys(options), 'json', 'help']) expect(out).toContain(`--${option}`)
  }
  for (const group of ['store', 'app', 'install', 'category', 'carrier', 'payment-method'])
    expect((await storefront([group, '--help'])).out).toContain(`${group} create`)
  expect((await storefront(['--help'])).out).toContain('rotate-secret')
  for (const command of ['install create', 'install grant', 'user create', 'user grant']) {
    const { out } = await storefront([...command.split(' '), '--help'])
    expect(out.replace(/\s+/g, ' '), command).toContain('customer:view also shows the whole latest order')
  }
  expect((await storefront(['help', 'backup'])).out).toContain('FILE')
})

test('an invalid command line is refused with the wrong word and a pointer to the help', async () => {
  await refused(/Missing: COMMAND.*storefront-apps --help/)
  await refused(/There is no command shop.*storefront-apps --help/, 'shop')
  await refused(/no command store drop: there is store create, store list/, 'store', 'drop')
  await refused(/Choose one of store create, store list/, 'store')
  await refused(/Unknown option '--colour'.*storefront-apps store create --help/, 'store', 'create', '--colour', 'red')
  await refused(/Missing: --app, --store, --grant/, 'install', 'create')
  await refused(/Missing: INSTALL_ID, PERM/, 'install', 'grant')
  await refused(/--name <value>' argument missing/, 'store', 'create', '--name')
  await refused(/--name is given twice/, 'store', 'create', '--name', 'A', '--name', 'B')
  await refused(/Must not be empty: --name/, 'app', 'create', '--name', ' ')
  await refused(/Unexpected argument: extra/, 'store', 'list', 'extra')
  await refused(/Missing: FILE/, 'backup')
})

test('every command names an invalid setting', async () => {
  const { code, out, err } = await storefront(['store', 'list'], database, { PORT: 'http', LOG_LEVEL: 'loud' })
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toMatch(/Invalid settings:\nPORT must be .*\nLOG_LEVEL must be /)
})

test('a store is created with the given values and defaults for the rest', async () => {
  const given = ['--name', 'Tea House', '--domain', 'tea.example', '--currency', 'TND']
  const tea = await json('store', 'create', ...given)
  expect(tea).toEqual({ id: expect.any(String), name: 'Tea House', domain: 'tea.example', currency: 'TND' })
  const plain = await json('store', 'create', '--name', 'Plain')
  expect(plain).toEqual({ id: expect.any(String), name: 'Plain', domain: expect.any(String), currency: 'USD' })
  await refused(/Another store has the domain tea.example/, 'store', 'create', ...given)
  expect(await json('store', 'list')).toContainEqual({ ...tea, suspended_at: null, created_at: expect.any(String) })
})

test('an invalid domain or currency is refused with a correction or an example', async () => {
  const create = ['store', 'create', '--name', 'X']
  await refused(/host name, without https:\/\/.*: --domain x\.example\n/, ...create, '--domain', 'https://x.example/')
  await refused(/--domain x\.example:8080\n/, ...create, '--domain', 'x.example:8080/shop?a=1')
  for (const domain of ['not a host', 'a..b', '.b', 'x@y', 'https://', '-a.b', 'x'.repeat(254)])
    await refused(/--domain must be a host name/, ...create, `--domain=${domain}`)
  await refused(/in capital letters: --currency TND\n/, ...create, '--currency', 'tnd')
  for (const currency of ['dinar', 'XXQ', 'T', 'ZZZ'])
    await refused(/must be a code of ISO 4217, such as TND/, ...create, '--currency', currency)
  const taken = await json(...create, '--domain', 'متجر.example:8443', '--currency', 'KWD')
  expect(taken).toMatchObject({ domain: 'متجر.example:8443', currency: 'KWD' })
})

test('updating a store changes only the given fields', async () => {
  const store = await json('store', 'create', '--name', 'Old', '--domain', 'old.example', '--currency', 'TND')
  await json('store', 'create', '--name', 'Other', '--domain', 'other.example')
  expect(await json('store', 'update', store.id, '--name', 'New')).toEqual({ ...store, name: 'New' })
  const moved = await json('store', 'update', store.id, '--domain', 'new.example', '--currency', 'EUR')
  expect(moved).toEqual({ ...store, name: 'New', domain: 'new.example', currency: 'EUR' })
  await refused(/Nothing to change: give --name, --domain, --currency, --time-zone/, 'store', 'update', store.id)
  await refused(/Another store has the domain OTHER.example/, 'store', 'update', store.id, '--domain', 'OTHER.example')
  await refused(/--domain x\n/, 'store', 'update', store.id, '--domain', 'https://x/')
  await refused(/There is no store 7/, 'store', 'update', '7', '--name', 'X')
  expect(await json('store', 'list')).toContainEqual({ ...moved, suspended_at: null, created_at: expect.any(String) })
})

test('an irreversible command runs with --yes, and asks otherwise', async () => {
  const { store, app } = await newInstallation()
  await refused(/Delete the store Shop with 0 products.*add --yes/, 'store', 'remove', store.id)
  await refused(/Delete the app App, installed on 1 store\..*add --yes/, 'app', 'remove', app.client_id)
  const asked: string[] = []
  const answering = (answer: string, ...words: string[]) =>
    storefront(words, database, {}, async (question) => {
      asked.push(question)
      return answer
    })
  for (const answer of ['', 'n', 'yesterday']) {
    const { code, out, err } = await answering(answer, 'store', 'remove', store.id)
    expect({ code, out, err }).toEqual({ code: 1, out: '', err: 'Nothing was changed.\n' })
  }
  expect(asked[0]).toMatch(/cannot be undone\. Continue\? \[y\/N\] $/)
  expect((await json('store', 'list')).map(({ id }: { id: string }) => id)).toContain(store.id)
  const { code, out } = await answering('Yes\n', 'store', 'remove', store.id, '--json')
  expect({ code, value: JSON.parse(out) }).toMatchObject({ code: 0, value: { id: store.id, products: 0, files: 0 } })
  await refused(/There is no store/, 'store', 'remove', store.id, '--yes')
  const removed = await json('app', 'remove', app.client_id, '--yes')
  expect(removed).toEqual({ client_id: app.client_id, name: 'App', installations: 0 })
  await refused(/no app with the client_id/, 'app', 'remove', app.client_id, '--yes')
  expect((await json('app', 'list')).map(({ id }: { id: string }) => id)).not.toContain(app.id)
})

test('removing a store deletes its rows and files, and leaves other stores alone', async () => {
  const [api, other] = [await startTestApi(), await startTestApi()]
  const run = (...words: string[]) => storefront(words, api.connection, { DATA_DIR: api.config.DATA_DIR })
  const blobsOf = async (store: string) => readdir(path.join(api.config.DATA_DIR, 'blobs', store), { recursive: true })
  for (const shop of [api, other]) {
    const file = await upload(shop, { file: { bytes: await picture(), name: 'a.png' } })
    const all = await shop.as()
    const { product } = (await all.post('/product', { title: 'Mug', quantity: 3, images: [{ id: file.id }] })).body.data
    const variants = [{ variant_id: product.default.id, quantity: 2 }]
    const { order } = (await all.post('/order', { status: 'paid', customer_email: 'a@b.cd', variants })).body.data
    const line = { order_variant_id: order.variants[0].id, quantity: 1 }
    expect((await all.post(`/order/${order.id}/return`, { variants: [line] })).status).toBe(201)
  }
  const caller = await api.as()
  const { code, out, err } = await run('store', 'remove', api.store.id, '--yes', '--json')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(JSON.parse(out)).toMatchObject({ id: api.store.id, products: 1, orders: 1, customers: 1, files: 1 })
  await expect.poll(async () => (await caller.get('/product')).status).toBe(403)
  // Calls are logged in the background: those from before may still arrive.
  const left = async (store: string) => {
    const { rows } = await sql<{ table: string }>`
      select c.relname::text as table from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'store_id' and not a.attisdropped
      where c.relkind = 'r' and not c.relispartition and c.relnamespace = 'public'::regnamespace
        and c.relname not in ('call_tally', 'permission_use')`.execute(api.db)
    const counts = rows.map(async ({ table }) => {
      const found = await sql`select from ${sql.table(table)} where store_id = ${store}`.execute(api.db)
      return found.rows.length > 0 ? [table] : []
    })
    return (await Promise.all(counts)).flat()
  }
  // The audit log says who removed it.
  expect(await left(api.store.id)).toEqual(['audit_entry'])
  expect((await blobsOf(api.store.id)).filter((name) => name.length > 40)).toEqual([])
  expect(await left(other.store.id)).toContain('orders')
  expect((await blobsOf(other.store.id)).filter((name) => name.length > 40)).not.toEqual([])
})

test('a table has a header, and control characters in names are replaced', async () => {
  await storefront(['store', 'create', '--name', 'Evil\u001b[2J\tname'])
  const { code, out } = await storefront(['store', 'list'])
  expect(code).toBe(0)
  expect(out).toMatch(/^ID +NAME +DOMAIN +CURRENCY +SUSPENDED_AT +CREATED_AT\n/)
  expect(out).toContain('Evil [2J name')
  const { out: one, err } = await storefront(['app', 'create', '--name', 'Shown'])
  expect(one).toMatch(/^client_secret {2}sk_\S+$/m)
  expect(err).toContain('not shown again')
})

test('a secret is shown only when it is created', async () => {
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

test('the previous secret stays valid for the given overlap, and can be ended early', async () => {
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

test('an installation gets the given permissions, in every way to write them', async () => {
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
  await refused(/No such permission: product:fly\. GET/, 'install', 'create', ...where, '--grant', 'product:fly')
  await refused(/product:viw \(did you mean product:view\?\)/, 'install', 'create', ...where, '--grant', 'product:viw')
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

test('a store is given a time zone, a language and contacts', async () => {
  const store = await json('store', 'create', '--name', 'Settled')
  const words = ['--time-zone', 'africa/tunis', '--language', 'fr-TN', '--contact-email', 'help@shop.example']
  expect(await json('store', 'update', store.id, ...words, '--contact-phone', '+216 71 000 000')).toEqual({
    ...{ ...store, time_zone: 'Africa/Tunis', language: 'fr-TN' },
    ...{ contact_email: 'help@shop.example', contact_phone: '+216 71 000 000' },
  })
  await refused(/--time-zone must be the IANA name/, 'store', 'update', store.id, '--time-zone', 'Mars/Olympus')
  await refused(/--language must be a language tag/, 'store', 'update', store.id, '--language', '?', '--name', 'Not')
  await refused(/--contact-email must be/, 'store', 'update', store.id, '--contact-email', 'nobody')
  expect((await json('store', 'list')).find(({ id }: { id: string }) => id === store.id).name).toBe('Settled')
})

test('domains are added, made primary and removed; policies are listed', async () => {
  const store = await json('store', 'create', '--name', 'Named', '--domain', `${randomUUID()}.example`)
  const of = ['--store', store.id]
  const host = `${randomUUID()}.example`
  const added = await json('domain', 'add', host.toUpperCase(), ...of)
  expect(added).toMatchObject({ id: expect.any(String), host, is_primary: false })
  await refused(/The domain is already taken/, 'domain', 'add', host, ...of)
  await refused(/The domain must be a host name/, 'domain', 'add', '127.0.0.1', ...of)
  const [own] = await json('domain', 'list', ...of)
  expect(own).toMatchObject({ host: store.domain, is_primary: true })
  await refused(/The domain cannot be deleted: it is the primary domain/, 'domain', 'remove', own.id)
  expect(await json('domain', 'primary', added.id)).toEqual({ ...added, is_primary: true })
  expect((await json('store', 'list')).find(({ id }: { id: string }) => id === store.id).domain).toBe(host)
  expect(await json('domain', 'remove', own.id)).toMatchObject({ id: own.id })
  const third = await json('domain', 'add', `${randomUUID()}.example`, '--primary', ...of)
  expect(await json('domain', 'list', ...of)).toEqual([{ ...added, is_primary: false }, third])
  await refused(/There is no domain 7/, 'domain', 'primary', '7')
  await refused(/There is no store 7/, 'domain', 'list', '--store', '7')
  expect(await json('policy', 'list', ...of)).toEqual([])
  await refused(/There is no store 7/, 'policy', 'list', '--store', '7')
})

test('categories and carriers are added to a store', async () => {
  const store = await json('store', 'create', '--name', 'Goods')
  const of = ['--store', store.id]
  expect((await storefront(['category', 'list', ...of])).out).toBe('None.\n')
  const tea = await json('category', 'create', ...of, '--name', 'Tea')
  expect(tea).toEqual({ id: expect.any(String), name: 'Tea' })
  expect(await json('category', 'list', ...of)).toMatchObject([tea])

  const named = ['--name', 'Swift', '--code', 'swift', '--tracking-url', 'https://swift.example/{tracking_number}']
  const carrier = await json('carrier', 'create', ...of, ...named)
  expect(carrier).toEqual({
    id: expect.any(String),
    name: 'Swift',
    code: 'swift',
    status: 'active',
    tracking_url: 'https://swift.example/{tracking_number}',
  })
  expect(await json('carrier', 'disable', carrier.id)).toMatchObject({ id: carrier.id, status: 'inactive' })
  expect(await json('carrier', 'list', ...of)).toMatchObject([{ ...carrier, status: 'inactive' }])
  await refused(/There is no carrier swift/, 'carrier', 'disable', 'swift')
  await refused(/--tracking-url must be/, 'carrier', 'create', ...of, ...named.slice(0, 4), '--tracking-url', 'nowhere')
})

test('renaming or deleting a category updates its products', async () => {
  const api = await startTestApi()
  const run = async (...words: string[]) => storefront([...words, '--json'], api.connection)
  const [tea, coffee] = [
    await createCategory(api.db, api.store.id, { name: 'Tea' }),
    await createCategory(api.db, api.store.id, { name: 'Coffee' }),
  ]
  const all = await api.as()
  const { product } = (await all.post('/product', { title: 'Assam', category_id: tea.id })).body.data
  const category = async () => (await all.get(`/product/${product.id}`)).body.data.product.category
  expect(JSON.parse((await run('category', 'rename', tea.id, '--name', ' Teas ')).out)).toEqual({
    id: tea.id,
    name: 'Teas',
  })
  expect(await category()).toEqual({ id: tea.id, name: 'Teas' })
  for (const [name, words] of [
    ['COFFEE', /--name belongs to another category/],
    ['x'.repeat(256), /--name must be 1 to 255/],
  ] as const)
    expect((await run('category', 'rename', tea.id, '--name', name)).err).toMatch(words)
  expect(JSON.parse((await run('category', 'delete', tea.id)).out)).toEqual({ id: tea.id, name: 'Teas' })
  expect(await category()).toBeNull()
  for (const words of [
    ['delete', tea.id],
    ['delete', 'tea'],
    ['rename', tea.id, '--name', 'X'],
  ])
    expect(await run('category', ...words)).toMatchObject({ code: 1, err: expect.stringContaining('no category') })
  expect(JSON.parse((await run('category', 'list', '--store', api.store.id)).out)).toEqual([coffee])
})

test('a carrier is updated, and can be activated again', async () => {
  const api = await startTestApi()
  const run = async (...words: string[]) => storefront([...words, '--json'], api.connection)
  const value = async (...words: string[]) => JSON.parse((await run(...words)).out)
  const url = 'https://swift.example/{tracking_number}'
  const of = ['--store', api.store.id]
  const swift = await value('carrier', 'create', ...of, '--name', 'Swift', '--code', 'swift', '--tracking-url', url)
  const other = await value('carrier', 'create', ...of, '--name', 'Other', '--code', 'other')
  await value('carrier', 'disable', swift.id)
  expect(await value('carrier', 'enable', swift.id)).toEqual(swift)
  const renamed = await value('carrier', 'update', swift.id, '--name', 'Swifter', '--code', 'swifter')
  expect(renamed).toEqual({ ...swift, name: 'Swifter', code: 'swifter' })
  const all = await api.as()
  const { order } = (await all.post('/order', {})).body.data
  const path = `/order/delivery/${order.deliveries[0].id}`
  const link = async () =>
    (await all.put(path, { tracking_number: '7', shipping_carrier: swift.id })).body.data.delivery.tracking_link
  expect(await link()).toBe('https://swift.example/7')
  await value('carrier', 'update', swift.id, '--tracking-url', 'https://new.example/?n={tracking_number}')
  expect(await link()).toBe('https://new.example/?n=7')
  await value('carrier', 'update', swift.id, '--no-tracking-url')
  expect(await link()).toBeNull()
  for (const [message, ...words] of [
    [/Nothing to change/, 'carrier', 'update', swift.id],
    [/--code belongs to another carrier/, 'carrier', 'update', swift.id, '--code', 'other'],
    [/--tracking-url must be/, 'carrier', 'update', swift.id, '--tracking-url', 'nowhere'],
    [/not both/, 'carrier', 'update', swift.id, '--tracking-url', url, '--no-tracking-url'],
    [/There is no carrier swift/, 'carrier', 'enable', 'swift'],
    [/There is no carrier/, 'carrier', 'update', api.store.id, '--name', 'X'],
  ] as [RegExp, ...string[]][])
    expect(await run(...words)).toMatchObject({ code: 1, out: '', err: expect.stringMatching(message) })
  expect(await value('carrier', 'delete', other.id)).toEqual({ id: other.id, deleted: true })
  expect(await value('carrier', 'delete', swift.id)).toEqual({ id: swift.id, deleted: false })
  expect(await value('carrier', 'list', ...of)).toMatchObject([{ id: swift.id, status: 'inactive' }])
})

test('payment methods are added to a store, and orders name them', async () => {
  const api = await startTestApi()
  const run = async (...words: string[]) => storefront([...words, '--json'], api.connection)
  const value = async (...words: string[]) => JSON.parse((await run(...words)).out)
  const of = ['--store', api.store.id]
  const cash = await value('payment-method', 'create', ...of, '--name', 'Cash')
  expect(cash).toEqual({ id: expect.any(String), name: 'Cash', status: 'active', payment_types: [], connected: false })
  const card = await value(
    'payment-method',
    'create',
    ...of,
    '--name',
    'Card',
    '--type',
    'card',
    'wallet',
    '--connected',
    'true',
  )
  expect(card).toMatchObject({ payment_types: ['card', 'wallet'], connected: true })
  expect(await value('payment-method', 'list', ...of)).toEqual([card, cash])
  const changed = await value(
    'payment-method',
    'update',
    cash.id,
    '--type',
    'cod',
    '--status',
    'inactive',
    '--name',
    'COD',
  )
  expect(changed).toEqual({ ...cash, name: 'COD', payment_types: ['cod'], status: 'inactive' })
  const { order } = (await api.as().post('/order', { payment_method_id: cash.id })).body.data
  expect(order.payment_method).toEqual(changed)
  for (const [message, ...words] of [
    [/Nothing to change/, 'update', cash.id],
    [/--connected must be true or false/, 'update', cash.id, '--connected', 'maybe'],
    [/--status must be one of active, inactive/, 'update', cash.id, '--status', 'gone'],
    [/--type must be/, 'create', ...of, '--name', 'X', '--type', 'Credit Card'],
    [/There is no payment method 7/, 'update', '7', '--name', 'X'],
    [/There is no store 7/, 'create', '--store', '7', '--name', 'X'],
    [/Missing: --store/, 'list'],
  ] as [RegExp, ...string[]][])
    expect(await run('payment-method', ...words)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(message),
    })
})

test('--version prints the release', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  expect(await storefront(['--version'])).toEqual({ code: 0, out: `storefront-apps ${version}\n`, err: '' })
  expect(JSON.parse((await storefront(['--version', '--json'])).out)).toEqual({ version })
})

test('access granted or revoked by a command takes effect at once on a running server', async () => {
  const api = await startTestApi()
  const run = async (...words: string[]) =>
    JSON.parse((await storefront([...words, '--json'], api.connection)).out || 'null')
  const app = await run('app', 'create', '--name', 'Live')
  const where = ['--app', app.client_id, '--store', api.store.id]
  const { install_id } = await run('install', 'create', ...where, '--grant', 'product:view')
  const caller = api.anonymous.with({ authorization: `Bearer ${await api.getToken(app, { install_id })}` })
  const soon = (path: string, status: number) => expect.poll(async () => (await caller.get(path)).status).toBe(status)

  await soon('/shipping-carrier', 200)
  await soon('/customer', 403)
  await run('install', 'grant', install_id, 'customer:view')
  await soon('/customer', 200)
  await run('install', 'revoke', install_id, 'customer:view')
  await soon('/customer', 403)
  await run('app', 'disable', app.client_id)
  await soon('/auth/me', 401)
})

test('migrate reports what it did', async () => {
  expect(await json('migrate')).toEqual({ applied: [] })
  expect((await storefront(['migrate'])).out).toBe('The schema is up to date.\n')
})

test('backup and restore move a shop from one database to another', async () => {
  await newInstallation()
  const file = path.join(folder, 'shop.backup')
  const made = await storefront(['backup', file, '--json'])
  expect(JSON.parse(made.out)).toMatchObject({ file, bytes: expect.any(Number), blobs: 0 })
  expect(made.err).toMatch(/^store: \d+ rows$/m)
  await refused(/already exists.*--force/, 'backup', file)
  expect((await storefront(['backup', file, '--force'])).code).toBe(0)
  await refused(/already has stores or apps/, 'restore', file)
  const empty = await cloneDatabase()
  const restored = await storefront(['restore', file, '--json'], empty)
  expect(JSON.parse(restored.out)).toMatchObject({ blobs: 0, migrated: [] })
  expect((await storefront(['store', 'list'], empty)).out).toBe((await storefront(['store', 'list'])).out)
})

test('event tail shows what happened in a store, who did it, and nothing of another store', async () => {
  const one = await json('store', 'create', '--name', 'Watched')
  const other = await json('store', 'create', '--name', 'Other')
  const carrier = await json('carrier', 'create', '--store', one.id, '--name', 'Swift', '--code', 'swift')
  await json('carrier', 'create', '--store', other.id, '--name', 'Elsewhere', '--code', 'elsewhere')
  await json('carrier', 'update', carrier.id, '--name', 'Swifter')
  const { code, out } = await storefront(['event', 'tail', '--store', one.id, '--once'])
  expect(code).toBe(0)
  const lines = out.trimEnd().split('\n')
  expect(lines).toHaveLength(3)
  expect(lines[0]).toMatch(/^\d{4}-\S+Z {2}#1 {2}domain.created +\S+$/)
  expect(lines[1]).toMatch(new RegExp(`^\\d{4}-\\S+Z  #2  shipping_carrier.created +${carrier.id}$`))
  expect(lines[2]).toMatch(new RegExp(`#3  shipping_carrier.updated +${carrier.id}  name$`))
  const last = await storefront(['event', 'tail', '--store', one.id, '--once', '--last', '1', '--json'])
  expect(JSON.parse(last.out)).toMatchObject({ position: 3, changed: ['name'] })
  await refused(/There is no store/, 'event', 'tail', '--store', carrier.id, '--once')
})

test('webhook list, pause and resume: the app sees who paused it', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const { webhook } = (await all.post('/webhook', { url: 'https://receiver.example/', types: ['*'] })).body.data
  const run = async (...words: string[]) => storefront(['webhook', ...words], api.connection)
  const value = async (...words: string[]) => JSON.parse((await run(...words, '--json')).out)
  const shown = { id: webhook.id, store_id: api.store.id, app: 'Test app', url: webhook.url, behind: 0, waiting: 0 }
  expect(await value('list', '--store', api.store.id)).toMatchObject([{ ...shown, state: 'on' }])
  expect(await value('list', '--store', api.store.id, '--paused')).toEqual([])
  expect(await value('pause', webhook.id)).toMatchObject({ state: 'paused', reason: 'operator' })
  expect((await all.get(`/webhook/${webhook.id}`)).body.data.webhook).toMatchObject({ reason: 'operator' })
  await expect.poll(async () => (await all.get('/webhook')).headers.get('x-webhook-paused')).toBe(webhook.id)
  expect((await run('list', '--paused')).out).toContain(webhook.id)
  expect(await value('resume', webhook.id, '--from', 'now')).toMatchObject({ state: 'on', reason: null })
  for (const words of [
    ['pause', randomUUID()],
    ['resume', 'x'],
    ['list', '--store', 'x'],
    ['resume', webhook.id, '--from', 'then'],
  ])
    expect((await run(...words)).code, words.join(' ')).toBe(1)
})

test('an app is registered from a manifest, listed, refreshed, and its lifecycle secret rotated', async () => {
  const file = path.join(folder, 'manifest.json')
  const manifest = await manifestOf({ name: 'Registered' })
  await writeFile(file, JSON.stringify(manifest))
  const app = await json('app', 'create', '--manifest', file, '--listed')
  expect(app).toMatchObject({ name: 'Registered', lifecycle_secret: expect.stringMatching(/^whsec_/) })
  await writeFile(file, JSON.stringify({ ...manifest, name: 'Renamed' }))
  expect(await json('app', 'refresh', app.client_id, '--manifest', file)).toMatchObject({
    name: 'Renamed',
    state: 'listed',
  })
  expect(await json('app', 'update', app.client_id, '--listing', 'unlisted')).toMatchObject({ state: 'unlisted' })
  const shown = await json('app', 'lifecycle-secret', app.client_id)
  expect(shown.lifecycle_secret).toBe(app.lifecycle_secret)
  const rotated = await json('app', 'lifecycle-secret', app.client_id, '--rotate')
  expect(rotated.lifecycle_secret).not.toBe(app.lifecycle_secret)
  await json('app', 'disable', app.client_id)
  await writeFile(file, JSON.stringify({ ...manifest, name: 'RENAMED', url: 'http://counter.example' }))
  await refused(/url must start with https/, 'app', 'create', '--manifest', file)
  await refused(/registered from a file/, 'app', 'refresh', app.client_id)
  await refused(/--name or --manifest/, 'app', 'create')
  await refused(/one of listed, unlisted/, 'app', 'update', app.client_id, '--listing', 'hidden')
})

test('a store gets a plan, and its invoices are listed, paid and cancelled', async () => {
  const store = await json('store', 'create', '--name', 'Debtor', '--currency', 'TND')
  const plan = (name: string, price: string) =>
    json('plan', 'create', '--name', name, '--price', price, '--currency', 'TND', '--limit', 'apps=3')
  const [dear, cheap] = [await plan('Dear', '60'), await plan('Cheap', '30')]
  expect(await json('plan', 'assign', store.id, 'cheap')).toMatchObject({ plan_id: cheap.id, amount: 30 })
  expect(await json('plan', 'assign', store.id, dear.id)).toMatchObject({ plan_id: dear.id, currency: 'TND' })
  const list = (...more: string[]) => json('invoice', 'list', '--store', store.id, ...more)
  const [second, first] = await list()
  expect([first, second]).toMatchObject([{ status: 'open', store_name: 'Debtor' }, { number: first.number + 1 }])
  const client = new pg.Client(database)
  await client.connect()
  await client.query(`update invoice set due_at = now() - interval '1 hour' where id = $1`, [first.id])
  await client.end()
  expect(await list('--status', 'overdue')).toMatchObject([{ id: first.id, status: 'overdue' }])
  expect(await list('--status', 'open')).toMatchObject([{ id: second.id }])
  await refused(/--status must be one of/, 'invoice', 'list', '--status', 'late')
  await json('invoice', 'paid', first.id, '--reference', 'Transfer 77')
  await json('invoice', 'paid', first.id, '--reference', 'Transfer 77')
  await refused(/this one is paid/, 'invoice', 'paid', first.id, '--reference', 'Transfer 78')
  await refused(/not paid/, 'invoice', 'void', first.id, '--yes')
  await json('invoice', 'void', second.id, '--yes')
  expect((await list()).map(({ status }: { status: string }) => status)).toEqual(['void', 'paid'])
  await refused(/There is no plan/, 'plan', 'assign', store.id, 'Golden')
  await refused(/There is no invoice/, 'invoice', 'paid', randomUUID())
})

test('plans and registered apps are printed with their limits and permissions', async () => {
  const create = ['plan', 'create', '--name', 'Pro', '--price', '49', '--currency', 'TND']
  const made = await storefront([...create, '--limit', 'products=5000', '--limit', 'storage=1GB'])
  expect(made.out).toMatch(/^limits +products=5000 storage=1073741824$/m)
  expect((await storefront(['plan', 'list'])).out).toContain('products=5000 storage=1073741824')
  expect((await storefront(['plan', 'update', 'Pro', '--limit', 'storage='])).out).toMatch(/^limits +products=5000$/m)
  const file = path.join(folder, 'printed.json')
  await writeFile(file, JSON.stringify(await manifestOf()))
  const { client_id } = await json('app', 'create', '--manifest', file)
  for (const words of [
    ['app', 'refresh', client_id, '--manifest', file],
    ['app', 'update', client_id, '--listing', 'listed'],
  ]) {
    const { out } = await storefront(words)
    expect(out).toMatch(/^required +product:view$/m)
    expect(out).not.toContain('[object')
  }
})

test('webhook replay, rotate and test: the acts of the console, recorded as done by the command line', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const { webhook } = (await all.post('/webhook', { url: 'https://receiver.invalid/', types: ['*'] })).body.data
  // The secrets that the server derives, too.
  const settings = { TOKEN_SECRET: await masterSecret(api.db, api.config) }
  const run = async (...words: string[]) => storefront(['webhook', ...words, '--json'], api.connection, settings)
  const { out } = await run('rotate', webhook.id, '--keep-old', '30m')
  expect(JSON.parse(out)).toEqual({ id: webhook.id, secret: expect.stringMatching(/^whsec_/) })
  expect((await all.get(`/webhook/${webhook.id}`)).body.data.webhook.previous_secret_until).not.toBeNull()
  await all.post('/product', { title: 'Mug', price: 5 })
  const replayed = await run('replay', webhook.id, '--since', '2026-01-01', '--until', '2099-01-01')
  expect(JSON.parse(replayed.out)).toEqual({ id: webhook.id, events: expect.any(Number) })
  // Nobody answers there: the command says so, and fails.
  const tested = await run('test', webhook.id)
  expect(tested.code).toBe(1)
  expect(JSON.parse(tested.out)).toMatchObject({ is_delivered: false, status: null, error: expect.any(String) })
  for (const [words, message] of [
    [['replay', webhook.id], /Give --failed, --event/],
    [['replay', webhook.id, '--failed', '--event', 'x'], /--since give a time range, ids, or failed/],
    [['replay', webhook.id, '--since', 'yesterday'], /--since/],
    [['replay', randomUUID(), '--failed'], /There is no webhook/],
    [['rotate', webhook.id, '--keep-old', '8d'], /7d at most/],
    [['test', 'x'], /There is no webhook/],
  ] as const) {
    const refused = await run(...words)
    expect(refused.code, words.join(' ')).toBe(1)
    expect(refused.err).toMatch(message)
  }
  const listed = await storefront(['audit', 'list', '--store', api.store.id, '--json'], api.connection)
  const entries = JSON.parse(listed.out).filter(({ act }: { act: string }) => act.endsWith('_webhook'))
  expect(entries.map(({ act, actor, subject }: Record<string, string>) => [act, actor, subject])).toEqual(
    ['test_webhook', 'replay_webhook', 'rotate_webhook'].map((act) => [act, 'command line', webhook.url]),
  )
  expect(listed.out).not.toContain(JSON.parse(out).secret)
})

test('calls, their errors and unused permissions are shown, and the latter revoked and given back', async () => {
  const api = await startTestApi()
  const app = await api.install(['product:view', 'product:create', 'review:view'])
  const caller = api.anonymous.with({ authorization: `Bearer ${await api.getToken(app, { ...app })}` })
  await caller.get('/product')
  await caller.post('/product', { title: '' }, { 'x-request-id': 'bad-title' })
  await caller.post('/customer', {}, { 'x-request-id': 'no-right' })
  await api.services.calls.flush()
  const run = async (...words: string[]) => storefront([...words, '--json'], api.connection)
  const value = async (...words: string[]) => {
    const { out, err } = await run(...words)
    expect(err.replace(/^Waiting for PostgreSQL.*\n/gm, '')).toBe('')
    return JSON.parse(out)
  }
  const own = ['--app', app.client_id]
  expect(await value('call', 'show', 'bad-title', ...own)).toMatchObject([
    { method: 'POST', status: 422, code: 'validation_failed', fields: ['title'] },
  ])
  expect(await value('call', 'show', 'no-right')).toMatchObject([{ status: 403, permission: 'customer:create' }])
  expect((await run('call', 'show', 'never-sent')).err).toMatch(/no call never-sent in the log/)
  expect(await value('call', 'list', ...own, '--status', '4xx')).toHaveLength(2)
  expect(await value('call', 'errors', ...own)).toContainEqual(
    expect.objectContaining({ code: 'validation_failed', field: 'title', count: 1, request_id: 'bad-title' }),
  )

  const unused = ['permission', 'unused', '--store', api.store.id]
  const listed = await value(...unused)
  expect(listed.find(({ installation }: { installation: string }) => installation === app.install_id)).toMatchObject({
    unused: ['review:view'],
  })
  const other = await startTestApi()
  expect(await value('permission', 'unused', '--store', other.store.id), 'of another store').toEqual([])
  expect((await run(...unused, ...own, '--revoke')).err).toMatch(/review:view[\s\S]*add --yes/)
  const { undo, revoked } = await value(...unused, ...own, '--revoke', '--yes')
  expect(revoked).toBe(1)
  expect(await value(...unused, ...own)).toEqual([])
  expect((await caller.get('/review')).status).toBe(403)
  expect(await value('permission', 'restore', ...undo)).toEqual({ restored: 1 })
  expect((await caller.get('/review')).status).toBe(200)
  expect((await run('permission', 'restore', 'x')).err).toMatch(/no ids: x/)
  expect((await run('permission', 'unused', '--days', '0')).err).toMatch(/--days must be a number/)
})

test('what the command line does to apps, installations and sessions is in the audit log, which it lists', async () => {
  const app = await json('app', 'create', '--name', 'Audited')
  const store = await json('store', 'create', '--name', 'Audited')
  const installed = ['--app', app.client_id, '--store', store.id, '--grant', 'order:view']
  const { install_id } = await json('install', 'create', ...installed)
  await json('install', 'grant', install_id, 'product:view')
  await json('install', 'revoke', install_id, 'product:view')
  await json('install', 'remove', install_id)
  await json('app', 'disable', app.client_id)
  await json('app', 'enable', app.client_id)
  const { client_secret } = await json('app', 'rotate-secret', app.client_id, '--keep-old', '1h')
  await json('app', 'remove', app.client_id, '--yes')
  const entries = await json('audit', 'list', '--search', 'Audited', '--limit', '20')
  expect(entries.map(({ act, after }: { act: string; after: object | null }) => [act, after])).toEqual([
    ['remove_app', null],
    ['rotate_secret', { keep_old_seconds: 3600, tokens_revoked: false }],
    ['update_app', { disabled: false }],
    ['update_app', { disabled: true }],
    ['uninstall_app', null],
    ['change_permissions', { permissions: ['order:view'] }],
    ['change_permissions', { permissions: ['order:view', 'product:view'] }],
    ['install_app', { permissions: ['order:view'] }],
    ['create_store', null],
    ['register_app', null],
  ])
  expect(JSON.stringify(entries)).not.toContain(client_secret)
  expect(await json('audit', 'list', '--act', 'remove_app', '--limit', '1')).toHaveLength(1)
  await refused(/--act must be one of/, 'audit', 'list', '--act', 'fly')
  await refused(/--limit must be a number/, 'audit', 'list', '--limit', '0')
  await refused(/no account/, 'audit', 'list', '--by', 'nobody@shop.example')
  // A refused change leaves no entry.
  await refused(/no app/, 'app', 'disable', app.client_id)
  expect((await json('audit', 'list', '--search', 'Audited'))[0].act).toBe('remove_app')
  await refused(/no account/, 'user', 'sessions', 'nobody@shop.example')
  await refused(/no account/, 'user', 'sign-out', 'nobody@shop.example')
})
