import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { APP } from './data.mjs'
import { compareLargeProducts, measureCapture, measureCaptureWithWebhook } from './event-capture.mjs'
import {
  atLeast,
  atMost,
  latencyResults,
  query,
  STORE,
  startSides,
  timed,
  UNCOMPRESSED,
  waitsOf,
  writeSteadily,
} from './event-servers.mjs'
import { measureDeliveries, measureWebhookLatency } from './event-webhooks.mjs'
import { api } from './paths.mjs'
import { helper, peakMb, residentMb } from './processes.mjs'
import { median } from './table.mjs'

/** V8 compiles what all handlers share only after a thousand requests. */
const WARM_UP_ROUNDS = 500
const PAGE_ROUNDS = 200

const measurePages = async ({ call, targets }) => {
  for (let n = 0; n < 200; n++) {
    const lines = [n, n + 1].map((at) => ({ variant_id: targets.variants[at], quantity: 1 }))
    await call('POST', '/order', { customer_email: `page${n % 20}@example.com`, variants: lines })
  }
  const paths = ['/event?page_size=200&payload=thin', '/event?page_size=20&types=order.created', '/order?page_size=20']
  /** @type {number[][]} */
  const took = paths.map(() => [])
  // In turn: the last one would gain from what the others have warmed up.
  for (let round = 0; round < WARM_UP_ROUNDS + PAGE_ROUNDS; round++)
    for (const [index, path] of paths.entries()) {
      const ms = await timed(1, () => call('GET', path))
      if (round >= WARM_UP_ROUNDS) took[index]?.push(ms)
    }
  const [thin, full, list] = took.map(median)
  return [
    atMost('GET /event, 200 thin', thin, ' ms', 5),
    atMost('GET /event, 20 full orders, of the time of GET /order', full / list, ' x', 1.2),
  ]
}

/** From the reply to a write until its event arrives in a stream. */
const measureLatency = async ({ server, token, call }) => {
  const stop = new AbortController()
  const stream = await fetch(
    `http://127.0.0.1:${server.port}${api}/event?cursor=now&types=customer.created&payload=thin`,
    {
      headers: { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' },
      signal: stop.signal,
    },
  )
  const arrived = new Map()
  const reading = (async () => {
    const decoder = new TextDecoder()
    for await (const bytes of /** @type {any} */ (stream.body))
      for (const [, id] of decoder.decode(bytes).matchAll(/"data":\{"id":"([0-9a-f-]+)"/g))
        arrived.set(id, performance.now())
  })().catch(() => {})
  const written = await writeSteadily(call, 'latency')
  await sleep(1_000)
  stop.abort()
  await reading
  return latencyResults('commit to stream at 100 writes/s', waitsOf(written, arrived), 100)
}

/** From the reply to a write until a long poll returns its event. */
const measureLongPoll = async ({ call }) => {
  let { next_cursor: cursor } = JSON.parse(await call('GET', '/event?cursor=now')).data
  const arrived = new Map()
  let isDone = false
  const reading = (async () => {
    while (!isDone) {
      const path = `/event?types=customer.created&payload=thin&page_size=200&wait=1&cursor=${cursor}`
      const { events, next_cursor } = JSON.parse(await call('GET', path)).data
      for (const { resource } of events) arrived.set(resource.id, performance.now())
      cursor = next_cursor
    }
  })()
  const written = await writeSteadily(call, 'polled')
  await sleep(1_000)
  isDone = true
  await reading
  return latencyResults('commit to long poll at 100 writes/s', waitsOf(written, arrived), 100)
}

const measureNumbering = async ({ connection }) => {
  const client = new pg.Client(connection)
  await client.connect()
  const [{ id: store }] = (await client.query(STORE)).rows
  const numberAll = async () => {
    while ((await client.query('select number_changes($1) as taken', [store])).rows[0].taken > 0);
  }
  const note = (count) =>
    client.query(
      `insert into change (store_id, kind, resource_id, op, changed) select $1, 'order', new_id(), 'u', '{status}'
      from generate_series(1, $2::int)`,
      [store, count],
    )
  try {
    await numberAll()
    const rates = []
    for (let round = 0; round < 4; round++) {
      await note(20_000)
      const started = performance.now()
      await numberAll()
      rates.push(20_000 / ((performance.now() - started) / 1000))
    }
    // An open snapshot, such as that of a backup, keeps dead rows from being removed.
    const reader = new pg.Client(connection)
    await reader.connect()
    await reader.query('begin isolation level repeatable read; select 1 from change limit 1')
    for (let round = 0; round < 15; round++) {
      await note(20_000)
      await numberAll()
    }
    const call = await timed(20, async () => {
      await note(1)
      await numberAll()
    })
    await reader.end()
    return [
      atLeast('numbering, changes per second', median(rates), '', 20_000),
      atMost('numbering among 300,000 dead rows, a change and two calls', call, ' ms', 50),
    ]
  } finally {
    await client.end()
  }
}

const READERS = 2_000

const READERS_PER_INSTALLATION = 20

const measureIdleReaders = async ({ server, connection, fullToken }) => {
  const installations = await query(
    connection,
    `with made as (
      insert into store (name, domain, currency) select 'Idle ' || n, 'idle' || n || '.example', 'TND'
      from generate_series(1, $1::int) n returning id)
    insert into installation (store_id, app_id, permissions)
    select made.id, app.id, '{order:view}' from made, app where app.client_id = $2 returning id`,
    [READERS / READERS_PER_INSTALLATION, APP.client_id],
  )
  /** Transactions per second. PostgreSQL counts those of idle connections some seconds late. */
  const transactions = async (seconds) => {
    const text = 'select xact_commit from pg_stat_database where datname = current_database()'
    const count = async () => Number((await query(connection, text))[0].xact_commit)
    await sleep(15_000)
    const [startedAt, at] = [performance.now(), await count()]
    await sleep(seconds * 1000)
    return ((await count()) - at) / ((performance.now() - startedAt) / 1000)
  }
  const idle = await transactions(20)
  const before = residentMb(server.pid)
  const stop = new AbortController()
  const open = installations.flatMap(({ id }) =>
    Array.from({ length: READERS_PER_INSTALLATION }, () => async () => {
      const reply = await fetch(`http://127.0.0.1:${server.port}${api}/event?cursor=now`, {
        headers: { Authorization: `Bearer ${fullToken}`, 'X-App-Install-Id': id, Accept: 'text/event-stream' },
        signal: stop.signal,
      })
      if (!reply.ok) throw new Error(`A stream was refused with ${reply.status}`)
    }),
  )
  for (let first = 0; first < open.length; first += 50)
    await Promise.all(open.slice(first, first + 50).map((one) => one()))
  // Each stream checks once a minute that its app is still installed.
  const perSecond = (await transactions(75)) - idle
  const more = residentMb(server.pid) - before
  stop.abort()
  return [
    // Opening them leaves garbage, which V8 collects within a minute.
    atMost(`${READERS} idle streams, more memory after a minute and a half`, more, ' MB', 40),
    // One of them is the periodic sweep.
    atMost(`${READERS} idle streams, transactions per second more than without`, perSecond, '', 1),
  ]
}

const rowsPerSecond = async ({ server, token }, path, count) => {
  const started = performance.now()
  const reply = await fetch(`http://127.0.0.1:${server.port}${api}${path}`, {
    headers: { Authorization: `Bearer ${token}`, ...UNCOMPRESSED },
  })
  let lines = 0
  for await (const bytes of /** @type {any} */ (reply.body))
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines++
  if (lines < count) throw new Error(`${path} has ${lines} lines, not ${count}`)
  return lines / ((performance.now() - started) / 1000)
}

const measureSnapshot = async (side) => {
  const [{ count }] = await query(
    side.connection,
    `select count(*)::int as count from orders where store_id = (${STORE})`,
  )
  const before = residentMb(side.server.pid)
  const rates = []
  for (let round = 0; round < 3; round++)
    rates.push(
      (await rowsPerSecond(side, '/snapshot?types=order', count)) / (await rowsPerSecond(side, '/order/export', count)),
    )
  return [
    atLeast(`snapshot of ${count} orders, of the rows per second of the export`, median(rates), ' x', 0.7),
    atMost('snapshot, more memory', peakMb(side.server.pid) - before, ' MB', 60),
  ]
}

/** The targets of the feed, the stream, the snapshot and webhooks; with --only, those of one. */
export const measureEvents = async (context) => {
  /** @type {Record<string, any>} */
  const sides = {}
  const results = []
  const load = helper('load.mjs')
  const run = async (work) => {
    for (const one of [await work].flat()) {
      results.push(one)
      context.say(`${one.isMet === undefined ? '      ' : one.isMet ? 'met   ' : 'MISSED'}  ${one.text}`)
    }
  }
  try {
    await startSides(context, sides)
    const measurements = {
      capture: () => measureCapture(load, sides, context),
      product: () => compareLargeProducts(sides),
      pages: () => measurePages(sides.with),
      stream: () => measureLatency(sides.with),
      poll: () => measureLongPoll(sides.with),
      webhooks: async () => [...(await measureWebhookLatency(sides.with)), ...(await measureDeliveries(sides.with))],
      both: () => measureCaptureWithWebhook(load, sides, context),
      numbering: () => measureNumbering(sides.with),
      // Before the snapshot, whose memory would hide theirs.
      readers: () => measureIdleReaders(sides.with),
      snapshot: () => measureSnapshot(sides.with),
    }
    const { only } = context.options
    for (const [name, measure] of Object.entries(measurements)) if (!only || name === only) await run(measure())
  } finally {
    load.stop()
    for (const { server } of Object.values(sides)) await server.stop()
  }
  const missed = results.filter(({ isMet }) => isMet === false).length
  const targets = results.filter(({ isMet }) => isMet !== undefined).length
  context.say(missed === 0 ? 'All targets are met.' : `${missed} of ${targets} targets are missed.`)
}
