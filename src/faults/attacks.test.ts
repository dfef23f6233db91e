import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServerProcess, startProcess, temporaryFolder } from '../testing/process.ts'
import { form } from '../testing/uploads.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { callerAt, getToken, openShop, type Shop, type ShopCaller } from './shop.ts'
import { record } from './table.ts'

/** All attacks run at once for this long. */
const ATTACK_MS = Number(process.env.ATTACK_SECONDS ?? 120) * 1_000
const QUIET_MS = 15_000
const MAX_SLOWDOWN = 5
const MAX_SERVER_BYTES = 600 * 2 ** 20
const MAX_BACKEND_BYTES = 150 * 2 ** 20
const LARGE_ORDERS = 140

let postgres: PostgresServer
let server: ServerProcess
let base: string
let attackers: Shop
let neighbours: Shop

beforeAll(async () => {
  postgres = await startPostgres()
  attackers = await openShop(postgres.connection)
  neighbours = await openShop(postgres.connection)
  server = startProcess({ DATA_DIR: await temporaryFolder(), DATABASE_URL: postgres.url, LOG_LEVEL: 'warn' })
  base = await server.ready()
})

afterAll(async () => {
  expect(await server.stop()).toBe(0)
})

const p99 = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0

/** Reads as another store's app does, one call after the other, until told to stop. */
const startNeighbour = (caller: ShopCaller) => {
  const times: number[] = []
  const wrong: string[] = []
  let stopped = false
  const run = async () => {
    for (let turn = 0; !stopped; turn++) {
      const { status, ms, text } = await caller.get(turn % 2 ? '/product' : `/product/${neighbours.mug.id}`)
      times.push(ms)
      if (status !== 200) wrong.push(`${status} ${text.slice(0, 200)}`)
      await sleep(20)
    }
  }
  const running = run()
  return async () => {
    stopped = true
    await running
    return { p99: p99(times), calls: times.length, wrong }
  }
}

const kilobytesOf = (file: string, pattern: RegExp) =>
  [...readFileSync(file, 'utf8').matchAll(pattern)].reduce((sum, [, kilobytes]) => sum + Number(kilobytes), 0)

/** The most memory the server and any one of its backends had, looked at every half second. */
const watchMemory = () => {
  const most = { server: 0, backend: 0 }
  const look = async () => {
    most.server = Math.max(most.server, kilobytesOf(`/proc/${server.child.pid}/status`, /^VmRSS:\s+(\d+)/gm) * 1024)
    const rows: { pid: number }[] = await postgres.query(
      `select pid from pg_stat_activity where application_name like 'storefront %' and datname = current_database()`,
    )
    for (const { pid } of rows)
      try {
        const kilobytes = kilobytesOf(`/proc/${pid}/smaps_rollup`, /^Private_\w+:\s+(\d+) kB$/gm)
        most.backend = Math.max(most.backend, kilobytes * 1024)
      } catch {
        // It has ended since.
      }
  }
  let stopped = false
  const running = (async () => {
    while (!stopped) {
      await look()
      await sleep(500)
    }
  })()
  return async () => {
    stopped = true
    await running
    return most
  }
}

/** Sends these bytes and then neither sends the rest nor reads the answer. */
const holdOpen = (bytes: string | Buffer): Socket => {
  const { hostname, port } = new URL(base)
  const socket = connect(Number(port), hostname, () => socket.write(bytes))
  return socket.on('error', () => {}).pause()
}

const request = (method: string, path: string, headers: Record<string, string>, body = '') =>
  `${method} /api/apps/v1${path} HTTP/1.1\r\nHost: x\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${body}`

const SORTS = ['total', 'quantity', 'date', 'status']
const PAIRS = `[${'{},'.repeat(600_000)}{}]`
const json = { 'content-type': 'application/json' }

/** What one app with every permission, and strangers beside it, do at the same time. */
const attacksOf = async (caller: ShopCaller, token: string) => {
  const authorization = `Bearer ${token}`
  const page = await sharp({ create: { width: 3000, height: 3000, channels: 3, background: '#864' } })
    .avif({ effort: 0 })
    .toBuffer()
  const send = (path: string, init: RequestInit) =>
    fetch(base + path, init).then((reply) => reply.arrayBuffer().then(() => reply.status))
  const held: Socket[] = []
  const hold = (bytes: string) => {
    held.push(holdOpen(bytes))
    if (held.length > 60) held.shift()?.destroy()
    return sleep(100)
  }
  const attacks: Record<string, (n: number) => Promise<unknown>> = {
    'large lists': () => caller.get('/order?page_size=200'),
    'a plan a call': (n) =>
      caller.get(
        `/order?page_size=${1 + (n % 200)}&order_by=${SORTS[n % 4]}&order_direction=${n % 3 ? 'ASC' : 'DESC'}`,
      ),
    searches: (n) =>
      caller.get(`/order?search=${'large order shop'.slice(n % 5)}&status=paid&page_size=${1 + (n % 200)}`),
    'slow lists': (n) =>
      caller.get(
        `/order?exclude_delivery_status=shipped&exclude_refund_status=pending&page=${1 + (n % 5)}&page_size=200`,
      ),
    'many metadata parts': () => {
      const body = new FormData()
      for (let part = 0; part < 20; part++) body.append('metadata', `{"title":"${'x'.repeat(200_000)}"}`)
      return send('/product', { method: 'POST', headers: { authorization }, body })
    },
    'pairs without a token': () => send('/auth/get-token', { method: 'POST', headers: json, body: PAIRS }),
    'a body for nobody': () => send('/nothing-here', { method: 'POST', headers: json, body: PAIRS }),
    'pairs with a token': () =>
      send('/order', { method: 'POST', headers: { ...json, authorization }, body: `{"meta_data":{"a":${PAIRS}}}` }),
    'long numbers': () =>
      send('/order', {
        method: 'POST',
        headers: { ...json, authorization },
        body: `{"meta_data":{"a":[${'1e308,'.repeat(9_000)}1]}}`,
      }),
    'bodies held back': () =>
      hold(request('POST', '/auth/get-token', { ...json, 'content-length': '16000' }, ' '.repeat(15_999))),
    'answers not read': () => hold(request('GET', '/order?page_size=200', { authorization }).repeat(4)),
    pictures: () => caller.post('/file', form({ file: { name: 'page.avif', bytes: page } })),
    wildcards: () => caller.get(`/file?mime_type=${Array.from({ length: 100 }, (_, n) => `*${n}*`).join()}`),
    'answers kept': () =>
      caller.post('/order', { meta_data: { note: 'x'.repeat(60_000) } }, { 'idempotency-key': randomUUID() }),
    documents: () => send('/../../../openapi.json', { headers: { 'accept-encoding': 'gzip' } }),
    'odd input': (n) =>
      [
        () => send('/order?cursor=eyJ2IjpbIjAwMDAtMDEtMDEiXX0', { headers: { authorization } }),
        () => send('/product', { headers: { authorization, 'x-forwarded-for': '1, '.repeat(3_000) } }),
        () => send('/customer', { method: 'POST', headers: { ...json, authorization }, body: '{"\\ud800":1}' }),
      ][n % 3]?.() as Promise<unknown>,
  }
  const release = () => {
    for (const socket of held) socket.destroy()
  }
  return { attacks, release }
}

test('all attacks at once leave the neighbour served, the memory bounded and the server up', {
  timeout: 600_000,
}, async () => {
  const token = await getToken(base, attackers.credentials)
  const caller = callerAt(base, token)
  const neighbour = callerAt(base, await getToken(base, neighbours.credentials))
  for (let n = 0; n < LARGE_ORDERS; n++)
    expect(
      (
        await caller.post('/order', {
          status: 'paid',
          customer_first_name: 'large order shop',
          meta_data: { note: 'x'.repeat(60_000) },
        })
      ).status,
    ).toBe(201)

  const stopQuiet = startNeighbour(neighbour)
  await sleep(QUIET_MS)
  const quiet = await stopQuiet()

  const { attacks, release } = await attacksOf(caller, token)
  const stopMemory = watchMemory()
  const stopNeighbour = startNeighbour(neighbour)
  const end = performance.now() + ATTACK_MS
  const statuses = new Map<string, number>()
  let tried = 0
  const attack = async (name: string, work: (n: number) => Promise<unknown>) => {
    for (let n = 0; performance.now() < end; n++) {
      tried++
      const result = await work(n).catch(() => 'cut off')
      const status = typeof result === 'object' && result ? (result as { status: number }).status : result
      const key = `${name}: ${status ?? 'held'}`
      statuses.set(key, (statuses.get(key) ?? 0) + 1)
    }
  }
  await Promise.all(Object.entries(attacks).map(([name, work]) => attack(name, work)))
  release()
  const disturbed = await stopNeighbour()
  const most = await stopMemory()

  const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`
  const slowdown = disturbed.p99 / quiet.p99
  record({
    case: 'attacks: all at once, another store reads on',
    tried,
    lost: disturbed.wrong.length,
    note: `p99 ${Math.round(quiet.p99)} -> ${Math.round(disturbed.p99)} ms, server ${megabytes(most.server)}, backend ${megabytes(most.backend)}`,
  })
  const about = [...statuses].map(([key, count]) => `${key} x ${count}`).join('\n')
  expect(server.child.exitCode, server.output()).toBeNull()
  expect(
    [...statuses.keys()].filter((key) => key.endsWith(': 500')),
    about,
  ).toEqual([])
  expect(disturbed.wrong, about).toEqual([])
  expect(most.server, about).toBeLessThan(MAX_SERVER_BYTES)
  expect(most.backend, about).toBeLessThan(MAX_BACKEND_BYTES)
  expect(slowdown, `${quiet.p99} ms quiet, ${disturbed.p99} ms disturbed\n${about}`).toBeLessThanOrEqual(MAX_SLOWDOWN)
})
