import { expect, test } from 'vitest'
import { createRandom } from '../../../proof/random.ts'
import { compareSignals } from '../../../proof/signals/compare.ts'
import { type Shelf, step } from '../../../proof/signals/steps.ts'
import { startTestApi } from '../../../tests/support/api.ts'
import { type Caller, createCaller } from '../../../tests/support/caller.ts'
import { expectTextsToFitRows } from '../../../tests/support/kept-texts.ts'
import { addProduct, stockOf } from '../../../tests/support/products.ts'
import { startProcess } from '../../../tests/support/server-process.ts'
import { databaseUrl } from '../../../tests/support/test-database.ts'
import { API_PREFIX } from '../../config/config.ts'

/** Two server processes on one database, as behind a load balancer. The server of the test only sets up the store. */
const startNodes = async () => {
  const api = await startTestApi({ TOKEN_SECRET: 'a secret of thirty-two bytes or more, for both nodes' })
  const settings = {
    DATABASE_URL: databaseUrl(api.connection),
    DATA_DIR: api.config.DATA_DIR,
    TOKEN_SECRET: api.config.TOKEN_SECRET as string,
    DEMO: 'false',
    LOG_LEVEL: 'warn',
    DATABASE_POOL: '10',
  }
  const origins = await Promise.all(
    [1, 2].map(async () => (await startProcess(settings).ready()).slice(0, -API_PREFIX.length)),
  )
  const person = async (node: number) => {
    const app = await api.install(['order:view', 'order:create', 'order:update'])
    const authorization = `Bearer ${await api.getToken(app, { install_id: app.install_id })}`
    return createCaller(api.app, origins[node % origins.length] as string, API_PREFIX, { authorization })
  }
  return { api, all: api.as(), person, origins }
}

const AT_ONCE = 32

/** Thirty-two people, every second one on the other node, and a store with mugs. */
const startDesk = async () => {
  const nodes = await startNodes()
  const { api, all } = nodes
  const people = await Promise.all(Array.from({ length: AT_ONCE }, (_none, n) => nodes.person(n)))
  const mug = await addProduct(api, { title: 'Mug', price: 12.5, quantity: 1_000 })
  const order = async (customer_phone: string, caller: Caller = all): Promise<string> => {
    const variants = [{ variant_id: mug.variant, quantity: 1 }]
    const reply = await caller.post('/order', { customer_phone, customer_address: '12 rue de Marseille', variants })
    expect(reply.status, reply.text).toBe(201)
    return reply.body.data.order.id
  }
  const look = async (id: string) => (await all.get(`/order/${id}`)).body.data.order
  const orders = async () => (await all.get('/order?page_size=200')).body.data.orders
  return { ...nodes, people, order, look, orders, stock: () => stockOf(api, mug.variant), mug }
}

test('32 people on two nodes empty the queue: each order is called once, and none is left out', async () => {
  const desk = await startDesk()
  await desk.all.put('/setting', { order_desk: { confirm: true } })
  const placed: string[] = []
  for (let n = 0; n < 60; n++) placed.push(await desk.order(`201234${10 + n}`, desk.people[n % AT_ONCE]))

  // All at once: nobody gets what another has, on whichever node.
  const first = await Promise.all(desk.people.map(({ post }) => post('/order/claim', {})))
  const taken = first.map(({ body }) => body.data.order.id as string)
  expect(new Set(taken).size).toBe(AT_ONCE)
  expect(taken.toSorted()).toEqual(placed.slice(0, AT_ONCE).toSorted())
  const named = await Promise.all(
    desk.people.map(({ post }, n) => post('/order/claim', { order_id: taken[(n + 1) % AT_ONCE] })),
  )
  // Naming another's order gives one's own back, so some succeed; but never two with the same order.
  const held = named.flatMap(({ status, body }) => {
    expect(status).toBe(200)
    return body.data.order?.id ?? []
  })
  expect(new Set(held).size).toBe(held.length)
  for (const node of [0, 1]) {
    const { claims } = (await (desk.people[node] as Caller).get('/order/claim')).body.data
    expect(claims.map(({ order_id }: { order_id: string }) => order_id).toSorted()).toEqual(held.toSorted())
  }

  const called: string[] = []
  const work = async ({ post }: Caller) => {
    for (;;) {
      const { order } = (await post('/order/claim', {})).body.data
      if (order === null) return
      called.push(order.id)
      expect((await post(`/order/${order.id}/confirmation`, { result: 'confirmed' })).status).toBe(200)
    }
  }
  await Promise.all(desk.people.map(work))
  expect(called.toSorted()).toEqual(placed.toSorted())
  for (const id of placed) expect((await desk.look(id)).confirmation).toMatchObject({ state: 'confirmed', attempts: 1 })
  expect((await desk.all.get('/order/claim')).body.data.claims).toEqual([])
  expect(await desk.stock()).toBe(1_000 - placed.length)
  await expectTextsToFitRows(desk.api.db)
})

test('32 people on two nodes merge, refuse, change and cancel the same orders: no unit and no order is lost or doubled', async () => {
  const desk = await startDesk()
  const pairs: [string, string][] = []
  for (let n = 0; n < 8; n++) {
    const caller = desk.people[n]
    pairs.push([await desk.order(`2012341${n}`, caller), await desk.order(`2012341${n}`, caller)])
  }
  const lines = { variants: [{ variant_id: desk.mug.variant, quantity: 3 }] }
  /** The first eight merge into the older, the next eight into the newer, and so on: each pair has people on both nodes. */
  const acts = pairs.flatMap(([older, newer], n) => {
    const [one, two, three, four] = [0, 8, 16, 24].map((from) => desk.people[from + ((n + from / 8) % 8)] as Caller)
    return [
      one?.post(`/order/${older}/merge`, { order_id: newer }),
      two?.post(`/order/${newer}/merge`, { order_id: older }),
      three?.post(`/order/${newer}/confirmation`, { result: 'refused', cancel: true }),
      four?.put(`/order/${older}/variants`, lines),
    ]
  })
  const replies = await Promise.all(acts)
  expect(replies).toHaveLength(AT_ONCE)
  for (const reply of replies) expect([200, 422], reply?.text).toContain(reply?.status)
  const orders = (await desk.orders()) as { id: string; is_cancelled: boolean; quantity: number }[]
  expect(orders.map(({ id }) => id).toSorted()).toEqual(pairs.flat().toSorted())
  // What the open orders contain is what is missing in stock, whatever came first.
  const sold = () => orders.filter(({ is_cancelled }) => !is_cancelled).reduce((sum, { quantity }) => sum + quantity, 0)
  expect(await desk.stock()).toBe(1_000 - sold())
  for (const [n, [older, newer]] of pairs.entries()) {
    const merged = replies.slice(n * 4, n * 4 + 2).filter((reply) => reply?.status === 200)
    expect(merged.length, 'a pair is merged once at most').toBeLessThan(2)
    const open = orders.filter(({ id, is_cancelled }) => !is_cancelled && (id === older || id === newer))
    // Refusing the newer one after it has taken in the older one cancels both.
    if (open.length === 0) expect((await desk.look(newer)).confirmation).toMatchObject({ state: 'refused' })
    if (merged.length === 1) expect(open.length).toBeLessThan(2)
  }
  for (const { id } of orders) await desk.all.put(`/order/${id}`, { is_cancelled: true })
  expect(await desk.stock()).toBe(1_000)
  for (const { id } of orders) expect((await desk.all.delete(`/order/${id}`)).status).toBe(200)
  expect(await desk.stock()).toBe(1_000)
  await expectTextsToFitRows(desk.api.db)
})

test('signals on two nodes equal a recount after a random history of orders', async () => {
  const nodes = await startNodes()
  const { api, all } = nodes
  const shelf: Shelf = { variants: [], orders: [] }
  for (const is_digital of [false, false, true])
    shelf.variants.push(
      (await addProduct(api, { quantity: 1_000_000, is_digital, title: `Goods ${shelf.variants.length}` })).variant,
    )
  const app = await api.install(['order:view', 'order:create', 'order:update', 'order:delete', 'customer:delete'])
  const authorization = `Bearer ${await api.getToken(app, { install_id: app.install_id })}`
  const callers = nodes.origins.map((origin) => createCaller(api.app, origin, API_PREFIX, { authorization }))
  const random = createRandom(36)
  let left = 400
  const work = async (n: number) => {
    const own = random.fork()
    while (left-- > 0) {
      const caller = callers[own.below(callers.length)] as Caller
      const { status } = await step(own, caller.send, shelf)
      expect(status, `client ${n}`).toBeLessThan(500)
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_none, n) => work(n)))
  for (const [n, { send }] of callers.entries()) expect(await compareSignals(send, `node ${n + 1}`)).toEqual([])
  expect(await compareSignals(all.send, 'the node that wrote nothing')).toEqual([])
})
