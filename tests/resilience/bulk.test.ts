import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import pg from 'pg'
import { expect, test } from 'vitest'
import { openEngine } from '../../src/core/storage/embedded/engine.ts'
import { ndjson } from '../support/bulk.ts'
import { addCleanup } from '../support/cleanup.ts'
import { isS3ServerInstalled, startS3Server } from '../support/s3-server.ts'
import { startProcess, temporaryFolder } from '../support/server-process.ts'
import { form } from '../support/uploads.ts'
import { startPostgres } from './postgres-server.ts'
import { recordResult } from './results-table.ts'
import { createShopCaller, getToken, type ShopCaller, seedShop } from './seeded-shop.ts'

const LINES = 500
const KILLS = 2

const line = (n: number) => ({
  // Every hundredth line is refused.
  title: n % 100 === 0 ? '' : `Shirt ${n}`,
  slug: `shirt-${n}`,
  options: [{ name: 'Size', values: [{ value: 'S' }, { value: 'L' }] }],
  variants: ['S', 'L'].map((value) => ({ price: 10, quantity: n, sku: `${n}-${value}`, values: [{ value }] })),
})

const readJob = async (caller: ShopCaller, id: string) => (await caller.get(`/bulk/${id}`)).body.data.job

test('an import resumes after repeated kills of the server and applies every line exactly once', async () => {
  const folder = await temporaryFolder('storefront-bulk-')
  const before = await openEngine(folder, { kind: 'command', name: 'test' })
  const shop = await seedShop(before.connection)
  await before.close()
  const body = ndjson(Array.from({ length: LINES }, (_, n) => line(n)))
  let id = ''
  let token = ''
  const dones: number[] = []

  for (let round = 0; round <= KILLS; round++) {
    const server = startProcess({ DATA_DIR: folder, DEMO: 'false', LOG_LEVEL: 'warn' })
    const base = await server.ready()
    token ||= await getToken(base, shop.credentials)
    const caller = createShopCaller(base, token)
    if (round === 0) {
      const reply = await fetch(`${base}/bulk?resource=product`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
        body,
      })
      expect(reply.status).toBe(202)
      id = ((await reply.json()) as { data: { job: { id: string } } }).data.job.id
    }
    // A killed process leaves its lease behind, so the next one waits until it expires.
    for (const known = (await readJob(caller, id)).counts.done; ; ) {
      const { counts, finished_at } = await readJob(caller, id)
      if (round < KILLS ? counts.done > known : finished_at !== null) break
      await sleep(50)
    }
    if (round < KILLS) {
      await sleep(Math.random() * 300)
      dones.push((await readJob(caller, id)).counts.done)
      await server.stop('SIGKILL')
      continue
    }
    const job = await readJob(caller, id)
    expect(job).toMatchObject({ status: 'done', counts: { lines: LINES, done: LINES, created: LINES - LINES / 100 } })
    const results = (await caller.get(`/bulk/${id}/result`)).text
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text))
    expect(results.map(({ line }) => line)).toEqual(Array.from({ length: LINES }, (_, n) => n + 1))
    await server.stop()
  }

  const engine = await openEngine(folder, { kind: 'command', name: 'test' })
  const db = new pg.Client(engine.connection)
  await db.connect()
  const { rows } = await db.query(
    `select count(*)::int as products, count(distinct slug)::int as slugs from product where slug like 'shirt-%'`,
  )
  expect(rows[0]).toEqual({ products: LINES - LINES / 100, slugs: LINES - LINES / 100 })
  const variants = await db.query(`select count(*)::int as n from variant where sku ~ '^[0-9]+-[SL]$'`)
  expect(variants.rows[0].n).toBe(2 * (LINES - LINES / 100))
  expect(await readdir(path.join(folder, 'blobs', shop.store, 'jobs'))).toEqual([])
  await db.end()
  await engine.close()
  expect(dones.every((done, n) => n === 0 || done > (dones[n - 1] as number))).toBe(true)
  recordResult({ case: 'import with repeated kills', tried: LINES, lost: 0, note: `${KILLS} kills` })
})

test.skipIf(!(await isS3ServerInstalled()))(
  'an import from an uploaded file in S3 is continued by another node after a kill, every line exactly once',
  async () => {
    const s3 = await startS3Server()
    addCleanup(s3.stop)
    const postgres = await startPostgres()
    const shop = await seedShop(postgres.connection)
    const start = async () => {
      const node = startProcess({
        ...s3.settings,
        DATABASE_URL: postgres.url,
        DATA_DIR: await temporaryFolder(),
        TOKEN_SECRET: 'a secret of thirty-two bytes or more, for all nodes',
        DEMO: 'false',
        LOG_LEVEL: 'warn',
      })
      return { node, base: await node.ready() }
    }
    const first = await start()
    const second = await start()
    const token = await getToken(first.base, shop.credentials)
    const caller = createShopCaller(first.base, token)
    const bytes = Buffer.from(ndjson(Array.from({ length: LINES }, (_, n) => line(n))))
    const uploaded = await caller.post('/file', form({ file: { name: 'products.ndjson', bytes } }))
    expect(uploaded.status, uploaded.text).toBe(201)
    const started = await caller.post(`/bulk?resource=product&file_id=${uploaded.body.data.file.id}`)
    expect(started.status, started.text).toBe(202)
    const { id } = started.body.data.job
    // The node that received the job has the first turn.
    await expect.poll(async () => (await readJob(caller, id)).counts.done).toBeGreaterThan(0)
    await first.node.stop('SIGKILL')

    const other = createShopCaller(second.base, token)
    const killedAt = (await readJob(other, id)).counts.done
    expect(killedAt).toBeLessThan(LINES)
    await expect.poll(async () => (await readJob(other, id)).finished_at, { timeout: 120_000 }).not.toBeNull()
    const created = LINES - LINES / 100
    expect(await readJob(other, id)).toMatchObject({ status: 'done', counts: { lines: LINES, done: LINES, created } })
    const [found] = await postgres.query(
      `select count(*)::int as products, count(distinct slug)::int as slugs from product where slug like 'shirt-%'`,
    )
    expect(found).toEqual({ products: created, slugs: created })
    // The input of the job is deleted soon after its end; the uploaded file stays.
    const keys = async () => {
      const left = await s3.client.send(new ListObjectsV2Command({ Bucket: s3.bucket, Prefix: 'some/prefix' }))
      return (left.Contents ?? []).map(({ Key = '' }) => Key)
    }
    await expect.poll(async () => (await keys()).filter((key) => key.includes('/jobs/'))).toEqual([])
    expect(await keys()).toHaveLength(1)
    await second.node.stop()
    recordResult({
      case: 'import from S3 continued by another node',
      tried: LINES,
      lost: 0,
      note: `killed after ${killedAt} lines`,
    })
  },
)
