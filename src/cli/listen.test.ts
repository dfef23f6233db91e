import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../tests/support/api.ts'
import { startReceiver } from '../../tests/support/receiver.ts'
import { databaseUrl } from '../../tests/support/test-database.ts'
import { readConfig } from '../config/config.ts'
import { runCommandLine } from './run.ts'

const listen = async (api: TestApi, url: string, ...more: string[]) => {
  let out = ''
  const { DATA_DIR } = api.config
  const words = ['listen', '--store', api.store.id, '--forward-to', url, '--once', ...more]
  const code = await runCommandLine(words, {
    config: () => readConfig({ DATABASE_URL: databaseUrl(api.connection), DATA_DIR, PORT: '1' }),
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
