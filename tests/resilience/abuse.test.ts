import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { API_PREFIX } from '../../src/config/config.ts'
import type { JsonSchema } from '../../src/core/input/validation-messages.ts'
import { startTestApi, type TestApi } from '../support/api.ts'
import type { Reply } from '../support/caller.ts'
import { addProduct } from '../support/products.ts'
import { form } from '../support/uploads.ts'
import { fingerprint } from './fingerprint.ts'
import { recordResult } from './results-table.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const ID = '00000000-0000-7000-8000-000000000000'

const pathOf = (url: string) => url.slice(API_PREFIX.length).replace(/:\w+/g, ID)

const writes = (api: TestApi) =>
  api.app.routeTable.filter(({ method, schema, url }) => method !== 'GET' && schema.body && url.startsWith(API_PREFIX))

const lists = (api: TestApi) =>
  api.app.routeTable.filter(
    ({ method, schema, url }) =>
      method === 'GET' &&
      url.startsWith(API_PREFIX) &&
      'page' in ((schema.querystring as JsonSchema)?.properties ?? {}),
  )

/** Rejected with a 4xx and a reason, not with a 5xx. */
const expectReason = (reply: Reply, about: string) => {
  expect(reply.status, `${about}: ${reply.text.slice(0, 300)}`).toBeGreaterThanOrEqual(400)
  expect(reply.status, `${about}: ${reply.text.slice(0, 300)}`).toBeLessThan(500)
  expect(reply.body.message.length, about).toBeGreaterThan(10)
}

test('deeply nested JSON is rejected by every endpoint that takes a body', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const deep = ['['.repeat(100_000), '{"a":'.repeat(100_000), '['.repeat(100_000) + ']'.repeat(100_000)]
  let tried = 0
  for (const { method, url } of writes(api)) {
    for (const body of [...deep, `{"meta_data":${deep[2]}}`]) {
      expectReason(await all.send(method, pathOf(url), body, JSON_TYPE), `${method} ${url}`)
      tried++
    }
  }
  for (const path of ['/product', '/review'])
    expect(await all.post(path, form({ metadata: deep[2] as string }))).toBeRefused(400, 'metadata')
  recordResult({ case: 'abuse: JSON nested 100,000 deep', tried: tried + 2, lost: 0 })
})

test('meta_data of an order may be 60 levels deep and reads back unchanged', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const nest = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)
  const kept = await all.post('/order', { meta_data: nest(60) })
  expect(kept.status).toBe(201)
  expect(kept.body.data.order.meta_data).toEqual(nest(60))
  expect(await all.post('/order', { meta_data: nest(64) })).toFailWith('bad_request')
  const brackets = '[{"'.repeat(500)
  expect((await all.post('/order', { meta_data: { brackets } })).body.data.order.meta_data).toEqual({ brackets })
})

test('a compressed body is rejected with 415 by every endpoint that takes a body', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const bomb = gzipSync(Buffer.alloc(20_000_000, 32))
  let tried = 0
  for (const { method, url } of writes(api)) {
    for (const encoding of ['gzip', 'br', 'deflate', 'GZIP', 'gzip, gzip', 'x-unknown']) {
      const reply = await all.send(method, pathOf(url), bomb, { ...JSON_TYPE, 'content-encoding': encoding })
      expect(reply, `${method} ${url}`).toFailWith('unsupported_media_type')
      expect(reply.body.message).toContain('Content-Encoding')
      tried++
    }
  }
  expect((await all.post('/order', '{}', { ...JSON_TYPE, 'content-encoding': 'identity' })).status).toBe(201)
  recordResult({ case: 'abuse: compressed bodies', tried, lost: 0 })
})

test('keys such as __proto__ have no effect, and are stored in meta_data like any other', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const evil =
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":"x","hasOwnProperty":1}'
  for (const { method, url } of writes(api)) {
    const reply = await all.send(method, pathOf(url), evil, JSON_TYPE)
    expect(reply.status, `${method} ${url}: ${reply.text}`).toBeLessThan(500)
  }
  const reply = await all.post('/order', `{"meta_data":${evil},"variants":[{"__proto__":{"quantity":1}}]}`, JSON_TYPE)
  expect(reply).toBeRefused(422, 'variants.0.variant_id', 'variants.0.quantity')
  const kept = await all.post('/order', `{"meta_data":${evil}}`, JSON_TYPE)
  expect(kept.status, kept.text).toBe(201)
  const read = await all.get(`/order/${kept.body.data.order.id}`)
  expect(JSON.stringify(read.body.data.order.meta_data)).toContain('"__proto__":{"polluted":true}')
  const query = await all.get('/product?__proto__=1&__proto__[]=2&constructor=3&toString=4&page.__proto__=5')
  expect(query.status).toBe(200)
  expect(query.headers.get('x-ignored-input')).toContain('constructor')
  expect((await all.post('/product', form({ metadata: evil, __proto__: 'x', constructor: 'y' }))).status).toBe(422)
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  recordResult({ case: 'abuse: __proto__ and similar keys', tried: writes(api).length + 5, lost: 0 })
})

test('invalid text is rejected with the name of its field, as a value and as a key', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const before = await fingerprint(api.db)
  const order = (meta: string) => all.post('/order', `{"meta_data":${meta}}`, JSON_TYPE)
  for (const odd of ['\\u0000', '\\ud800', '\\udc00', 'a\\ud83d', '\\udc00\\ud800']) {
    expect(await all.post('/order', `{"customer_city":"${odd}"}`, JSON_TYPE), odd).toBeRefused(422, 'customer_city')
    expect(await all.post('/customer', `{"email":"a@b.example","name":"${odd}"}`, JSON_TYPE)).toBeRefused(422, 'name')
    expect(await order(`{"deep":[{"x":"${odd}"}]}`), odd).toBeRefused(422, 'meta_data.deep.0.x')
    expectReason(await order(`{"${odd}":1}`), `key ${odd}`)
    expectReason(await order(`{"deep":[{"${odd}":{"x":1}}]}`), `deep key ${odd}`)
  }
  const invalid = Buffer.concat([Buffer.from('{"customer_city":"'), Buffer.from([0xff, 0xc0, 0x80]), Buffer.from('"}')])
  expect(await all.post('/order', invalid, JSON_TYPE)).toFailWith('bad_request')
  expect(await fingerprint(api.db)).toEqual(before)
  recordResult({ case: 'abuse: NUL, lone surrogates, invalid UTF-8', tried: 26, lost: 0 })
})

test('numbers out of range are rejected, not rounded', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const order = (body: string) => all.post('/order', body, JSON_TYPE)
  for (const number of ['1e400', '-1e400', '1e21', '-1', '1e-9', '99999999999999999999'])
    expect(await order(`{"shipping_rate":${number}}`), number).toBeRefused(422, 'shipping_rate')
  expect(await order('{"meta_data":{"a":[1e400]}}')).toBeRefused(422, 'meta_data.a.0')
  for (const number of [
    '1e22',
    '-1e308',
    '1e-22',
    '5e-324',
    '9007199254740993',
    '12345678901234567890',
    '0.1234567890123456789',
  ])
    expect(await order(`{"meta_data":{"a":[0,${number}]}}`), number).toBeRefused(422, 'meta_data.a.1')
  const zero = await order(
    '{"shipping_rate":-0,"meta_data":{"tiny":1e-21,"big":1e21,"id":9007199254740991,"minus":-0}}',
  )
  expect(zero.body.data.order).toMatchObject({
    shipping_rate: 0,
    meta_data: { tiny: 1e-21, big: 1e21, id: 9007199254740991 },
  })
  expect(zero.text).toMatch(/"id": ?9007199254740991\b/)
  for (const word of ['NaN', 'Infinity', '0x10', '01', '.5', '+1'])
    expect(await order(`{"shipping_rate":${word}}`), word).toFailWith('bad_request')
  const page = async (text: string) => (await all.get(`/order?page=${text}`)).status
  expect(await page('1000000000')).toBe(200)
  for (const text of ['1e9', '1000000001', '99999999999999999999', '-0', '0x1', '1.5', 'NaN', '१'])
    expect(await page(encodeURIComponent(text)), text).toBe(422)
  recordResult({ case: 'abuse: numbers out of range', tried: 30, lost: 0 })
})

test('of a duplicate key, the last value counts everywhere', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const reply = await all.post(
    '/order',
    '{"customer_city":"a","customer_city":"b","meta_data":{"k":1,"k":2}}',
    JSON_TYPE,
  )
  expect(reply.body.data.order).toMatchObject({ customer_city: 'b', meta_data: { k: 2 } })
  expect(await all.get('/order?page=1&page=2')).toBeRefused(422, 'page')
})

test('bodies with 100,000 entries are rejected quickly and with a short message', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const many = (item: string, count: number) => `[${Array(count).fill(item).join()}]`
  const keys = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":1`).join()
  const hostile: [string, string][] = [
    ['/order', `{"variants":${many('1', 500_000)}}`],
    ['/order', `{"variants":${many('{}', 400_000)}}`],
    ['/order', `{"variants":${many('{"x":"\\u0000"}', 200_000)}}`],
    ['/order', `{"meta_data":${`{"a":${many('"\\u0000"', 300_000)}}`}}`],
    ['/order', `{"customer_city":"${'x'.repeat(3_000_000)}"}`],
    ['/product', `{"title":"a","variants":${many('{"values":[{}]}', 200_000)}}`],
    ['/product', `{"title":"a","images":${many('"x"', 500_000)}}`],
    ['/review', `{"image_ids":${many('0', 1_000_000)}}`],
  ]
  for (const [path, body] of hostile) {
    const began = performance.now()
    const reply = await all.post(path, body, JSON_TYPE)
    expectReason(reply, body.slice(0, 40))
    expect(reply.text.length, body.slice(0, 40)).toBeLessThan(100_000)
    const took = performance.now() - began
    expect(took, body.slice(0, 40)).toBeLessThan(30_000)
  }
  const ignored = await all.post('/order', `{${keys(15_000)}}`, JSON_TYPE)
  expect(ignored.status).toBe(201)
  expect(ignored.headers.get('x-ignored-input')?.length).toBeLessThanOrEqual(1024)
  for (const body of [`{${keys(100_000)}}`, `{"meta_data":{${keys(100_000)}}}`])
    expect(await all.post('/order', body, JSON_TYPE)).toFailWith('payload_too_large')
  expect(await all.post('/order', `{"a":"${'x'.repeat(4 * 1024 * 1024)}"}`, JSON_TYPE)).toFailWith('payload_too_large')
  recordResult({ case: 'abuse: huge lists, keys and texts', tried: hostile.length + 4, lost: 0 })
})

test('forms with too many parts, fields or names are rejected or ignored, never partly applied', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const before = await fingerprint(api.db)
  const parts = (count: number) => form({ metadata: '{}', x: Array(count).fill('y') })
  expect(await all.post('/product', parts(600))).toFailWith('payload_too_large')
  expect(await all.post('/product', parts(300))).toBeRefused(422, 'title')
  expect(await all.post('/product', form({ metadata: ['{}', '{}'] }))).toBeRefused(422, 'metadata')
  const names = ['a'.repeat(10_000), '__proto__', 'images[99999]', 'images[-1]', 'images[', '', '\u0000', 'metadata[]']
  for (const name of names) {
    const reply = await all.post('/product', form({ [name]: 'x', metadata: '{}' }))
    expect(reply.status, `${name.slice(0, 20)}: ${reply.text}`).toBe(422)
  }
  for (const boundary of ['', 'x'.repeat(5_000), '"', 'a b', '--']) {
    const type = `multipart/form-data; boundary=${boundary}`
    expectReason(await all.post('/product', '--x\r\n\r\n', { 'content-type': type }), type)
  }
  expect(await fingerprint(api.db)).toEqual(before)
  recordResult({ case: 'abuse: oversized forms', tried: names.length + 8, lost: 0 })
})

const NASTY = [
  "'",
  "' or 1=1 --",
  '%',
  '_%_\\',
  '\\',
  '%00',
  '%ff',
  '%F0%9F%AB%96',
  '%ED%A0%80',
  '$1',
  '{}',
  '[]',
  '1e400',
  '-0',
  '99999999999999999999',
  '2026-02-30',
  '275760-09-13T00:00:00Z',
  '-271821-04-20',
  '9999999999999',
  'null',
  '__proto__',
  '%0d%0aX-Evil:1',
  '<script>',
  ',,,,',
  'a'.repeat(5_000),
]

test('no value of any list parameter causes a server error', async () => {
  const api = await startTestApi()
  const all = await api.as()
  await all.post('/order', { customer_email: 'a@b.example' })
  const { variant } = await addProduct(api, { title: 'Mug' })
  let tried = 0
  for (const { url, schema } of lists(api)) {
    // The history of a variant is a list too.
    const path = url.slice(API_PREFIX.length).replace(':id', variant)
    for (const name of Object.keys((schema.querystring as JsonSchema).properties ?? {})) {
      const replies = await Promise.all(
        NASTY.flatMap((value) => [`${name}=${value}`, `${name}[]=${value}&${name}=x`]).map(async (query) => {
          const reply = await all.get(`${path}?${query}`)
          return { query, reply }
        }),
      )
      for (const { query, reply } of replies) {
        expect([200, 400, 422], `${url}?${query.slice(0, 80)}: ${reply.text.slice(0, 200)}`).toContain(reply.status)
        expect(reply.headers.get('x-evil')).toBeNull()
        tried++
      }
    }
    const many = await all.get(`${path}?${'a&'.repeat(7_000)}`)
    expect([200, 431]).toContain(many.status)
    const several = await all.get(`${path}?${Array.from({ length: 1_500 }, (_, index) => `p${index}=1`).join('&')}`)
    expect(several.status).toBe(200)
    tried += 2
  }
  expect((await all.get(`/order?${'a=1&'.repeat(10_000)}`)).status).toBe(431)
  recordResult({ case: 'abuse: hostile values of every list parameter', tried, lost: 0 })
})

test('oversized headers and URLs are rejected, and unusual ones do no harm', async () => {
  const api = await startTestApi()
  const all = await api.as()
  expect((await all.get('/product', { 'x-long': 'a'.repeat(20_000) })).status).toBe(431)
  expect((await all.get(`/product?search=${'a'.repeat(20_000)}`)).status).toBe(431)
  expect((await all.get(`/product/${'a'.repeat(5_000)}`)).status).toBe(404)
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`x-h${index}`, '1']))
  expect((await all.get('/permission', many)).status).toBe(200)
  for (const key of ['a'.repeat(256), 'é', '\u00ff'.repeat(255)])
    expect([201, 422]).toContain((await all.post('/order', {}, { 'idempotency-key': key })).status)
  for (const odd of ['*', '"', 'W/"x"', ',,,', 'a'.repeat(8_000)])
    expect([200, 304]).toContain((await all.get('/product', { 'if-none-match': odd })).status)
  for (const type of ['application/json; charset=utf-16', 'application/json;;;', 'APPLICATION/JSON', 'json', '/', ','])
    expect([201, 400, 415], type).toContain((await all.post('/order', '{}', { 'content-type': type })).status)
  recordResult({ case: 'abuse: headers and URLs', tried: 18, lost: 0 })
})
