import { readdir } from 'node:fs/promises'
import { Agent, get, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { startProcess, temporaryFolder } from '../support/server-process.ts'
import { form } from '../support/uploads.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { recordResult } from './results-table.ts'
import { getToken, type Shop, seedShop } from './seeded-shop.ts'

let postgres: PostgresServer
let shop: Shop

beforeAll(async () => {
  postgres = await startPostgres({ settings: { max_connections: '100' } })
  shop = await seedShop(postgres.connection)
  await postgres.query(
    `insert into orders (store_id, ref, currency, customer_address)
     select $1, 'R' || n, 'TND', repeat('a long street ', 20) from generate_series(1, 5000) n`,
    [shop.store],
  )
})

const serve = async (settings: Record<string, string> = {}) => {
  const folder = await temporaryFolder()
  const server = startProcess({ DATA_DIR: folder, DATABASE_URL: postgres.url, LOG_LEVEL: 'warn', ...settings })
  const base = await server.ready()
  const arriving = () => readdir(path.join(folder, 'blobs/incoming'))
  return { server, base, token: await getToken(base, shop.credentials), arriving }
}

const readAll = async (reply: IncomingMessage) => {
  let size = 0
  for await (const chunk of reply) size += (chunk as Buffer).length
  return size
}

/** Sends requests on kept-alive connections, as a proxy does, until the port is closed. */
const sendUntilClosed = (base: string, token: string, atOnce: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  const seen = { answered: 0, refused: 0, failed: [] as string[] }
  /** Returns whether to continue. */
  const ask = (path: string) =>
    new Promise<boolean>((resolve) => {
      const fail = (why: unknown) => {
        seen.failed.push(`${why} on ${path}`)
        resolve(false)
      }
      const call = get(base + path, { agent, headers: { authorization: `Bearer ${token}` } }, (reply) => {
        readAll(reply).then(() => {
          if (reply.statusCode !== 200) return fail(reply.statusCode)
          seen.answered++
          resolve(true)
        }, fail)
      })
      call.on('error', (error: NodeJS.ErrnoException) => {
        // A refused connection is no failure: the port was closed, or the connection was still in its backlog.
        const turnedAway = error.code === 'ECONNREFUSED' || (error.code === 'ECONNRESET' && !call.reusedSocket)
        if (!turnedAway) return fail(`${error}${call.reusedSocket ? ' on a kept connection' : ''}`)
        seen.refused++
        resolve(false)
      })
    })
  const one = async (n: number) => {
    for (let turn = n; await ask(turn % 2 ? '/order?page_size=5' : '/product'); turn++);
  }
  const done = Promise.all(Array.from({ length: atOnce }, (_, n) => one(n))).then(() => {
    agent.destroy()
    return seen
  })
  return { seen, done }
}

/** An upload whose second half comes later. */
const slowUpload = async (base: string, token: string, pauseMs: number) => {
  const whole = new Request(base, {
    method: 'POST',
    body: form({ file: { name: 'slow', bytes: Buffer.alloc(400_000, 7) } }),
  })
  const bytes = Buffer.from(await whole.arrayBuffer())
  return new Promise<number | undefined>((resolve, reject) => {
    const call = request(`${base}/file`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': whole.headers.get('content-type') as string,
        'content-length': bytes.length,
      },
    })
    call.on('response', (reply) => readAll(reply).then(() => resolve(reply.statusCode), reject)).on('error', reject)
    call.write(bytes.subarray(0, 200_000))
    setTimeout(() => call.end(bytes.subarray(200_000)), pauseMs)
  })
}

const isShut = (base: string) =>
  new Promise<boolean>((resolve) => {
    const { hostname, port } = new URL(base)
    const socket = connect(Number(port), hostname)
    socket.on('connect', () => resolve(false)).on('error', () => resolve(true))
    socket.on('close', () => socket.destroy())
  })

test.each([1, 2])('a shutdown under load completes every accepted request, with %i HTTP processes', async (workers) => {
  let tried = 0
  for (let round = 0; round < 2; round++) {
    const { server, base, token, arriving } = await serve({ WORKERS: String(workers), PORT: String(await freePort()) })
    const load = sendUntilClosed(base, token, 16)
    await expect.poll(() => load.seen.answered).toBeGreaterThan(30)
    const uploads = Array.from({ length: 3 }, () => slowUpload(base, token, 2_500))
    const exported = await fetch(`${base}/order/export`, { headers: { authorization: `Bearer ${token}` } })
    await expect.poll(arriving).toHaveLength(uploads.length)
    const began = performance.now()
    const stopped = server.stop('SIGTERM')
    await sleep(600)
    expect(await isShut(base)).toBe(true)
    const { failed, answered, refused } = await load.done
    expect(failed).toEqual([])
    expect(refused).toBeGreaterThan(0)
    expect(await Promise.all(uploads)).toEqual([201, 201, 201])
    expect((await exported.text()).split('\r\n').length).toBeGreaterThan(5_001)
    expect(await stopped).toBe(0)
    expect(performance.now() - began).toBeLessThan(30_000)
    tried += answered + uploads.length + 1
  }
  await expect.poll(postgres.connections).toBe(0)
  recordResult({ case: `shutdown under load, ${workers} HTTP process${workers > 1 ? 'es' : ''}`, tried, lost: 0 })
})

test('a request that never ends does not delay the shutdown beyond its deadline', async () => {
  const { server, base, token } = await serve({ SHUTDOWN_SECONDS: '2' })
  const never = slowUpload(base, token, 60_000).catch((error) => String(error))
  await sleep(300)
  const began = performance.now()
  expect(await server.stop('SIGTERM')).toBe(0)
  const ms = performance.now() - began
  expect(ms).toBeGreaterThan(1_500)
  expect(ms).toBeLessThan(30_000)
  expect(await never).toMatch(/Error/)
  expect(await postgres.query(`select from file where name = 'slow' and size <> 400000`)).toEqual([])
  recordResult({
    case: 'shutdown with a request that never ends',
    tried: 1,
    lost: 0,
    note: `${Math.round(ms)} ms of 2000`,
  })
})
