import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { type ServerProcess, startProcess, temporaryFolder } from '../support/server-process.ts'
import { hasPgbouncer, startPgbouncer } from './pgbouncer.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { recordResult } from './results-table.ts'
import { createShopCaller, getToken, type Shop, type ShopCaller, seedShop } from './seeded-shop.ts'

const WRITERS = 16
const WORK_MS = 30_000

interface Written {
  /** Of the customer that was created, or the category that was inserted. */
  id: string
  sent: number
  acknowledged: number
}

interface Seen {
  position: number
  id: string
  type: string
}

/** Creates customers and renames its own, through nodes that may die. */
const writeOverHttp = async (callers: ShopCaller[], until: number, writer: number) => {
  const written: Written[] = []
  const renamed = new Map<string, number>()
  const uncertain = new Set<string>()
  for (let round = 0; performance.now() < until; round++) {
    const caller = callers[(writer + round) % callers.length] as ShopCaller
    const own = written.at(-1)?.id
    const sent = performance.now()
    try {
      if (own && round % 3 !== 0) {
        const { status } = await caller.put(`/customer/${own}`, { name: `Name ${randomUUID()}` })
        if (status === 200) renamed.set(own, (renamed.get(own) ?? 0) + 1)
        else uncertain.add(own)
      } else {
        const { status, body } = await caller.post('/customer', { email: `${randomUUID()}@shop.example` })
        if (status === 201) written.push({ id: body.data.customer.id, sent, acknowledged: performance.now() })
      }
    } catch {
      // The server was killed: whether it has written is unknown.
      if (own) uncertain.add(own)
    }
    if (Math.random() < 0.2) await sleep(Math.random() * 20)
  }
  return { written, renamed, uncertain }
}

/** Inserts categories in slow transactions, and rolls some of them back. */
const writeOverSql = async (url: string, store: string, until: number) => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const written: Written[] = []
  const rolledBack: string[] = []
  while (performance.now() < until) {
    const id = randomUUID()
    const sent = performance.now()
    await client.query('begin')
    await client.query(
      'insert into category (store_id, id, name, name_key) values ($1, $2::uuid, $2::uuid::text, $2::uuid::text)',
      [store, id],
    )
    await sleep(Math.random() * 60)
    const commits = Math.random() < 0.7
    await client.query(commits ? 'commit' : 'rollback')
    if (commits) written.push({ id, sent, acknowledged: performance.now() })
    else rolledBack.push(id)
  }
  await client.end()
  return { written, rolledBack }
}

/** Follows the feed through one node until it is told to stop and has read everything. */
const follow = async (callers: () => ShopCaller, stop: () => boolean) => {
  const seen: Seen[] = []
  let cursor = ''
  for (;;) {
    const isLast = stop()
    try {
      const reply = await callers().get(
        `/event?payload=thin&page_size=200&wait=${isLast ? 0 : 1}${cursor && `&cursor=${cursor}`}`,
      )
      expect(reply.status, reply.text).toBe(200)
      const { events, next_cursor, more } = reply.body.data
      for (const { position, type, resource } of events) seen.push({ position, type, id: resource.id })
      cursor = next_cursor
      if (isLast && !more) return { seen, cursor }
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      await sleep(50)
    }
  }
}

/** A write that was acknowledged before another began must come before it in the feed. */
const findReordered = (written: Written[], positionOf: Map<string, number>) => {
  const byAck = [...written].sort((a, b) => a.acknowledged - b.acknowledged)
  let next = 0
  let highest = 0
  const wrong: string[] = []
  for (const { id, sent } of [...written].sort((a, b) => a.sent - b.sent)) {
    for (; next < byAck.length && (byAck[next] as Written).acknowledged < sent; next++)
      highest = Math.max(highest, positionOf.get((byAck[next] as Written).id) ?? 0)
    if ((positionOf.get(id) ?? 0) < highest) wrong.push(id)
  }
  return wrong
}

const writeAndFollow = async (
  postgres: PostgresServer,
  shop: Shop,
  nodes: ServerProcess[],
  { kill = false, openTransaction = false } = {},
) => {
  const bases = await Promise.all(nodes.map((node) => node.ready()))
  const token = await getToken(bases[0] as string, shop.credentials)
  const callers = bases.map((base) => createShopCaller(base, token))
  const until = performance.now() + WORK_MS
  let isDone = false
  const open = new pg.Client({ connectionString: postgres.url })
  const late = randomUUID()
  if (openTransaction) {
    await open.connect()
    await open.query('begin')
    await open.query(
      'insert into category (store_id, id, name, name_key) values ($1, $2::uuid, $2::uuid::text, $2::uuid::text)',
      [shop.store, late],
    )
  }
  const living = () => callers.filter((_, index) => nodes[index]?.child.signalCode === null)
  const readers = callers.map((_, index) =>
    follow(
      () => living()[index % living().length] as ShopCaller,
      () => isDone,
    ),
  )
  if (kill) setTimeout(() => nodes.at(-1)?.stop('SIGKILL'), WORK_MS / 2)
  const [http, sql] = await Promise.all([
    Promise.all(Array.from({ length: WRITERS }, (_, writer) => writeOverHttp(callers, until, writer))),
    Promise.all(Array.from({ length: 4 }, () => writeOverSql(postgres.url, shop.store, until))),
  ])
  isDone = true
  const followed = await Promise.all(readers)
  const [{ seen, cursor }] = followed as [Awaited<ReturnType<typeof follow>>]

  // Positions have no gaps, and every reader saw the same.
  expect(seen.map(({ position }) => position)).toEqual(seen.map((_, index) => index + 1))
  for (const other of followed) expect(other.seen).toEqual(seen)
  const created = seen.filter(({ type }) => type.endsWith('.created'))
  const positionOf = new Map(created.map(({ id, position }) => [id, position]))
  expect(positionOf.size).toBe(created.length)
  const written = [...http, ...sql].flatMap(({ written }) => written)
  const lost = written.filter(({ id }) => !positionOf.has(id))
  expect(lost).toEqual([])
  expect(sql.flatMap(({ rolledBack }) => rolledBack).filter((id) => positionOf.has(id))).toEqual([])
  expect(findReordered(written, positionOf)).toEqual([])
  const updates = new Map<string, number>()
  for (const { type, id, position } of seen) {
    if (type !== 'customer.updated') continue
    expect(position).toBeGreaterThan(positionOf.get(id) ?? 0)
    updates.set(id, (updates.get(id) ?? 0) + 1)
  }
  for (const { renamed, uncertain } of http)
    for (const [id, times] of renamed)
      if (uncertain.has(id)) expect(updates.get(id)).toBeGreaterThanOrEqual(times)
      else expect(updates.get(id)).toBe(times)

  if (openTransaction) {
    expect(positionOf.has(late)).toBe(false)
    await open.query('commit')
    await open.end()
    const reply = await (living()[0] as ShopCaller).get(`/event?cursor=${cursor}`)
    expect(reply.body.data.events).toMatchObject([{ type: 'category.created', resource: { id: late } }])
  }
  return written.length
}

test('three nodes, one of them killed: the feed has every acknowledged write once, in order, without gaps', async () => {
  const postgres = await startPostgres()
  const shop = await seedShop({ connectionString: postgres.url })
  const settings = { DATABASE_URL: postgres.url, DATA_DIR: await temporaryFolder(), LOG_LEVEL: 'silent' }
  const nodes = Array.from({ length: 3 }, () => startProcess(settings))
  const tried = await writeAndFollow(postgres, shop, nodes, { kill: true, openTransaction: true })
  recordResult({ case: 'events: 16 writers on three nodes, one killed, one transaction open', tried, lost: 0 })

  // A write on one node is shown by the next read of another.
  const [one, two] = await Promise.all(nodes.slice(0, 2).map((node) => node.ready()))
  const token = await getToken(one as string, shop.credentials)
  const [writer, reader] = [one, two].map((base) => createShopCaller(base as string, token)) as [ShopCaller, ShopCaller]
  let { next_cursor: cursor } = (await reader.get('/event?cursor=now')).body.data
  for (let round = 0; round < 50; round++) {
    const { customer } = (await writer.post('/customer', { email: `${randomUUID()}@shop.example` })).body.data
    const { events, next_cursor } = (await reader.get(`/event?cursor=${cursor}&payload=thin`)).body.data
    expect(events).toMatchObject([{ resource: { id: customer.id } }])
    cursor = next_cursor
  }
  recordResult({ case: 'events: a read on another node right after a write', tried: 50, lost: 0 })
})

test('behind pgbouncer in transaction mode the feed is the same', async () => {
  if (!hasPgbouncer) return recordResult({ case: 'events behind pgbouncer (not installed)', tried: 0, lost: 0 })
  const postgres = await startPostgres()
  const shop = await seedShop({ connectionString: postgres.url })
  const { url } = await startPgbouncer(postgres.port)
  const settings = {
    DATABASE_URL: url,
    DATABASE_PREPARE: 'false',
    DATA_DIR: await temporaryFolder(),
    LOG_LEVEL: 'silent',
  }
  const nodes = Array.from({ length: 3 }, () => startProcess(settings))
  const tried = await writeAndFollow(postgres, shop, nodes, { openTransaction: true })
  recordResult({ case: 'events: 16 writers on three nodes behind pgbouncer, one transaction open', tried, lost: 0 })
})
