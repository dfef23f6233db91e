import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts'
import { type ServerProcess, startProcess, temporaryFolder } from '../support/server-process.ts'
import { hasPgbouncer, startPgbouncer } from './pgbouncer.ts'
import { startPostgres } from './postgres-server.ts'
import { recordResult } from './results-table.ts'
import { createShopCaller, getToken, type ShopCaller, seedShop } from './seeded-shop.ts'

const WRITERS = 6
const WEBHOOKS = 4
const WORK_MS = 6_000

/** Creates customers and renames them, so that each has several events. Servers may die meanwhile. */
const write = async (callers: () => ShopCaller[], isGoing: () => boolean) => {
  let own = ''
  for (let round = 0; isGoing(); round++) {
    const living = callers()
    const caller = living[round % living.length] as ShopCaller
    try {
      if (own && round % 5 !== 0) await caller.put(`/customer/${own}`, { name: randomUUID() })
      else own = (await caller.post('/customer', { email: `${randomUUID()}@shop.example` })).body.data.customer.id
    } catch {
      // The server was killed: the feed shows whether it has written.
    }
    await sleep(10)
  }
}

interface Sent {
  id: string
  position: number
}

/** All events of customers, as the feed has them. */
const readFeed = async (caller: ShopCaller) => {
  const events: Sent[] = []
  let cursor = ''
  for (;;) {
    const query = `types=customer.*&payload=thin&page_size=200${cursor && `&cursor=${cursor}`}`
    const { data } = (await caller.get(`/event?${query}`)).body
    events.push(...data.events)
    cursor = data.next_cursor
    if (!data.more) return events
  }
}

const judge = (received: Received[], feed: Sent[]) => {
  const firsts = new Map<string, Received>()
  for (const one of received) if (!firsts.has(one.id)) firsts.set(one.id, one)
  const lost = feed.filter(({ id }) => !firsts.has(id)).length
  const places = new Map<string, number>()
  let reordered = 0
  for (const { event } of firsts.values()) {
    if (event.position < (places.get(event.resource.id) ?? 0)) reordered++
    places.set(event.resource.id, event.position)
  }
  // One process never sends two events of a resource at the same time; two processes would.
  const doubled = received.filter(({ event, others, path }) =>
    others.some(
      (other) => other.path === path && other.event.resource.id === event.resource.id && other.id !== event.id,
    ),
  ).length
  return { lost, reordered, doubled, repeated: received.length - firsts.size }
}

/** Writes through the nodes while `disturb` runs, then waits until every webhook has received every event. */
const deliver = async (
  postgresUrl: string,
  nodes: ServerProcess[],
  receiver: Receiver,
  disturb: (callerOf: (node: ServerProcess) => Promise<{ caller: ShopCaller }>) => Promise<ServerProcess | undefined>,
) => {
  const shop = await seedShop({ connectionString: postgresUrl })
  const callerOf = async (node: ServerProcess) => {
    const base = await node.ready()
    return { node, caller: createShopCaller(base, await getToken(base, shop.credentials)) }
  }
  const all = await Promise.all(nodes.map(callerOf))
  const living = () =>
    all.filter(({ node }) => node.child.exitCode === null && node.child.signalCode === null).map(({ caller }) => caller)
  const [first] = living() as [ShopCaller]
  for (let n = 0; n < WEBHOOKS; n++) {
    const url = `http://127.0.0.1:${receiver.port}/${n}`
    const made = await first.post('/webhook', { url, types: ['customer.*'], payload: 'thin', lanes: 4 })
    expect(made.status, made.text).toBe(201)
  }
  let isGoing = true
  const writing = Promise.all(Array.from({ length: WRITERS }, () => write(living, () => isGoing)))
  try {
    await sleep(WORK_MS / 2)
    const added = await disturb(callerOf)
    if (added) all.push(await callerOf(added))
    await sleep(WORK_MS / 2)
  } finally {
    isGoing = false
  }
  await writing
  const [caller] = living() as [ShopCaller]
  const feed = await readFeed(caller)
  const of = (n: number) => receiver.received.filter(({ path }) => path === `/${n}`)
  const missing = () => Array.from({ length: WEBHOOKS }, (_, n) => judge(of(n), feed).lost).reduce((a, b) => a + b)
  await expect.poll(missing, { interval: 250 }).toBe(0)
  const judged = Array.from({ length: WEBHOOKS }, (_, n) => judge(of(n), feed))
  for (const { reordered, doubled } of judged) expect([reordered, doubled]).toEqual([0, 0])
  // A replayed or repeated event is the same event.
  const bodies = new Map<string, string>()
  for (const { id, event } of receiver.received) {
    const told = JSON.stringify([event.type, event.position, event.resource, event.changed])
    expect(bodies.get(id) ?? told).toBe(told)
    bodies.set(id, told)
  }
  return { tried: feed.length * WEBHOOKS, repeated: judged.reduce((sum, { repeated }) => sum + repeated, 0) }
}

/** Slow enough that some request is always in flight. */
const startSlowReceiver = () =>
  startReceiver(async (_, reply) => {
    await sleep(Math.random() * 15)
    reply.writeHead(204).end()
  })

test('two nodes, one of them killed while it delivers: nothing is lost, nothing reordered, no resource sent twice at a time', async () => {
  const postgres = await startPostgres()
  const settings = {
    DATABASE_URL: postgres.url,
    DATA_DIR: await temporaryFolder(),
    LOG_LEVEL: 'silent',
    WEBHOOK_PRIVATE: '127.0.0.0/8',
  }
  const receiver = await startSlowReceiver()
  const nodes = [startProcess(settings), startProcess(settings)]
  const { tried, repeated } = await deliver(postgres.url, nodes, receiver, async () => {
    await nodes[0]?.stop('SIGKILL')
    return startProcess(settings)
  })
  recordResult({ case: `webhooks: a node is killed while it delivers (${repeated} sent twice)`, tried, lost: 0 })
})

test('behind pgbouncer, with a node that is stopped: the same', async () => {
  if (!hasPgbouncer) return recordResult({ case: 'webhooks behind pgbouncer (not installed)', tried: 0, lost: 0 })
  const postgres = await startPostgres()
  const { url } = await startPgbouncer(postgres.port)
  const settings = {
    DATABASE_URL: url,
    DATABASE_PREPARE: 'false',
    DATA_DIR: await temporaryFolder(),
    LOG_LEVEL: 'silent',
    WEBHOOK_PRIVATE: '127.0.0.0/8',
  }
  const receiver = await startSlowReceiver()
  const nodes = [startProcess(settings), startProcess(settings)]
  const { tried, repeated } = await deliver(postgres.url, nodes, receiver, async () => {
    await nodes[0]?.stop('SIGTERM')
    return undefined
  })
  recordResult({ case: `webhooks: behind pgbouncer, a node is stopped (${repeated} sent twice)`, tried, lost: 0 })
})

test('a node that is frozen past its leases finds them taken: nothing is lost, reordered or sent by two', async () => {
  const postgres = await startPostgres()
  const settings = {
    DATABASE_URL: postgres.url,
    DATA_DIR: await temporaryFolder(),
    LOG_LEVEL: 'silent',
    WEBHOOK_PRIVATE: '127.0.0.0/8',
  }
  const receiver = await startSlowReceiver()
  const frozen = startProcess(settings)
  /** When each webhook received something for the first time, not counting what it had received before. */
  const firstReceived = (before = 0) =>
    new Map(
      receiver.received
        .slice(before)
        .reverse()
        .map(({ path, at }) => [path, at]),
    )
  const { tried, repeated } = await deliver(postgres.url, [frozen], receiver, async (callerOf) => {
    const other = startProcess(settings)
    const { caller } = await callerOf(other)
    // It could not take a lease, because there were always more events.
    expect(firstReceived().size).toBe(WEBHOOKS)
    frozen.child.kill('SIGSTOP')
    await sleep(200)
    const before = receiver.received.length
    const leases = await postgres.query('select url, leased_until from webhook where leased_until > now()')
    expect(leases).toHaveLength(WEBHOOKS)
    let isTakenOver = false
    const writing = Promise.all(
      Array.from({ length: WRITERS }, () =>
        write(
          () => [caller],
          () => !isTakenOver,
        ),
      ),
    )
    try {
      await expect.poll(() => firstReceived(before).size, { interval: 100 }).toBe(WEBHOOKS)
      for (const { url, leased_until } of leases)
        expect(firstReceived(before).get(new URL(url).pathname)).toBeGreaterThan(leased_until.getTime())
      frozen.child.kill('SIGCONT')
      await sleep(2_000)
    } finally {
      isTakenOver = true
    }
    await writing
    return other
  })
  recordResult({ case: `webhooks: a node is frozen past its leases (${repeated} sent twice)`, tried, lost: 0 })
})

type Step = { name: string; status?: number; kill: 'before reply' | 'after reply' | number }

/** A delivery: the request arrives, is answered, and its result is stored up to 100 ms later. */
const STEPS: Step[] = [
  { name: 'the request has arrived', kill: 'before reply' },
  { name: 'it was answered', kill: 'after reply' },
  { name: 'its result is being stored', kill: 60 },
  { name: 'its result is stored', kill: 300 },
  { name: 'it was refused', status: 500, kill: 'after reply' },
  { name: 'its next attempt is stored', status: 500, kill: 300 },
]

test('kill -9 at every step of a delivery: nothing is lost or reordered, and what is sent again has the same id', async () => {
  const postgres = await startPostgres()
  const shop = await seedShop({ connectionString: postgres.url })
  const settings = {
    DATABASE_URL: postgres.url,
    DATA_DIR: await temporaryFolder(),
    LOG_LEVEL: 'silent',
    WEBHOOK_PRIVATE: '127.0.0.0/8',
  }
  const receiver = await startReceiver()
  const start = async () => {
    const node = startProcess(settings)
    const base = await node.ready()
    return { node, caller: createShopCaller(base, await getToken(base, shop.credentials)) }
  }
  let { node, caller } = await start()
  const made = await caller.post('/webhook', { url: receiver.url, types: ['customer.*'], payload: 'thin', lanes: 4 })
  expect(made.status, made.text).toBe(201)
  let repeated = 0
  let tried = 0
  for (const { name, status = 204, kill } of [...STEPS, { name: 'it was written', kill: 'before reply' as const }]) {
    const isBeforeSending = name === 'it was written'
    const ids: string[] = []
    const write = async (round: number) => {
      for (let n = 0; n < 6; n++)
        if (round === 0)
          ids.push((await caller.post('/customer', { email: `${randomUUID()}@shop.example` })).body.data.customer.id)
        else await caller.put(`/customer/${ids[n]}`, { name: `${name} ${round}` })
    }
    const killed = new Promise<void>((resolve) => {
      const stop = () => node.stop('SIGKILL').then(() => resolve())
      let count = 0
      receiver.answer = (_, reply) => {
        // In the middle of the events, with others in flight.
        const isChosen = !isBeforeSending && ++count === 9
        if (!isChosen) return reply.writeHead(204).end()
        if (kill === 'before reply') return stop()
        reply.writeHead(status).end()
        if (kill === 'after reply') reply.once('close', stop)
        else setTimeout(stop, kill)
      }
      if (isBeforeSending) write(0).then(stop)
    })
    const writing = isBeforeSending
      ? Promise.resolve()
      : write(0)
          .then(() => write(1))
          .then(() => write(2))
          .catch(() => {})
    await killed
    await writing
    receiver.answer = (_, reply) => reply.writeHead(204).end()
    // As if its lease had ended.
    await postgres.query(`update webhook set leased_until = now() - interval '1 second' where lease is not null`)
    ;({ node, caller } = await start())
    const feed = await readFeed(caller)
    await expect.poll(() => judge(receiver.received, feed).lost, { message: name }).toBe(0)
    const { reordered, doubled, repeated: sentAgain } = judge(receiver.received, feed)
    expect([reordered, doubled], name).toEqual([0, 0])
    repeated = sentAgain
    tried = feed.length
  }
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(tried)
  recordResult({ case: `webhooks: killed at every step of a delivery (${repeated} sent twice)`, tried, lost: 0 })
})
