import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServerProcess, startProcess, temporaryFolder } from '../support/server-process.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { recordResult } from './results-table.ts'
import { createShopCaller, getToken, readMetric, type Shop, type ShopCaller, seedShop } from './seeded-shop.ts'

const TIMES = 200
/** Enough that no socket buffer holds the whole file. */
const ORDERS = 8_000
const AT_ONCE = 10
/** Normal heap growth. 200 leaked uploads or export pieces would be several times this. */
const MAX_GROWTH = 64 * 2 ** 20

let postgres: PostgresServer
let shop: Shop
let server: ServerProcess
let base: string
let token: string
let caller: ShopCaller
let folder: string

beforeAll(async () => {
  postgres = await startPostgres()
  shop = await seedShop(postgres.connection)
  await postgres.query(
    `insert into orders (store_id, ref, currency, customer_address)
     select $1, 'R' || n, 'TND', repeat('a long street ', 20) from generate_series(1, ${ORDERS}) n`,
    [shop.store],
  )
  folder = await temporaryFolder()
  server = startProcess({ DATA_DIR: folder, DATABASE_URL: postgres.url, LOG_LEVEL: 'silent' })
  base = await server.ready()
  token = await getToken(base, shop.credentials)
  caller = createShopCaller(base, token)
})

afterAll(async () => {
  expect(await server.stop()).toBe(0)
})

/** Sends the bytes, waits for some of the reply (or a moment), and disconnects. */
const connectAndLeave = (bytes: Buffer, { after = 0 }: { after?: number } = {}) =>
  new Promise<void>((resolve) => {
    const { hostname, port } = new URL(base)
    const socket = connect(Number(port), hostname)
    let received = 0
    const leave = () => socket.destroy()
    socket.on('data', (chunk) => {
      received += chunk.length
      if (after > 0 && received >= after) leave()
    })
    socket.on('error', () => {}).on('close', () => resolve())
    socket.write(bytes, () => after === 0 && setTimeout(leave, Math.random() * 40))
    setTimeout(leave, 10_000).unref()
  })

const head = (line: string, ...headers: string[]) =>
  `${[line, 'Host: shop', `Authorization: Bearer ${token}`, ...headers].join('\r\n')}\r\n\r\n`

const runClients = async (times: number, visit: (n: number) => Promise<void>) => {
  for (let n = 0; n < times; n += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, times - n) }, (_, k) => visit(n + k)))
}

const resourcesInUse = async () => ({
  sockets: await readMetric(base, 'process_open_fds'),
  memory: await readMetric(base, 'process_resident_memory_bytes'),
  busy:
    (await readMetric(base, 'database_pool_connections', 'open')) -
    (await readMetric(base, 'database_pool_connections', 'idle')) +
    (await readMetric(base, 'database_pool_connections', 'waiting')),
})

/** Runs all clients once to warm up the server, then again, and compares what the server holds. */
const compare = async (what: string, visit: (n: number) => Promise<void>) => {
  await runClients(TIMES / 2, visit)
  await sleep(1_000)
  const before = await resourcesInUse()
  await runClients(TIMES, visit)
  await expect.poll(async () => (await resourcesInUse()).busy).toBe(0)
  await expect.poll(async () => (await resourcesInUse()).sockets).toBeLessThanOrEqual(before.sockets + 4)
  await expect.poll(async () => (await resourcesInUse()).memory).toBeLessThan(before.memory + MAX_GROWTH)
  expect(await postgres.leftOpen()).toBe(0)
  const grown = Math.round(((await resourcesInUse()).memory - before.memory) / 2 ** 20)
  recordResult({ case: what, tried: TIMES, lost: 0, note: `memory ${grown < 0 ? '' : '+'}${grown} MB` })
}

test('clients that disconnect during an upload leave nothing behind', async () => {
  const body =
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: application/octet-stream\r\n\r\n'
  const uploads = ['/file', '/product', '/review']
  await compare('client disconnects during an upload', (n) => {
    const bytes = Buffer.alloc(20_000 + (n % 5) * 200_000, 1)
    const to = uploads[n % 10 === 0 ? 1 + (n % 2) : 0]
    const start = head(
      `POST /api/apps/v1${to} HTTP/1.1`,
      'Content-Type: multipart/form-data; boundary=b',
      'Content-Length: 5000000',
    )
    return connectAndLeave(
      Buffer.concat([Buffer.from(start + body.replace('"file"', n % 10 === 0 ? '"images[]"' : '"file"')), bytes]),
    )
  })
  await expect.poll(() => readdir(path.join(folder, 'blobs/incoming'))).toEqual([])
  expect(await postgres.query('select from blob_claim')).toEqual([])
  expect(await postgres.query('select from file')).toEqual([])
})

test('clients that disconnect during an export leave nothing behind, and the next export works', async () => {
  // Some disconnect at once, some after the first chunk, some in the middle of the file.
  await compare('client disconnects during an export', (n) =>
    connectAndLeave(Buffer.from(head('GET /api/apps/v1/order/export HTTP/1.1')), {
      after: [0, 1, 1_000_000][n % 3] as number,
    }),
  )
  const whole = await caller.get('/order/export')
  expect(whole.status, whole.text.slice(0, 200)).toBe(200)
  expect(whole.text.split('\r\n').length).toBe(ORDERS + 2)
  expect((await caller.get('/order')).status).toBe(200)
})
