import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { addCleanup } from '../support/cleanup.ts'
import { freePort } from '../support/free-port.ts'
import { startReceiver } from '../support/receiver.ts'
import { isS3ServerInstalled, startS3Server } from '../support/s3-server.ts'
import { startProcess, temporaryFolder } from '../support/server-process.ts'
import { form } from '../support/uploads.ts'
import { startPostgres } from './postgres-server.ts'
import { findTool } from './raw-http.ts'
import { recordResult } from './results-table.ts'
import { createShopCaller, getToken, seedShop } from './seeded-shop.ts'

const FILE_BYTES = 600_000
const ORDERS = 40

/** The configuration of docs/deployment.md, for these ports and without TLS. */
const documentedConfig = async (port: number, nodes: number[]) => {
  const text = await readFile(new URL('../../docs/deployment.md', import.meta.url), 'utf8')
  const [, config = ''] = /```haproxy\n([\s\S]*?)```/.exec(text) ?? []
  expect(config).toContain('option redispatch')
  return config
    .replace(/bind .*/, `bind 127.0.0.1:${port}`)
    .replace('10.0.0.11:3000', `127.0.0.1:${nodes[0]}`)
    .replace('10.0.0.12:3000', `127.0.0.1:${nodes[1]}`)
}

const startHaproxy = async (tool: string, port: number, nodes: number[]) => {
  const file = path.join(await temporaryFolder(), 'haproxy.cfg')
  await writeFile(file, await documentedConfig(port, nodes))
  const child = spawn(tool, ['-db', '-f', file], { stdio: 'ignore' })
  addCleanup(async () => {
    if (child.exitCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  })
}

const haproxy = findTool('haproxy')

test.skipIf(!haproxy || !(await isS3ServerInstalled()))(
  'two nodes with files in S3 behind haproxy are restarted one after the other, and nobody notices',
  async () => {
    const s3 = await startS3Server()
    addCleanup(s3.stop)
    const postgres = await startPostgres()
    const shop = await seedShop(postgres.connection)
    const ports = [await freePort(), await freePort()]
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    const base = `${origin}/api/apps/v1`
    const start = async (nodePort: number) => {
      const node = startProcess({
        ...s3.settings,
        DATABASE_URL: postgres.url,
        DATA_DIR: await temporaryFolder(),
        BASE_URL: origin,
        TRUST_PROXY: '1',
        SHUTDOWN_DELAY_SECONDS: '5',
        PORT: String(nodePort),
        METRICS: 'off',
        LOG_LEVEL: 'silent',
        WEBHOOK_PRIVATE: '127.0.0.0/8',
      })
      await node.ready()
      return node
    }
    const nodes = await Promise.all(ports.map(start))
    await startHaproxy(haproxy as string, port, ports)
    await expect.poll(async () => (await fetch(`${origin}/readyz`).catch(() => undefined))?.status).toBe(200)
    const token = await getToken(base, shop.credentials)
    const caller = createShopCaller(base, token)
    for (let n = 0; n < ORDERS; n++) {
      const variants = [{ variant_id: shop.mug.variant, quantity: 1 }]
      expect((await caller.post('/order', { customer_email: `buyer${n}@example.com`, variants })).status).toBe(201)
    }
    const receiver = await startReceiver()
    const hook = await caller.post('/webhook', { url: receiver.url, types: ['customer.created'], payload: 'thin' })
    expect(hook.status, hook.text).toBe(201)

    const failed: string[] = []
    const done: Record<string, number> = {}
    const customers: string[] = []
    const streamed = new Set<string>()
    const hungUp = new AbortController()
    let going = true
    const fail = (what: string, why: unknown) => failed.push(`${what}: ${why}`)
    const repeat = async (what: string, work: () => Promise<string | undefined>) => {
      while (going) {
        const fault = await work().catch((error: Error) => `${error} ${error.cause ?? ''}`)
        if (fault === undefined) done[what] = (done[what] ?? 0) + 1
        else fail(what, fault)
      }
    }

    const write = async () => {
      const { status, body, text } = await caller.post('/customer', { email: `${randomUUID()}@example.com` })
      if (status !== 201) return `${status} ${text}`
      customers.push(body.data.customer.id)
      return undefined
    }
    const list = async () => {
      const { status, text } = await caller.get('/order?page_size=5')
      return status === 200 ? undefined : `${status} ${text}`
    }
    const upload = async () => {
      const bytes = randomBytes(FILE_BYTES)
      const { status, body, text } = await caller.post('/file', form({ file: { name: randomUUID(), bytes } }))
      if (status !== 201) return `${status} ${text}`
      const reply = await fetch(body.data.file.url)
      const received = Buffer.from(await reply.arrayBuffer())
      return reply.status === 200 && received.equals(bytes) ? undefined : `download ${reply.status} ${received.length}`
    }
    const exportOrders = async () => {
      const { status, text } = await caller.get('/order/export')
      const lines = text.trim().split('\r\n').length
      return status === 200 && lines === ORDERS + 1 ? undefined : `${status}, ${lines} lines`
    }
    /** Reads the stream until the node ends it, and comes back with the last id, as a browser does. */
    const follow = async () => {
      let last: string | undefined
      const { body } = await caller.get('/event?page_size=1')
      let cursor = body.data.next_cursor as string
      while (!hungUp.signal.aborted) {
        const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
        const query = last ? '' : `&cursor=${encodeURIComponent(cursor)}`
        const reply = await fetch(`${base}/event?types=customer.created${query}`, {
          headers: { ...headers, ...(last && { 'last-event-id': last }) },
          signal: hungUp.signal,
        })
        if (reply.status !== 200) return fail('stream', `${reply.status} ${await reply.text()}`)
        let rest = ''
        for await (const piece of (reply.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
          const blocks = (rest + piece).split('\n\n')
          rest = blocks.pop() ?? ''
          for (const block of blocks) {
            last = /^id: ?(.*)$/m.exec(block)?.[1] ?? last
            const data = /^data: ?(.*)$/m.exec(block)?.[1]
            if (data) streamed.add(JSON.parse(data).resource.id)
          }
        }
        cursor = last ?? cursor
        done.streams = (done.streams ?? 0) + 1
      }
    }

    const streaming = follow().catch((error) => hungUp.signal.aborted || fail('stream', error))
    const working = [
      repeat('writes', write),
      repeat('writes', write),
      repeat('lists', list),
      repeat('files', upload),
      repeat('files', upload),
      repeat('exports', exportOrders),
    ]
    for (const [at, nodePort] of ports.entries()) {
      await sleep(1_500)
      expect(await nodes[at]?.stop('SIGTERM')).toBe(0)
      nodes[at] = await start(nodePort)
      await sleep(1_500)
    }
    going = false
    await Promise.all(working)
    await expect.poll(() => [...failed, ...customers.filter((id) => !streamed.has(id))]).toEqual([])
    hungUp.abort()
    await streaming

    expect([...new Set(failed)]).toEqual([])
    const told = () => new Set(receiver.received.map(({ event }) => event.resource.id))
    // An attempt that failed is repeated after a while.
    await expect.poll(() => customers.filter((id) => !told().has(id)), { timeout: 300_000 }).toEqual([])
    for (const what of ['writes', 'lists', 'files', 'exports', 'streams'])
      expect([what, done[what] ?? 0]).not.toEqual([what, 0])
    const [{ count } = { count: 0 }] = await postgres.query(
      `select count(*)::int as count from customer where id = any($1)`,
      [customers],
    )
    expect(count).toBe(customers.length)
    for (const node of nodes) expect(await node.stop()).toBe(0)
    recordResult({
      case: 'rolling restart behind haproxy, files in S3',
      tried: Object.values(done).reduce((sum, n) => sum + n, 0),
      lost: failed.length,
      note: `${Object.entries(done)
        .map(([what, n]) => `${n} ${what}`)
        .join(', ')}, ${customers.length} webhooks`,
    })
  },
)
