import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { APP, copyData, pickTargets } from './data.mjs'
import { api } from './places.mjs'
import { cpuSeconds, helper, peakMb, residentMb, startServer } from './processes.mjs'
import { median } from './table.mjs'
import { smallWorks } from './works.mjs'

const CONNECTIONS = 16

/** @returns {Promise<any[]>} */
const query = async (connection, text, values = []) => {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}

const dropCapture = (connection) =>
  query(
    connection,
    `do $$ declare t record; begin
      for t in select tgname, tgrelid::regclass as source from pg_trigger where tgname like 'capture\\_%' loop
        execute format('drop trigger %I on %s', t.tgname, t.source);
      end loop; end $$`,
  )

/** CPU time of the PostgreSQL processes that serve this database. */
const backendSeconds = async (connection) => {
  const rows = await query(
    connection,
    `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  )
  return rows.reduce((sum, { pid }) => sum + (cpuSeconds(pid) || 0), 0)
}

const walBytes = async (connection) =>
  Number((await query(connection, `select pg_current_wal_insert_lsn() - '0/0' as at`))[0].at)

/** A server on a copy first renders the texts that it keeps. */
const untilQuiet = async ({ pid }) => {
  for (let quiet = 0, before = cpuSeconds(pid); quiet < 3; ) {
    await sleep(500)
    const now = cpuSeconds(pid)
    quiet = now - before < 0.05 ? quiet + 1 : 0
    before = now
  }
}

/** Two copies of the data with a server each: one captures changes, the other does not. */
const startSides = async ({ engine, small, environment, getToken }, sides) => {
  for (const name of ['with', 'without']) {
    const copy = await copyData(engine, small, `_${name}`)
    const connection = { ...engine, database: copy }
    if (name === 'without') await dropCapture(connection)
    const server = await startServer({ ...environment(engine, copy), WEBHOOK_PRIVATE: '127.0.0.1/32' })
    sides[name] = { connection, server }
    await untilQuiet(server)
    const targets = { ...(await pickTargets(connection)), credentials: APP }
    const token = await getToken(server)
    const { install_id: _, ...anywhere } = APP
    const fullToken = await getToken(server, anywhere)
    Object.assign(sides[name], { targets, token, fullToken, call: callerOf(server, token) })
  }
}

const writesOf = ({ targets, token }) => {
  const works = smallWorks(targets, token)
  const find = (part) => works.find((work) => work.name.startsWith(part))?.requests
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  return {
    'POST /order': find('POST /order'),
    'POST /customer': find('POST /customer'),
    'product update': targets.product.map((id) => ({
      method: 'POST',
      path: `${api}/product/${id}/update`,
      headers,
      body: JSON.stringify({ title: 'Title ########' }),
    })),
  }
}

/** The same writes with and without capture, alternately. CPU time is nearly immune to other load on the machine. */
const measureCapture = async (
  load,
  sides,
  { options, say },
  works = ['POST /order', 'POST /customer', 'product update'],
  note = '',
) => {
  const results = []
  for (const work of works) {
    /** @type {Record<string, any[]>} */
    const taken = { with: [], without: [] }
    const go = (side, job) =>
      load.ask({
        connections: CONNECTIONS,
        ...job,
        port: side.server.port,
        requests: writesOf(side)[work],
        stamped: true,
      })
    // Every connection plans its statements, those of triggers too, before anything is measured.
    for (const side of Object.values(sides)) await go(side, { count: 1_200 })
    for (let round = 0; round < Number(options.rounds); round++) {
      for (const [name, side] of Object.entries(sides)) {
        const stand = async () => [
          cpuSeconds(side.server.pid),
          await backendSeconds(side.connection),
          await walBytes(side.connection),
        ]
        const before = await stand()
        const done = await go(side, { ms: Number(options.ms) })
        const after = await stand()
        if (Object.keys(done.statuses).some((status) => status >= '300'))
          throw new Error(`${work} answered ${JSON.stringify(done.statuses)}`)
        const [node = 0, postgres = 0, wal = 0] = after.map(
          (value, index) => (value - (before[index] ?? 0)) / done.count,
        )
        taken[name]?.push({ ...done, cpu: (node + postgres) * 1000, wal })
      }
    }
    const of = (name, field) => median(taken[name]?.map((one) => one[field]) ?? [])
    say(
      `${work}: ${of('with', 'rps').toFixed(0)} against ${of('without', 'rps').toFixed(0)} requests/s, p99 ${of('with', 'p99').toFixed(1)} against ${of('without', 'p99').toFixed(1)} ms, CPU ${of('with', 'cpu').toFixed(2)} against ${of('without', 'cpu').toFixed(2)} ms, WAL ${of('with', 'wal').toFixed(0)} against ${of('without', 'wal').toFixed(0)} bytes`,
    )
    results.push(
      atLeast(
        `${work}${note}, of the requests per CPU time without capture`,
        of('without', 'cpu') / of('with', 'cpu'),
        '',
        0.9,
      ),
      atMost(
        `${work}${note}, p99 of that without capture (wall clock)`,
        of('with', 'p99') / of('without', 'p99'),
        ' x',
        1.15,
      ),
    )
    if (work === 'POST /order' && !note)
      results.push(
        atMost('POST /order, of the WAL without capture', of('with', 'wal') / of('without', 'wal'), ' x', 1.15),
      )
  }
  return results
}

const STORE = 'select id from bench_shop where shop = 1'

/** @returns {{ text: string, isMet: boolean | undefined }} Without a bar, it is neither met nor missed. */
const result = (name, value, unit, bar, isMet) => ({
  text: `${name}: ${value < 10 ? value.toFixed(2) : value.toFixed(0)}${unit}${bar === undefined ? '' : ` (bar: ${bar}${unit})`}`,
  isMet,
})
const atMost = (name, value, unit, bar) => result(name, value, unit, bar, value <= bar)
const atLeast = (name, value, unit, bar) => result(name, value, unit, bar, value >= bar)

const timed = async (times, work) => {
  const took = []
  for (let n = 0; n < times; n++) {
    const started = performance.now()
    await work(n)
    took.push(performance.now() - started)
  }
  return median(took)
}

const callerOf = (server, token, extra = {}) => {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...extra }
  return async (method, path, body) => {
    const reply = await fetch(`http://127.0.0.1:${server.port}${api}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${text.slice(0, 300)}`)
    return text
  }
}

/** A product with 2,000 variants, with and without capture, alternately. */
const compareLargeProducts = async (sides) => {
  const values = (count) => Array.from({ length: count }, (_, n) => ({ value: `v${n}` }))
  const body = {
    title: 'Large',
    options: [
      { name: 'A', values: values(50) },
      { name: 'B', values: values(40) },
    ],
    variants: Array.from({ length: 2_000 }, (_, n) => ({
      price: 1,
      quantity: 1,
      values: [{ value: `v${n % 50}` }, { value: `v${Math.floor(n / 50)}` }],
    })),
  }
  const took = { with: [], without: [] }
  for (let round = 0; round < 6; round++)
    for (const [name, { call }] of Object.entries(sides))
      took[name].push(await timed(1, () => call('POST', '/product', body)))
  return atLeast(
    'product of 2,000 variants, of the speed without capture',
    median(took.without.slice(1)) / median(took.with.slice(1)),
    '',
    0.95,
  )
}

/** The same with one webhook that takes everything, delivered by the same process. */
const measureCaptureWithWebhook = async (load, sides, context) => {
  const receiver = await startReceiver()
  const id = await createWebhook(sides.with, { url: receiver.url, types: ['*'], lanes: 8 })
  const results = await measureCapture(load, sides, context, ['POST /order', 'POST /customer'], ' with a webhook')
  await sides.with.call('DELETE', `/webhook/${id}`)
  receiver.stop()
  return results
}

const measurePages = async ({ call }) => {
  const thin = await timed(30, () => call('GET', '/event?page_size=200&payload=thin'))
  const full = await timed(30, () => call('GET', '/event?page_size=20&types=order.created'))
  const list = await timed(30, () => call('GET', '/order?page_size=20'))
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

/** The quantile of times in milliseconds. */
const quantileOf = (times, q) => times.toSorted((a, b) => a - b)[Math.floor(times.length * q)] ?? Number.NaN

/** Creates customers, 100 a second, and returns when each reply came. */
const writeSteadily = async (call, name) => {
  const written = new Map()
  const pending = []
  const started = performance.now()
  for (let n = 0; n < 600; n++) {
    pending.push(
      call('POST', '/customer', { email: `${name}-${process.pid}-${n}@example.com` }).then((text) =>
        written.set(JSON.parse(text).data.customer.id, performance.now()),
      ),
    )
    await sleep(Math.max(0, started + 10 * (n + 1) - performance.now()))
  }
  await Promise.all(pending)
  return written
}

const waitsOf = (written, arrived) => [...written].map(([id, at]) => (arrived.get(id) ?? Number.POSITIVE_INFINITY) - at)

const latencyResults = (name, waits, bar) => [
  result(`${name}, median`, quantileOf(waits, 0.5), ' ms', undefined, undefined),
  atMost(`${name}, p99`, quantileOf(waits, 0.99), ' ms', bar),
]

/** From the reply to a write until a request that waits for events shows it. */
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
    // A backup that still reads keeps dead rows from being removed.
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
  await sleep(15_000)
  const more = residentMb(server.pid) - before
  // PostgreSQL counts transactions of idle connections some seconds late: those of opening the streams are not meant.
  await sleep(15_000)
  const statements = async () =>
    Number(
      (await query(connection, 'select xact_commit from pg_stat_database where datname = current_database()'))[0]
        .xact_commit,
    )
  const [startedAt, at] = [performance.now(), await statements()]
  // Each stream looks once a minute whether its app is still installed.
  await sleep(60_000)
  const perSecond = ((await statements()) - at) / ((performance.now() - startedAt) / 1000)
  stop.abort()
  return [
    atMost(`${READERS} idle streams, more memory`, more, ' MB', 40),
    atMost(
      `${READERS} idle streams, transactions per second in the database (sweep and housekeeping)`,
      perSecond,
      '',
      5,
    ),
  ]
}

const rowsPerSecond = async ({ server, token }, path, count) => {
  const started = performance.now()
  const reply = await fetch(`http://127.0.0.1:${server.port}${api}${path}`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  let lines = 0
  for await (const bytes of /** @type {any} */ (reply.body)) for (const byte of bytes) if (byte === 10) lines++
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

/** A receiver that notes when the first byte about each resource came, and answers at once. */
const startReceiver = async () => {
  const arrived = new Map()
  const server = createServer((request, response) => {
    const at = performance.now()
    let text = ''
    request.on('data', (bytes) => (text += bytes))
    request.on('end', () => {
      const [, id] = /"resource":\{"kind":"\w+","id":"([0-9a-f-]+)"/.exec(text) ?? []
      if (!arrived.has(id)) arrived.set(id, at)
      response.writeHead(204).end()
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { arrived, url: `http://127.0.0.1:${port}/`, stop }
}

const createWebhook = async ({ call }, body) => JSON.parse(await call('POST', '/webhook', body)).data.webhook.id

const WEBHOOK_EVENTS = 5_000

const measureDeliveries = async (side) => {
  const { server, connection, call } = side
  const rates = []
  const costs = []
  for (let round = 0; round < 6; round++) {
    const receiver = await startReceiver()
    const { next_cursor: cursor } = JSON.parse(await call('GET', '/event?cursor=now')).data
    const noted = await query(
      connection,
      `insert into change (store_id, kind, resource_id, op, changed)
      select store_id, 'customer', id, 'u', '{name}' from customer where store_id = (${STORE}) limit $1 returning 1`,
      [WEBHOOK_EVENTS],
    )
    await call('GET', '/event?cursor=now')
    const cpu = cpuSeconds(server.pid)
    const started = performance.now()
    const id = await createWebhook(side, { url: receiver.url, types: ['customer.updated'], lanes: 8, cursor })
    let first = 0
    while (receiver.arrived.size < noted.length) {
      if (first === 0 && receiver.arrived.size > 0) first = performance.now()
      if (performance.now() - started > 120_000) throw new Error(`${receiver.arrived.size} of ${noted.length} arrived`)
      await sleep(2)
    }
    rates.push(noted.length / ((performance.now() - first) / 1000))
    costs.push(((cpuSeconds(server.pid) - cpu) * 1000) / noted.length)
    await call('DELETE', `/webhook/${id}`)
    receiver.stop()
  }
  return [
    // The first half is compiled and optimized while it runs.
    atLeast('webhooks, deliveries per second of a process, 8 lanes', median(rates.slice(3)), '', 500),
    atMost('webhooks, CPU time of the process for a delivery', median(costs.slice(3)), ' ms', 0.6),
  ]
}

/** From the reply to a write until the first byte of its webhook arrives. */
const measureWebhookLatency = async (side) => {
  const { call } = side
  const receiver = await startReceiver()
  const id = await createWebhook(side, { url: receiver.url, types: ['customer.created'], lanes: 8 })
  // The first event of a webhook waits for it to be noticed.
  await call('POST', '/customer', { email: `first-${process.pid}@example.com` })
  while (receiver.arrived.size === 0) await sleep(10)
  const written = await writeSteadily(call, 'hooked')
  await sleep(2_000)
  await call('DELETE', `/webhook/${id}`)
  receiver.stop()
  return latencyResults("commit to webhook's first byte at 100 writes/s", waitsOf(written, receiver.arrived), 150)
}

/** The bars of the feed, the stream, the snapshot and webhooks; with --only, those of one. */
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
  const bars = results.filter(({ isMet }) => isMet !== undefined).length
  context.say(missed === 0 ? 'All bars are met.' : `${missed} of ${bars} bars are missed.`)
}
