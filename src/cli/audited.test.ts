import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { manifestOf } from '../../tests/support/apps.ts'
import { addCleanup } from '../../tests/support/cleanup.ts'
import { cloneDemo } from '../../tests/support/demo-store.ts'
import { temporaryFolder } from '../../tests/support/server-process.ts'
import { createEmptyDatabase, databaseUrl } from '../../tests/support/test-database.ts'
import { readConfig } from '../config/config.ts'
import { type Db, openDatabase } from '../core/storage/database.ts'
import { APP, STORE } from '../demo/store.ts'
import { COMMANDS, runCommandLine } from './run.ts'

/** They change nothing that is stored, or only files of whoever runs them. */
const READING = [
  'serve',
  'doctor',
  'backup',
  'export',
  'listen',
  'event tail',
  'app scaffold',
  'audit list',
  'call list',
  'call show',
  'call errors',
  ...[
    'app',
    'carrier',
    'category',
    'domain',
    'install',
    'invoice',
    'payment-method',
    'plan',
    'policy',
    'role',
    'store',
  ].map((group) => `${group} list`),
  'user list',
  'user invitations',
  'user sessions',
  'webhook list',
]

/** Needs a cluster. */
const ELSEWHERE = ['distribute']

interface Entry {
  id: string
  act: string
  actor: string
  subject: string
}

const read = (db: Db): Promise<Entry[]> =>
  db.selectFrom('audit_entry').select(['id', 'act', 'actor', 'subject']).orderBy('at').orderBy('id').execute()

const connect = (connection: pg.ClientConfig) => {
  const database = openDatabase(connection, { pool: 1, prepare: false, name: 'test', untimed: true })
  addCleanup(database.close)
  return { connection, db: database.db }
}

/** A webhook of the demo app, and a person who has redeemed a link. */
const prepare = async (db: Db) => {
  const { rows } = await sql<{ id: string }>`insert into webhook
    (store_id, installation_id, url, types, key_mark, position, n, app_id)
    select store_id, id, 'https://receiver.invalid/', '{order.*}', 'x', 0, 0, app_id
    from installation where store_id = ${STORE.id} and app_id = ${APP.id} returning id`.execute(db)
  await sql`insert into account (email, email_key, password) values ('amina@shop.example', 'amina@shop.example', 'x')`.execute(
    db,
  )
  return rows[0]?.id as string
}

test('every command that changes something leaves an entry in the audit log', async () => {
  const { connection, config } = await cloneDemo()
  const place = connect(connection)
  const { db } = place
  const folder = await temporaryFolder()
  const webhook = await prepare(db)
  const tried = new Set<string>()

  /** Runs a command and returns what it printed, and the entries that it left. */
  const run = async (words: string[], on = place) => {
    const before = new Set(on === place ? (await read(db)).map(({ id }) => id) : [])
    let [out, err] = ['', '']
    const code = await runCommandLine([...words, '--json'], {
      config: () =>
        readConfig({
          DATABASE_URL: databaseUrl(on.connection),
          DATA_DIR: config.DATA_DIR,
          TOKEN_SECRET: config.TOKEN_SECRET as string,
          PORT: '1',
          LOG_LEVEL: 'silent',
        }),
      print: async (text) => {
        out += text
      },
      say: (line) => {
        err += `${line}\n`
      },
    })
    const left = (await read(on.db)).flatMap(({ id, ...entry }) => (before.has(id) ? [] : [entry]))
    return { code, out, err, left }
  }

  /** A command that changes something. */
  const changes = async (command: string, ...more: string[]) => {
    tried.add(command)
    const { code, out, err, left } = await run([...command.split(' '), ...more])
    // Nobody receives what is tested.
    expect(code, `${command}: ${err}`).toBe(command === 'webhook test' ? 1 : 0)
    expect(left.length, `${command} leaves an entry`).toBeGreaterThan(0)
    for (const { actor, act, subject } of left) {
      expect(actor).toBe('command line')
      if (act === 'run_command') expect(subject).toMatch(new RegExp(`^${command}( |$)`))
    }
    return JSON.parse(out)
  }

  const file = async (name: string, content: unknown) => {
    const place = path.join(folder, name)
    await writeFile(place, typeof content === 'string' ? content : JSON.stringify(content))
    return place
  }

  const shop = await changes('store create', '--name', 'Walked')
  const store = ['--store', shop.id]
  await changes('store update', shop.id, '--name', 'Walked on')
  await changes('store suspend', shop.id)
  await changes('store resume', shop.id)

  const rugs = await changes('category create', ...store, '--name', 'Rugs')
  await changes('category rename', rugs.id, '--name', 'Carpets')
  await changes('category delete', rugs.id)
  const swift = await changes('carrier create', ...store, '--name', 'Swift', '--code', 'swift')
  await changes('carrier update', swift.id, '--name', 'Swifter')
  await changes('carrier disable', swift.id)
  await changes('carrier enable', swift.id)
  await changes('carrier delete', swift.id)
  const cash = await changes('payment-method create', ...store, '--name', 'Cash')
  await changes('payment-method update', cash.id, '--name', 'Cash on delivery')
  const first = await changes('domain add', 'walked.example', ...store)
  await changes('domain primary', first.id)
  const second = await changes('domain add', 'other.example', ...store)
  await changes('domain remove', second.id)
  await changes('import', await file('products.ndjson', '{"title":"Mug"}\n'), ...store)

  const terms = ['--currency', 'TND', '--limit', 'apps=30']
  await changes('plan create', '--name', 'Basic', '--price', '10', ...terms)
  await changes('plan create', '--name', 'Pro', '--price', '30', ...terms)
  await changes('plan update', 'Pro', '--price', '35')
  const paid = await changes('plan assign', shop.id, 'Basic')
  const open = await changes('plan assign', shop.id, 'Pro')
  await changes('invoice paid', paid.invoice_id)
  await changes('invoice void', open.invoice_id, '--yes')

  const manifest = await manifestOf({ name: 'Walked app' })
  const registered = await changes('app create', '--manifest', await file('manifest.json', manifest))
  const renamed = await file('renamed.json', { ...manifest, name: 'Renamed app' })
  await changes('app refresh', registered.client_id, '--manifest', renamed)
  await changes('app update', registered.client_id, '--listing', 'listed')
  await changes('app lifecycle-secret', registered.client_id, '--rotate')
  const app = await changes('app create', '--name', 'Plain')
  await changes('app rotate-secret', app.client_id, '--keep-old', '1h')
  await changes('app end-old-secret', app.client_id)
  await changes('app disable', app.client_id)
  await changes('app enable', app.client_id)
  const grant = ['--grant', 'order:view', 'product:view']
  const { install_id } = await changes('install create', '--app', app.client_id, ...store, ...grant)
  await changes('install grant', install_id, 'review:view')
  await changes('install revoke', install_id, 'review:view')
  const own = ['--app', app.client_id]
  const { undo } = await changes('permission unused', ...own, '--revoke', '--yes')
  await changes('permission restore', ...undo)
  await changes('install remove', install_id)

  await changes('console link')
  await changes('console second-factor', '--require', 'operators')
  await changes('console second-factor', '--require', 'nobody')
  await changes('user create', '--email', 'new@shop.example', '--role', 'owner', ...store)
  await changes('user link', 'amina@shop.example')
  await changes('user grant', 'amina@shop.example', '--role', 'owner', ...store)
  await changes('user revoke', 'amina@shop.example', '--role', 'owner', ...store)
  await changes('user sign-out', 'amina@shop.example')
  await changes('user clear-second-factor', 'amina@shop.example')
  await changes('user disable', 'amina@shop.example')
  await changes('user enable', 'amina@shop.example')
  const role = ['Packers', ...store]
  await changes('role create', ...store, '--name', 'Packers', '--grant', 'order:view')
  await changes('role update', ...role, '--grant', 'order:update')
  await changes('role delete', ...role)

  await changes('webhook pause', webhook)
  await changes('webhook resume', webhook)
  await changes('webhook replay', webhook, '--since', '2020-01-01', '--until', '2020-01-02')
  await changes('webhook rotate', webhook)
  await changes('webhook test', webhook)
  await changes('event trigger', 'review.created')

  await sql`delete from product_text where store_id = ${STORE.id}`.execute(db)
  expect((await run(['doctor', '--all', '--repair'])).left).toEqual([
    { act: 'run_command', actor: 'command line', subject: 'doctor --repair' },
  ])
  const backup = path.join(folder, 'shop.backup')
  expect((await run(['backup', backup])).left).toEqual([])
  await changes('app remove', app.client_id, '--yes')
  await changes('store remove', shop.id, '--yes')
  await changes('demo remove')
  await changes('demo')
  // The demo store was there.
  expect((await run(['demo'])).left).toEqual([])

  const empty = connect(await createEmptyDatabase())
  expect((await run(['migrate'], empty)).left.map(({ subject }) => subject)).toEqual(['migrate'])
  const restored = await run(['restore', backup], empty)
  expect(restored.code, restored.err).toBe(0)
  expect(restored.left.at(-1)).toEqual({ act: 'run_command', actor: 'command line', subject: 'restore' })
  for (const name of ['migrate', 'restore']) tried.add(name)

  const known = new Set([...tried, ...READING, ...ELSEWHERE])
  expect(
    COMMANDS.map(({ name }) => name).filter((name) => !known.has(name)),
    'commands that this test does not know',
  ).toEqual([])
}, 240_000)
