import pg from 'pg'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../tests/support/api.ts'
import { eventually } from '../../tests/support/eventually.ts'
import { startReceiver } from '../../tests/support/receiver.ts'
import { startTcpProxy } from '../../tests/support/tcp-proxy.ts'
import { databaseUrl } from '../../tests/support/test-database.ts'
import { readConfig } from '../config/config.ts'
import { runCommandLine } from './run.ts'

const listen = (api: TestApi, url: string, ...more: string[]) =>
  listenThrough(databaseUrl(api.connection), api, url, ...more)

const listenThrough = async (database: string, api: TestApi, url: string, ...more: string[]) => {
  let out = ''
  const { DATA_DIR } = api.config
  const words = ['listen', '--store', api.store.id, '--forward-to', url, '--once', ...more]
  const code = await runCommandLine(words, {
    config: () => readConfig({ DATABASE_URL: database, DATA_DIR, PORT: '1' }),
    print: async (text) => {
      out += text
    },
    say: (line) => {
      out += `${line}\n`
    },
    ask: undefined,
  })
  return { code, out, secret: /whsec_\S+/.exec(out)?.[0] as string }
}

test('listen forwards what happened since the last run, signed, in order, each event until it is accepted', async () => {
  const api = await startTestApi()
  const all = await api.as()
  let failures = 2
  const { url, received } = await startReceiver((_, reply) => reply.writeHead(failures-- > 0 ? 500 : 204).end())
  const first = await listen(api, url)
  expect([first.code, received]).toEqual([0, []])
  await all.post('/product', { title: 'Mug' })
  await all.post('/category', { name: 'Cups' })
  const second = await listen(api, url)
  expect(second.secret).toBe(first.secret)
  expect(received.map(({ event }) => event.type)).toEqual([
    'product.created',
    'product.created',
    'product.created',
    'category.created',
  ])
  for (const { headers, body } of received)
    expect(() => new Webhook(first.secret).verify(body, headers as Record<string, string>)).not.toThrow()
  expect(received[0]?.event.data.title).toBe('Mug')
  await listen(api, url)
  expect(received).toHaveLength(4)
})

test('listen sends what a webhook would send: a redirect is not followed, and every attempt has the same id', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const elsewhere = await startReceiver()
  let redirects = 1
  const { url, received } = await startReceiver((_, reply) => {
    if (redirects-- > 0) reply.writeHead(307, { location: elsewhere.url }).end('moved')
    else reply.writeHead(200).end('x'.repeat(100_000))
  })
  await listen(api, url)
  await all.post('/category', { name: 'Cups' })
  const { out } = await listen(api, url)
  expect(out).toContain('answered 307: trying again')
  expect(elsewhere.received).toEqual([])
  expect(new Set(received.map(({ id }) => id)).size).toBe(1)
  expect(received.map(({ headers }) => headers['user-agent'])).toEqual(Array(2).fill('Storefront-Apps-Webhooks/1'))
})

test('listen forwards only the types that were asked for, and refuses unknown ones', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const { url, received } = await startReceiver()
  await listen(api, url, '--types', 'category.*')
  await all.post('/product', { title: 'Mug' })
  await all.post('/category', { name: 'Cups' })
  await listen(api, url, '--types', 'category.*')
  expect(received.map(({ event }) => event.type)).toEqual(['category.created'])
  expect((await listen(api, url, '--types', 'order.paidd')).code).not.toBe(0)
  expect((await listen(api, 'file:///etc/passwd')).code).not.toBe(0)
})

test('listen waits for a database that goes away, and goes on behind the last accepted event', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const { host, port, user, password, database } = new pg.Client(api.connection)
  const proxy = await startTcpProxy(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port })
  const through = new URL('postgresql://127.0.0.1')
  Object.assign(through, { port: proxy.port, username: user, password, pathname: database })
  const { url, received } = await startReceiver((_, reply) => {
    if (received.length === 1) proxy.cut()
    reply.end()
  })
  await listenThrough(through.href, api, url)
  for (const name of ['Cups', 'Plates', 'Bowls']) await all.post('/category', { name })
  const run = listenThrough(through.href, api, url)
  await eventually(async () => expect(received).toHaveLength(1))
  await all.post('/category', { name: 'Spoons' })
  setTimeout(proxy.restore, 1_000)
  const { code, out } = await run
  expect(code, out).toBe(0)
  expect(received.map(({ event }) => event.data.name)).toEqual(['Cups', 'Plates', 'Bowls', 'Spoons'])
  expect(out).toContain('The database does not answer: trying again')
})
