import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../random.ts'
import type { FeedEvent, Json } from '../record.ts'
import { type Run, rest } from './client.ts'
import { send, sendPatiently } from './http.ts'
import { createIdentities, createStores, type Identity, withDatabase } from './identities.ts'
import { newWrite } from './new-write.ts'
import { createPoller } from './poller.ts'
import { recent } from './pool.ts'
import { type ProofNode, workedBy } from './world.ts'

const complain = ({ history }: Run, name: string, detail: string) => history.complaints.push({ name, detail })

/** Reads the feed through one node until it is told to stop; nodes may be down meanwhile. */
export const follow = async (run: Run, node: number, { token }: Identity, isOver: () => boolean) => {
  const seen: FeedEvent[] = []
  let cursor = ''
  while (!isOver()) {
    try {
      const base = run.world.nodes[node]?.base() as string
      const path = `/event?payload=thin&page_size=200&wait=1${cursor && `&cursor=${cursor}`}`
      const { status, body, text } = await send(base, token, 'GET', path)
      if (status === 200) {
        seen.push(...body.data.events)
        cursor = body.data.next_cursor
      } else if (status === 410) complain(run, 'the feed lost its place', text)
    } catch {
      // The node is down.
    }
    await rest(run, 5, isOver)
  }
  return seen
}

/** The whole feed, from its beginning. */
export const readFeed = async (run: Run, base: string, token: string): Promise<FeedEvent[]> => {
  const seen: FeedEvent[] = []
  for (let cursor = ''; ; ) {
    const path = `/event?payload=thin&page_size=200${cursor && `&cursor=${cursor}`}`
    const { status, body, text } = await sendPatiently(base, token, path)
    if (status !== 200) {
      complain(run, 'the feed cannot be read', text)
      return seen
    }
    seen.push(...body.data.events)
    cursor = body.data.next_cursor
    if (!body.data.more) return seen
  }
}

/** Somebody of another store, who must not find, change or see anything here. */
export const intrude = async (run: Run, stranger: Identity, random: Random, isOver: () => boolean) => {
  const tries: ((id: string) => [string, string, Json?])[] = [
    (id) => ['GET', `/order/${id}`],
    (id) => ['PUT', `/order/${id}`, { is_archived: true }],
    (id) => ['DELETE', `/order/${id}`],
    (id) => ['POST', `/order/${id}/refund`, { amount: 1 }],
  ]
  const customers: typeof tries = [
    (id) => ['GET', `/customer/${id}`],
    (id) => ['PUT', `/customer/${id}`, { city: 'Elsewhere' }],
  ]
  const stock: typeof tries = [(id) => ['POST', '/stock?atomic=true', { stock: [{ variant_id: id, delta: -1 }] }]]
  while (!isOver()) {
    await rest(run, 25, isOver)
    const order = recent(run.pool.orders).at(-1)?.id
    const customer = recent(run.pool.customers).at(-1)
    const variant = run.pool.products[0]?.variants[0]
    for (const [ids, list] of [
      [order, tries],
      [customer, customers],
      [variant, stock],
    ] as const) {
      if (!ids) continue
      const [method, path, body] = random.pick(list)(ids)
      const base = random.pick(run.world.nodes.filter((node) => node.isUp()))?.base()
      const reply = await send(base ?? '', stranger.token, method, path, body).catch(() => undefined)
      if (reply && reply.status < 300) complain(run, 'another store was served', `${method} ${path}: ${reply.status}`)
    }
    const base = random.pick(run.world.nodes.filter((node) => node.isUp()))?.base()
    const list = await send(base ?? '', stranger.token, 'GET', random.pick(['/order', '/customer', '/product'])).catch(
      () => undefined,
    )
    const rows = list?.status === 200 ? (Object.values(list.body.data).find(Array.isArray) as Json[]) : []
    if (rows.length > 0) complain(run, 'another store was served', `a list of an empty store has ${rows.length} rows`)
  }
}

/** Somebody without permissions any more, whose token must not work. */
export const revoke = async (run: Run, identity: Identity) => {
  // Every node has seen it, and remembers what it may do.
  for (const node of run.world.nodes) await send(node.base(), identity.token, 'GET', '/order').catch(() => undefined)
  await withDatabase(run.world, (db) => db.query('delete from installation where id = $1', [identity.install]))
  await sleep(1_500)
  for (const node of run.world.nodes) {
    const reply = await send(node.base(), identity.token, 'GET', '/order').catch(() => undefined)
    if (reply && reply.status < 300) complain(run, 'a removed app was served', `GET /order: ${reply.status}`)
  }
}

/** The currency of a new store is changed while its first orders are placed: all must be in the store's currency. */
export const raceCurrency = async (run: Run, tries: number) => {
  const stores = await createStores(run.world, tries)
  for (const store of stores) {
    const [one, other] = (await createIdentities(run.world, store, 2)) as [Identity, Identity]
    const base = run.world.nodes[0]?.base() as string
    const second = run.world.nodes.at(-1)?.base() as string
    const orders = Array.from({ length: 6 }, () => send(base, one.token, 'POST', '/order', { status: 'paid', fee: 1 }))
    const changes = ['EUR', 'USD', 'EUR', 'USD'].map((currency) =>
      send(second, other.token, 'PUT', '/setting', { currency }),
    )
    await Promise.allSettled([...orders, ...changes])
    const setting = await send(base, one.token, 'GET', '/setting').catch(() => undefined)
    const list = await send(base, one.token, 'GET', '/order').catch(() => undefined)
    if (setting?.status !== 200 || list?.status !== 200) continue
    const currency = Object.values(setting.body.data as Record<string, Json>)[0].currency
    const mixed = list.body.data.orders.filter((order: Json) => order.currency !== currency)
    if (mixed.length > 0)
      complain(
        run,
        'orders in another currency than the store',
        `${mixed.length} orders in ${mixed[0].currency}, the store in ${currency}`,
      )
  }
}

/** Imports customers. The job outlives nodes, and each line must be written once. */
export const bulkCustomers = async (run: Run, identity: Identity, lines: number) => {
  const { history } = run
  const marks = Array.from({ length: lines }, () => randomUUID())
  const input = marks
    .map((mark) => JSON.stringify({ email: `${mark}@bulk.example`, name: 'Bulk', address: mark }))
    .join('\n')
  const start = performance.now()
  for (let attempt = 0; attempt < 100; attempt++) {
    const base = run.world.nodes[attempt % run.world.nodes.length]?.base() as string
    const reply = await fetch(`${base}/bulk?resource=customer&mode=create`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${identity.token}`,
        'content-type': 'application/x-ndjson',
        'idempotency-key': `bulk-${history.seed}`,
      },
      body: input,
      signal: AbortSignal.timeout(20_000),
    }).catch(() => undefined)
    if (reply && reply.status < 300) {
      const job = ((await reply.json()) as Json).data.job.id as string
      history.writes.push(
        newWrite({
          n: history.writes.length,
          app: identity.app,
          kind: 'bulkCustomers',
          method: 'POST',
          path: '/bulk',
          body: marks,
          resource: null,
          id: job,
          start,
          outcome: 'ok',
          status: reply.status,
        }),
      )
      return job
    }
    if (reply && reply.status < 500 && reply.status !== 409) {
      complain(run, 'a bulk job was refused', `${reply.status} ${await reply.text()}`)
      return undefined
    }
    await sleep(200)
  }
  return undefined
}

const LONG = 16_300
/** How many times as long as for a short number. */
const MAX_RATIO = 20
const MIN_MS = 50

/** A number of many zeros, from somebody without a token: reading it must take no time worth mentioning. For a quiet node. */
export const sendLongNumbers = async (run: Run) => {
  const [node] = run.world.nodes as [ProofNode]
  const time = async (zeros: number) => {
    const body = `{"client_id":"a","client_secret":"b","ttl":1${'0'.repeat(zeros)}1}`
    const headers = { 'content-type': 'application/json' }
    const start = workedBy(node)
    const options = { method: 'POST', headers, body, signal: AbortSignal.timeout(30_000) }
    const reply = await fetch(`${node.base()}/auth/get-token`, options).catch(() => undefined)
    return reply ? workedBy(node) - start : Number.NaN
  }
  const pairs: { long: number; short: number }[] = []
  for (let n = 0; n < 5; n++) pairs.push({ short: await time(1), long: await time(LONG) })
  const long = Math.min(...pairs.map((pair) => pair.long))
  const short = Math.min(...pairs.map((pair) => pair.short))
  if (long > MIN_MS && long > MAX_RATIO * short)
    complain(
      run,
      'a short request stops the server',
      `${LONG} digits took ${Math.round(long)} ms, one ${Math.round(short)} ms`,
    )
}

/** Polls the customers until it is told to stop. */
export const pollCustomers = async (run: Run, { token }: Identity, isOver: () => boolean) => {
  const { seen, poll } = createPoller(token)
  for (let round = 0; !isOver(); round++) {
    await poll(run.world.nodes[round % run.world.nodes.length]?.base() as string)
    await rest(run, 10, isOver)
  }
  return { seen, last: () => poll(run.world.nodes[0]?.base() as string) }
}
