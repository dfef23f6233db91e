import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { startReceiver } from '../../tests/support/receiver.ts'
import { variantsOf } from '../checker/states.ts'
import { createRandom } from '../random.ts'
import type { Delivered, History, Json } from '../record.ts'
import { type Run, readSingle, work } from './client.ts'
import { breakThings, type Fault } from './faults.ts'
import { send, sendPatiently } from './http.ts'
import { createIdentities, createStores, type Identity } from './identities.ts'
import { newWrite } from './new-write.ts'
import { createPool, type Pool } from './pool.ts'
import {
  bulkCustomers,
  follow,
  intrude,
  pollCustomers,
  raceCurrency,
  readFeed,
  revoke,
  sendLongNumbers,
} from './probes.ts'
import { compareReadings } from './readings.ts'
import { pollBesideSlowWriters } from './slow-writers.ts'
import type { World } from './world.ts'

const CLIENTS = 8
const BATCH = 12
const SHELVES = 14

export interface RunOptions {
  seed: number
  ops: number
  faults: readonly Fault[]
  /** How long webhooks may take to arrive when everything is over. */
  patienceMs?: number
}

/** Products that every client orders: some with variants, some that may be ordered when there are none. */
export const stockShelves = async (
  base: string,
  { token, app }: Identity,
  { history, pool }: { history: Pick<History, 'writes'>; pool: Pool },
) => {
  const create = async (
    kind: 'createProduct' | 'createPlain',
    path: string,
    resource: string,
    shown: string,
    body: Json,
  ) => {
    const write = newWrite({ n: history.writes.length, app, kind, method: 'POST', path, body, resource })
    const reply = await send(base, token, 'POST', path, body)
    if (reply.status !== 201) throw new Error(`POST ${path}: ${reply.text}`)
    const made = reply.body.data[shown]
    history.writes.push({ ...write, id: made.id, end: performance.now(), outcome: 'ok', status: 201, reply: made })
    return made
  }
  for (let n = 0; n < SHELVES; n++) {
    const sizes = ['S', 'L']
    const values = sizes.map((value, at) => ({ order: at + 1, value }))
    const variants = sizes.map((value, at) => ({ price: 7.125 + n + at, quantity: 8, values: [{ order: 1, value }] }))
    const body =
      n % 3 === 2
        ? { title: `Shelf ${n}`, options: [{ order: 1, name: 'Size', values }], variants }
        : { title: `Shelf ${n}`, allow_order_when_oos: n % 4 === 1, default: { price: 10.5 + n, quantity: 8 } }
    const product = await create('createProduct', '/product', 'product', 'product', body)
    pool.products.push({ id: product.id, variants: variantsOf(product).map(({ id }) => id) })
  }
  const carrier = { name: 'Post', code: 'post' }
  pool.carriers.push((await create('createPlain', '/shipping-carrier', 'shipping_carrier', 'carrier', carrier)).id)
}

const createWebhook = async (base: string, { token }: Identity, random: ReturnType<typeof createRandom>) => {
  const delivered: Delivered[] = []
  let secret = Buffer.alloc(0)
  const receiver = await startReceiver(async (received, reply) => {
    const { headers, body, id, event, others } = received
    const signed = createHmac('sha256', secret).update(`${id}.${headers['webhook-timestamp']}.${body}`).digest('base64')
    const resource = `${event.resource.kind}:${event.resource.id}`
    const isAccepted = !random.chance(0.002)
    delivered.push({
      at: received.at,
      position: event.position,
      id,
      resource,
      isSigned: String(headers['webhook-signature']).split(' ').includes(`v1,${signed}`),
      isAccepted,
      isConcurrent: others.some((other) => `${other.event.resource.kind}:${other.event.resource.id}` === resource),
    })
    // Some take their time: two senders of one event meet.
    if (random.chance(0.1)) await sleep(random.below(80))
    reply.writeHead(isAccepted ? 204 : 500).end()
  })
  const reply = await send(base, token, 'POST', '/webhook', { url: receiver.url, types: ['*'] })
  if (reply.status !== 201) throw new Error(`No webhook: ${reply.text}`)
  secret = Buffer.from(reply.body.data.webhook.secret.replace('whsec_', ''), 'base64')
  return delivered
}

const untilReady = async ({ nodes }: World) => {
  for (const node of nodes)
    for (let attempt = 0; attempt < 300; attempt++) {
      const reply = await fetch(node.base().replace('/api/apps/v1', '/readyz')).catch(() => undefined)
      if (reply?.status === 200) break
      await sleep(100)
    }
}

/** Every resource of the feed, as it is now. */
const readFinal = async (base: string, token: string, feed: History['feed']) => {
  const final: Record<string, Json> = {}
  const names = [...new Set(feed.map(({ resource: { kind, id } }) => `${kind}:${id}`))]
  const next = async () => {
    for (let name = names.pop(); name; name = names.pop()) {
      const [kind, id] = name.split(':') as [string, string]
      if (!READABLE.has(kind)) continue
      const { status, body } = await readSingle(base, token, kind, id, sendPatiently)
      final[name] = status === 200 ? body : null
    }
  }
  await Promise.all(Array.from({ length: 4 }, next))
  return final
}
const READABLE = new Set([
  'order',
  'customer',
  'product',
  'category',
  'review',
  'policy',
  'landing_page',
  'shipping_carrier',
])

const untilDelivered = async (delivered: Delivered[], feed: History['feed'], patienceMs: number) => {
  const wanted = feed.filter(({ app }) => app !== null).map(({ id }) => id)
  for (let waited = 0; waited < patienceMs; waited += 200) {
    const arrived = new Set(delivered.filter(({ isAccepted }) => isAccepted).map(({ id }) => id))
    if (wanted.every((id) => arrived.has(id))) return
    await sleep(200)
  }
}

/** A line that could not be done, because the database was too busy twice, is reported as failed: it must not be done. */
const noteResults = async ({ history }: Run, base: string, token: string, job: string) => {
  const write = history.writes.find(({ kind, id }) => kind === 'bulkCustomers' && id === job)
  const { status, text } = await sendPatiently(base, token, `/bulk/${job}/result`)
  if (!write || status !== 200) return
  const failed = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Json)
    .filter((result) => result.status === 'failed' && result.code === 'server_error')
  write.reply = { failed: failed.map(({ line }) => write.body[line - 1]) }
}

/** Random clients on every node, with faults, and what they saw. */
export const runHistory = async (
  world: World,
  { seed, ops, faults, patienceMs = 60_000 }: RunOptions,
): Promise<History> => {
  const began = performance.now()
  const random = createRandom(seed)
  const [store, other] = (await createStores(world, 2)) as [string, string]
  const history: History = {
    seed,
    store,
    currency: 'TND',
    writes: [],
    reads: [],
    feed: [],
    followed: [],
    delivered: undefined,
    final: {},
    complaints: [],
    faults: [],
    seconds: 0,
  }
  const fresh = await createIdentities(world, store, CLIENTS + 6)
  let making: Promise<unknown> | undefined
  const nextIdentity = async (): Promise<Identity> => {
    for (;;) {
      const identity = fresh.pop()
      if (identity) return identity
      making ??= createIdentities(world, store, BATCH).then((made) => {
        fresh.push(...made)
        making = undefined
      })
      await making
    }
  }
  let left = ops
  const run: Run = { world, history, pool: createPool(), nextIdentity, take: () => left-- > 0, taken: () => ops - left }
  const [stranger] = (await createIdentities(world, other, 1)) as [Identity]
  const setup = await nextIdentity()
  const base = world.nodes[0]?.base() as string
  history.delivered = await createWebhook(base, setup, random.fork())
  await stockShelves(base, setup, run)
  await sendLongNumbers(run)

  let isOver = false
  const reader = await nextIdentity()
  const followers = world.nodes.map((_, node) => follow(run, node, reader, () => isOver))
  const others = [intrude(run, stranger, random.fork(), () => isOver), raceCurrency(run, 2), pollBesideSlowWriters(run)]
  const polling = pollCustomers(run, reader, () => isOver)
  const bulk = bulkCustomers(run, await nextIdentity(), 40)
  const removed = await nextIdentity()
  let isDone = false
  const breaking = breakThings(run, faults, random.fork(), () => isDone)
  // Awaited when the clients are done.
  breaking.catch(() => {})
  await Promise.all(Array.from({ length: CLIENTS }, () => work(run, random.fork())))
  isDone = true
  history.faults = await breaking
  await untilReady(world)
  const token = reader.token
  const job = await bulk
  for (let attempt = 0; job && attempt < 300; attempt++) {
    const { body } = await sendPatiently(base, token, `/bulk/${job}`)
    if (['done', 'cancelled', 'failed'].includes(body?.data?.job?.status)) break
    await sleep(200)
  }
  if (job) await noteResults(run, base, token, job)
  isOver = true
  await Promise.all(others)
  history.followed = await Promise.all(followers)
  await revoke(run, removed)
  // A write of a paused node may still have been on its way.
  await sleep(500)
  history.feed = await readFeed(run, base, token)
  await untilDelivered(history.delivered, history.feed, patienceMs)
  history.final = await readFinal(base, token, history.feed)
  await compareReadings(base, token, history).catch((error: Error) =>
    history.complaints.push({ name: 'server error', detail: error.message }),
  )
  const { seen, last } = await polling
  await last()
  for (const [name, body] of Object.entries(history.final))
    if (name.startsWith('customer:') && body && seen[body.id] !== body.address)
      history.complaints.push({
        name: 'a poller missed a change',
        detail: `${name}: ${seen[body.id]} instead of ${body.address}`,
      })
  history.seconds = (performance.now() - began) / 1000
  return history
}
