import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fingerprint } from '../../../tests/resilience/fingerprint.ts'
import { createFullStore, samplesFor } from '../../../tests/resilience/full-store.ts'
import { startTestApi } from '../../../tests/support/api.ts'
import type { Caller } from '../../../tests/support/caller.ts'
import { addProduct } from '../../../tests/support/products.ts'
import { randomRuns } from '../../../tests/support/random-runs.ts'
import type { Sample } from '../../../tests/support/samples.ts'
import { startShopWithOrders } from '../../../tests/support/shop-with-orders.ts'
import { API_PREFIX } from '../../config/config.ts'

const tagOf = async (caller: Caller, path: string) => (await caller.get(path)).headers.get('etag') as string

const pathOf = ({ route, params = {} }: Sample) =>
  route.replace(/^\w+ /, '').replace(/:(\w+)/g, (_, name) => params[name] ?? '')

const send = (caller: Caller, sample: Sample, expected: string) =>
  caller.send(sample.route.split(' ', 1)[0] as string, pathOf(sample), sample.body, { 'if-match': expected })

/** Two that change nothing: one sends an event to the receiver, one tells where to pay. Installations have no versions. */
const WITHOUT_VERSION = [
  ...['POST /webhook/:id/test', 'POST /invoice/:id/pay'],
  ...['POST /app/:client_id/install', 'POST /app/:client_id/boot', 'DELETE /app/:client_id'],
]

test('every write to a resource in the path honours If-Match and returns the new ETag', async () => {
  const store = await createFullStore()
  const { api, all } = store
  const samples = samplesFor(store).filter(
    ({ route }) => !route.startsWith('GET') && route.includes('/:') && !WITHOUT_VERSION.includes(route),
  )
  const routes = api.app.routeTable.filter(
    ({ method, url }) => url.startsWith(API_PREFIX) && !['GET', 'HEAD'].includes(method) && url.includes('/:'),
  )
  const named = routes.map(({ method, url }) => `${method} ${url.slice(API_PREFIX.length)}`)
  const untried = named.filter((route) => !samples.some((sample) => sample.route === route))
  expect(untried.toSorted()).toEqual(WITHOUT_VERSION.toSorted())

  /** The resource with the ETag: that of the path, or the order it belongs to. */
  const resourceOf = (sample: Sample) => {
    const [, kind, id] = pathOf(sample).split('/')
    const isPart = kind === 'order' && !sample.route.includes('/order/:id')
    return isPart ? `/order/${store.order.id}` : `/${kind}/${id}`
  }
  const before = await fingerprint(api.db)
  for (const sample of samples) {
    const stale = (await tagOf(all, resourceOf(sample))).replace(/^"./, '"!')
    const replies = [await send(all, sample, stale), await send(all, sample, `W/${stale}, "other"`)]
    for (const reply of replies) {
      expect(reply, sample.route).toFailWith('version_mismatch')
      expect(reply.headers.get('etag')).toBeNull()
    }
  }
  expect(await fingerprint(api.db)).toEqual(before)

  for (const sample of samples) {
    const reply = await send(all, sample, await tagOf(all, resourceOf(sample)))
    expect([200, 201], `${sample.route}: ${reply.text}`).toContain(reply.status)
    const now = await all.get(resourceOf(sample))
    const left = now.status === 200 && reply.text !== '{"data":{}}'
    expect(reply.headers.get('etag'), sample.route).toBe(left ? now.headers.get('etag') : null)
  }
})

test('the reply to a creation has the ETag of the resource', async () => {
  const store = await createFullStore()
  const made = [
    ['/order', {}, 'order'],
    ['/customer', { email: 'new@shop.example' }, 'customer'],
    ['/review', { product_id: store.product.id, content: 'Fine', rating: 4, reviewer_name: 'Sami' }, 'review'],
    ['/landing-page', { title: 'Cups', product_id: store.product.id }, 'landing_page'],
    ['/product', { title: 'Cup' }, 'product'],
  ] as const
  for (const [path, body, key] of made) {
    const reply = await store.all.post(path, body)
    const tag = reply.headers.get('etag')
    expect(tag, path).toBe(await tagOf(store.all, `${path}/${reply.body.data[key].id}`))
    expect((await store.all.get(`${path}/${reply.body.data[key].id}`, { 'if-none-match': tag ?? '' })).status).toBe(304)
  }
})

test('of many concurrent writes with the same If-Match exactly one succeeds', async () => {
  const store = await createFullStore()
  const { all } = store
  const order = `/order/${store.order.id}`
  const parcel = `/order/delivery/${store.order.deliveries[0].id}`
  const unit = { variants: [{ order_variant_id: store.line, quantity: 1 }] }
  const put = (path: string, body: object) => (tag: string) => all.put(path, body, { 'if-match': tag })
  const post = (path: string, body: object) => (tag: string) => all.post(path, body, { 'if-match': tag })
  const cases: [string, ((tag: string) => ReturnType<Caller['get']>)[]][] = [
    [
      order,
      [
        put(order, { customer_city: 'Sfax' }),
        put(order, { is_archived: true }),
        put(parcel, { status: 'fulfilled' }),
        post(`${order}/return`, unit),
        post(`${order}/refund`, { amount: 1 }),
        post(`${order}/delivery`, unit),
        put(`/order/refund/${store.refund.id}`, { status: 'refunded' }),
      ],
    ],
    ...(
      [
        [`/customer/${store.customer.id}`, 'name'],
        [`/review/${store.review.id}`, 'content'],
        [`/landing-page/${store.page.id}`, 'title'],
      ] as const
    ).map(([path, field]): [string, ((tag: string) => ReturnType<Caller['get']>)[]] => [
      path,
      [1, 2, 3, 4].map((n) => put(path, { [field]: `Writer ${n}` })),
    ]),
    [
      `/product/${store.simple.id}`,
      [1, 2, 3, 4].map((n) => post(`/product/${store.simple.id}/update`, { default: { quantity: n } })),
    ],
  ]
  for (const [path, writers] of cases) {
    const tag = await tagOf(all, path)
    const replies = await Promise.all(writers.map((write) => write(tag)))
    const won = replies.filter(({ status }) => status < 300)
    expect(won.length, `${path}: ${replies.map(({ text }) => text.slice(0, 200))}`).toBe(1)
    for (const reply of replies.filter((reply) => reply !== won[0])) expect(reply).toFailWith('version_mismatch')
    expect(won[0]?.headers.get('etag')).toBe(await tagOf(all, path))
  }
})

test('after any sequence of changes, only the current ETag of an order is accepted', async () => {
  const { all, sell } = await startShopWithOrders()
  type Change = [kind: number, tag: number, value: number]
  const changes = fc.array(fc.tuple(fc.nat(5), fc.nat(3), fc.nat(3)) as fc.Arbitrary<Change>, {
    minLength: 6,
    maxLength: 12,
  })
  const run = async (done: Change[]) => {
    const order = await sell()
    const path = `/order/${order.id}`
    const seen = [await tagOf(all, path)]
    for (const [kind, back, value] of done) {
      const now = await tagOf(all, path)
      const tag = seen.at(-1 - back) ?? now
      const extra = { 'if-match': tag }
      const unit = { variants: [{ order_variant_id: order.hats, quantity: 1 }] }
      const reply = await [
        () => all.put(path, { customer_city: `City ${value}` }, extra),
        () => all.put(path, { is_archived: value % 2 === 0 }, extra),
        () => all.put(`/order/delivery/${order.parcel}`, { status: ['shipped', 'delivered'][value % 2] }, extra),
        () => all.post(`${path}/return`, unit, extra),
        () => all.post(`${path}/refund`, { amount: 1 }, extra),
        () => all.post(`${path}/delivery`, unit, extra),
      ][kind]?.()
      const after = await tagOf(all, path)
      if (tag !== now) {
        expect(reply?.status, reply?.text).toBe(412)
        expect(after).toBe(now)
      } else {
        expect([200, 201, 422], reply?.text).toContain(reply?.status)
        if (reply?.status !== 422) expect(reply?.headers.get('etag')).toBe(after)
      }
      seen.push(after)
    }
  }
  await fc.assert(fc.asyncProperty(changes, run), { numRuns: randomRuns(5) })
})

test('If-Match follows RFC 9110', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const { customer } = (await all.post('/customer', { email: 'a@shop.example' })).body.data
  const path = `/customer/${customer.id}`
  const tag = await tagOf(all, path)
  const rename = (expected: string) => all.put(path, {}, { 'if-match': expected })
  for (const fits of ['*', ' * ', tag, `"other", ${tag}`, `"a,b",${tag},`, `W/"x" , ${tag}`])
    expect((await rename(fits)).status, fits).toBe(200)
  for (const mismatch of ['"other"', `W/${tag}`, tag.slice(1, -1), '', '"', `"a", W/${tag}`, `"x${tag.slice(1)}`])
    expect(await rename(mismatch), mismatch).toFailWith('version_mismatch')
  expect(await all.put('/customer/00000000-0000-4000-8000-000000000000', {}, { 'if-match': '*' })).toFailWith(
    'not_found',
  )
})

test('a retry with its Idempotency-Key gets the first reply although its If-Match is stale by then', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const { customer } = (await all.post('/customer', { email: 'a@shop.example' })).body.data
  const path = `/customer/${customer.id}`
  const headers = { 'if-match': await tagOf(all, path), 'idempotency-key': 'rename' }
  const first = await all.put(path, { name: 'Amel' }, headers)
  const again = await all.put(path, { name: 'Amel' }, headers)
  expect([first.status, again.status]).toEqual([200, 200])
  expect(again.text).toBe(first.text)
})

test('a compressed reply has the same ETag as an uncompressed one', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const goods = await addProduct(api, { sizes: Array.from({ length: 40 }, (_, n) => `Size ${n}`) })
  const plain = await all.get(`/product/${goods.id}`, { 'accept-encoding': 'identity' })
  const small = await all.get(`/product/${goods.id}`, { 'accept-encoding': 'gzip' })
  expect(small.headers.get('content-encoding')).toBe('gzip')
  const tag = plain.headers.get('etag') as string
  expect(small.headers.get('etag')).toBe(tag)
  expect((await all.post(`/product/${goods.id}/update`, { title: 'Cup' }, { 'if-match': tag })).status).toBe(200)
})

test('auth/me has an ETag', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const me = await all.get('/auth/me')
  const tag = me.headers.get('etag') as string
  expect(tag).toMatch(/^"/)
  const again = await all.get('/auth/me', { 'if-none-match': tag })
  expect([again.status, again.text]).toEqual([304, ''])
  const other = (await startTestApi()).as()
  expect((await other.get('/auth/me', { 'if-none-match': tag })).status).toBe(200)
})
