import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type pg from 'pg'
import { Webhook } from 'standardwebhooks'
import { beforeAll, expect, test } from 'vitest'
import { startTestApi } from '../../tests/support/api.ts'
import { addCleanup } from '../../tests/support/cleanup.ts'
import { cloneDemo } from '../../tests/support/demo-store.ts'
import { startReceiver } from '../../tests/support/receiver.ts'
import { databaseUrl } from '../../tests/support/test-database.ts'
import { picture, upload } from '../../tests/support/uploads.ts'
import { eventKinds } from '../app.ts'
import { readConfig } from '../config/config.ts'
import { type Database, openDatabase } from '../core/storage/database.ts'
import { STORE } from '../demo/store.ts'
import { type Send, TRIGGERS } from '../demo/triggers.ts'
import { currentCursor } from '../resources/events/feed.ts'
import { createPaymentMethod } from '../resources/payment-methods/queries.ts'
import { createStore } from '../resources/stores/create-store.ts'
import { runCommandLine } from './run.ts'

let connection: pg.ClientConfig
let dataDir: string
let database: Database

beforeAll(async () => {
  const demo = await cloneDemo()
  connection = demo.connection
  dataDir = demo.config.DATA_DIR
  database = openDatabase(connection, { pool: 2, prepare: false, name: 'test', untimed: true })
  addCleanup(database.close)
})

const storefront = async (...words: string[]) => {
  let [out, err] = ['', '']
  const code = await runCommandLine(words, {
    config: () =>
      readConfig({ DATABASE_URL: databaseUrl(connection), DATA_DIR: dataDir, PORT: '1', LOG_LEVEL: 'silent' }),
    print: async (text) => {
      out += text
    },
    say: (line) => {
      err += `${line}\n`
    },
  })
  return { code, out, err }
}

interface Event {
  type: string
  changed: string[]
  resource: string
}

const typesOf = (events: Event[]) => events.map(({ type }) => type)

const trigger = async (name: string): Promise<Event[]> => {
  const { code, out, err } = await storefront('event', 'trigger', name, '--json')
  expect(code, `${name}: ${err}`).toBe(0)
  return JSON.parse(out)
}

test('event trigger pays an order through the API, and listen forwards the event', async () => {
  const { url, received } = await startReceiver()
  const listen = () =>
    storefront('listen', '--store', STORE.id, '--forward-to', url, '--once', '--types', 'order.updated')
  const secret = /whsec_\S+/.exec((await listen()).out)?.[0] as string
  const events = await trigger('order.paid')
  expect(typesOf(events)).toEqual(expect.arrayContaining(['order.created', 'order.updated']))
  const paid = events.find(({ changed }) => changed.includes('paid_at'))
  expect(paid).toMatchObject({ type: 'order.updated', changed: ['paid_at', 'status'] })
  const order = await database.db
    .selectFrom('orders')
    .select('status')
    .where('store_id', '=', STORE.id)
    .where('id', '=', paid?.resource as string)
    .executeTakeFirst()
  expect(order?.status).toBe('paid')
  await listen()
  expect(received.map(({ event }) => [event.type, event.app.name, event.data.status])).toEqual([
    ['order.updated', 'Demo app', 'paid'],
  ])
  const [{ body, headers }] = received as [(typeof received)[0]]
  expect(() => new Webhook(secret).verify(body, headers as Record<string, string>)).not.toThrow()
})

/** What an order goes through, where the event is order.updated. */
const PARTS: Record<string, string> = {
  'order.paid': 'paid_at',
  'order.shipped': 'deliveries.status',
  'order.delivered': 'deliveries.status',
  'order.returned': 'returns',
  'order.refunded': 'refunds.status',
  'order.cancelled': 'is_cancelled',
  'product.sold_out': 'variants.quantity',
}

test('every trigger causes the event of its name', async () => {
  const api = await startTestApi()
  const all = await api.as()
  await createPaymentMethod(api.db, api.store.id, { name: 'Card' })
  await upload(api, { file: await picture() })
  const send: Send = async (method, path, body) => {
    const reply = await all.send(method, path, body)
    expect(reply.status, `${method} ${path} ${reply.text}`).toBeLessThan(300)
    return reply.body.data
  }
  for (const [name, run] of TRIGGERS) {
    const { next_cursor } = await send('GET', '/event?cursor=now')
    await run(send)
    const { events } = await send('GET', `/event?page_size=200&cursor=${next_cursor}`)
    const isType = eventKinds.types.includes(name)
    if (isType) expect(typesOf(events), name).toContain(name)
    else
      expect(
        events.flatMap(({ changed }: Event) => changed),
        name,
      ).toContain(PARTS[name])
  }
})

test('as commands, event trigger prints events and nothing else, and listen many without a warning', async () => {
  const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, DATABASE_URL: databaseUrl(connection), DATA_DIR: dataDir, PORT: '1', METRICS: 'off' }
  const command = (...words: string[]) => promisify(execFile)(process.execPath, [main, ...words], { env })
  const { url, received } = await startReceiver()
  const listen = ['listen', '--store', STORE.id, '--forward-to', url, '--once']
  await command(...listen, '--new')
  const { stdout, stderr } = await command('event', 'trigger', 'product.created', '--json')
  expect([typesOf(JSON.parse(stdout)), stderr]).toEqual([expect.arrayContaining(['product.created']), ''])
  for (let n = 0; n < 12; n++) await trigger('category.created')
  const listened = await command(...listen, '--types', 'category.*')
  expect([received.length, listened.stderr]).toEqual([12, ''])
})

test('event trigger is refused on a store that is not a demo store, and for unknown names', async () => {
  const { db } = database
  const store = await createStore(db, { name: 'Real shop', domain: 'real.example', currency: 'TND' })
  const before = [await currentCursor(db, store.id), await currentCursor(db, STORE.id)]
  for (const [words, message] of [
    [['order.paid', '--store', store.id], /Real shop is not a demo store/],
    [['order.paid', '--store', 'x'], /There is no store x/],
    [['order.payed'], /There is no trigger order.payed\. Choose one of order\.created/],
  ] as const) {
    const { code, out, err } = await storefront('event', 'trigger', ...words)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(message)
  }
  await storefront('app', 'disable', (await appOf(db))?.client_id as string)
  expect((await storefront('event', 'trigger', 'order.paid')).err).toMatch(/is disabled: `storefront-apps demo`/)
  expect([await currentCursor(db, store.id), await currentCursor(db, STORE.id)]).toEqual(before)
})

const appOf = (db: Database['db']) =>
  db.selectFrom('app').select('client_id').where('name', '=', 'Demo app').executeTakeFirst()
