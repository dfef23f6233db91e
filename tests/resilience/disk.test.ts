import { randomBytes } from 'node:crypto'
import { mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { startProcess, temporaryFolder } from '../support/server-process.ts'
import { form, picture } from '../support/uploads.ts'
import { findBrokenFiles, findResources, findViolations } from './invariants.ts'
import { serverFolder, startPostgres } from './postgres-server.ts'
import { recordResult } from './results-table.ts'
import { type Answer, createShopCaller, getToken, seedShop } from './seeded-shop.ts'
import { canMount, mountSmallDisk } from './small-disk.ts'
import { createWrites } from './writes.ts'

const expectFull = (answer: Answer) => {
  expect(answer.status, answer.text).toBe(503)
  expect(answer.body).toMatchObject({ code: 'unavailable', message: expect.stringContaining('no disk space') })
  expect(answer.headers.get('retry-after')).not.toBeNull()
}

const filesBelow = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).length

test.skipIf(!canMount)('with a full file disk, uploads are rejected without a trace and reads continue', async () => {
  const postgres = await startPostgres()
  const shop = await seedShop(postgres.connection)
  const folder = await temporaryFolder()
  const blobs = path.join(folder, 'blobs')
  await mkdir(blobs)
  const disk = mountSmallDisk(blobs, 4)
  const server = startProcess({ DATA_DIR: folder, DATABASE_URL: postgres.url, LOG_LEVEL: 'silent' })
  const base = await server.ready()
  const caller = createShopCaller(base, await getToken(base, shop.credentials))
  const send = (bytes: Buffer) => caller.post('/file', form({ file: { name: 'sound.bin', bytes } }))

  const early = await send(randomBytes(200_000))
  expect(early.status, early.text).toBe(201)
  const kept = await filesBelow(blobs)
  const [rows] = await postgres.query('select count(*)::int as files from file')
  let tried = 0
  // First more than fits, then less space than the smallest upload needs.
  for (const [leaving, bytes] of [
    [4_000, 5_000_000],
    [64, 300_000],
    [0, 5_000],
    [0, 1],
  ] as const) {
    await disk.fill(leaving)
    for (let n = 0; n < 5; n++, tried++) expectFull(await send(randomBytes(bytes)))
    await disk.makeRoom()
  }
  const image = { name: 'wide.png', bytes: await picture('png', { width: 300, height: 300 }) }
  for (const leaving of [0, 4]) {
    await disk.fill(leaving)
    const metadata = JSON.stringify({ title: 'Never', default: { price: 1 } })
    // With a page to spare, the picture fits but its thumbnail does not.
    for (let n = 0; n < 5; n++, tried++)
      expectFull(await caller.post('/product', form({ metadata, 'images[]': image })))
    const read = await fetch(early.body.data.file.url)
    expect((await read.arrayBuffer()).byteLength).toBe(200_000)
    expect((await caller.get('/file')).body.data.files).toHaveLength(rows.files)
    expect((await caller.post('/customer', { email: `reader${leaving}@example.com` })).status).toBe(201)
    await disk.makeRoom()
  }
  expect(await filesBelow(blobs)).toBe(kept)
  expect(await postgres.query('select from blob_claim')).toEqual([])
  expect(await postgres.query('select from blob')).toHaveLength(1)
  expect(await postgres.query(`select from product where title = 'Never'`)).toEqual([])

  expect((await send(randomBytes(1_000_000))).status).toBe(201)
  expect(await server.stop()).toBe(0)
  recordResult({
    case: 'file disk full',
    tried,
    lost: 0,
    note: 'every failure reported, uploads work again once there is space',
  })
})

test.skipIf(!canMount)(
  'with a full database disk, writes are rejected completely, reads continue, and the server recovers',
  async () => {
    const folder = await temporaryFolder('storefront-full-')
    const disk = mountSmallDisk(folder, 100)
    const wal = await serverFolder('storefront-wal-')
    const postgres = await startPostgres({ data: path.join(folder, 'data'), wal: path.join(wal, 'wal') })
    const shop = await seedShop(postgres.connection)
    const dataDir = await temporaryFolder()
    const server = startProcess({ DATA_DIR: dataDir, DATABASE_URL: postgres.url, LOG_LEVEL: 'silent' })
    const base = await server.ready()
    const caller = createShopCaller(base, await getToken(base, shop.credentials))
    const writes = createWrites(shop)
    const work = async (times: number) => {
      const answers: Answer[] = []
      for (let n = 0; n < times; n++) {
        const write = await writes.next()
        const answer = await write.send(caller)
        write.acknowledged = answer.status < 300
        answers.push(answer)
      }
      return answers
    }

    const readFeed = async () => {
      const positions: number[] = []
      for (let cursor = ''; ; ) {
        const answer = await caller.get(`/event?payload=thin&page_size=200${cursor && `&cursor=${cursor}`}`)
        expect(answer.status, answer.text).toBe(200)
        const { events, next_cursor, more } = answer.body.data
        positions.push(...events.map(({ position }: { position: number }) => position))
        cursor = next_cursor
        if (!more) return positions
      }
    }
    const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)

    for (const answer of await work(30)) expect(answer.status, answer.text).toBeLessThan(300)
    const numbered = await readFeed()
    // More changes than events that still fit on the disk.
    await postgres.query(`insert into change (store_id, kind, resource_id, op)
      select '${shop.store}', 'customer', gen_random_uuid(), 'd' from generate_series(1, 3000)`)
    await disk.fill(0)
    const during = await work(150)
    const refused = during.filter(({ status }) => status >= 300)
    expect(refused.length).toBeGreaterThan(0)
    for (const answer of refused) expectFull(answer)
    for (const path of ['/order', '/product', '/customer', '/file']) expect((await caller.get(path)).status).toBe(200)
    const readable = await readFeed()
    expect(readable.slice(0, numbered.length)).toEqual(numbered)
    await disk.makeRoom()
    for (const answer of await work(30)) expect(answer.status, answer.text).toBeLessThan(300)
    const all = await readFeed()
    expect(all).toEqual(upTo(all.length))
    expect(all.length).toBeGreaterThan(readable.length)
    expect(await postgres.query('select from change')).toEqual([])

    const db = new pg.Client(postgres.connection)
    await db.connect()
    const found = await findResources(db)
    const acknowledged = writes.all.filter((write) => write.acknowledged).map(({ key }) => key)
    expect([...found.keys()].sort()).toEqual(acknowledged.sort())
    expect([...found.values()].filter(({ times, whole }) => times !== 1 || !whole)).toEqual([])
    expect(await findViolations(db)).toEqual([])
    expect(await findBrokenFiles(db, dataDir)).toEqual([])
    await db.end()
    expect(await server.stop()).toBe(0)
    recordResult({
      case: 'database disk full',
      tried: writes.all.length,
      lost: 0,
      note: `${refused.length} answered 503; of ${all.length} events, ${readable.length} read meanwhile`,
    })
  },
)

test.skipIf(!canMount)(
  'with one full disk for everything, including the log of the embedded PostgreSQL, only writes stop',
  async () => {
    const folder = await temporaryFolder('storefront-one-disk-')
    const disk = mountSmallDisk(folder, 500)
    const server = startProcess({ DATA_DIR: path.join(folder, 'data'), LOG_LEVEL: 'silent' })
    const base = await server.ready()
    const shown = (name: string) => new RegExp(`${name} +(\\S+)\\s`).exec(server.output())?.[1]
    // The server prints them after its address.
    await expect.poll(() => shown('client_id') && shown('client_secret') && shown('install_id')).toBeDefined()
    const credentials = {
      client_id: shown('client_id'),
      client_secret: shown('client_secret'),
      install_id: shown('install_id'),
    }
    const caller = createShopCaller(base, await getToken(base, credentials))
    const acknowledged: string[] = []
    let tried = 0
    const write = async () => {
      const email = `disk-${++tried}@example.com`
      const answer = await caller.post('/customer', { email, address: 'x'.repeat(200) })
      if (answer.status === 201) acknowledged.push(email)
      return answer
    }
    const untilAnswered = (status: number) =>
      expect.poll(async () => (await write()).status, { interval: 100 }).toBe(status)

    for (let n = 0; n < 20; n++) expect((await write()).status).toBe(201)
    const upload = await caller.post('/file', form({ file: { name: 'a.txt', bytes: Buffer.from('a') } }))
    await disk.fill(32 * 1024)
    await untilAnswered(503)
    const removed = await caller.post(`/file/${upload.body.data.file.id}`)
    expect(removed.status, removed.text).toBe(200)
    await disk.makeRoom()
    await untilAnswered(201)
    await disk.fill(0)
    await untilAnswered(503)
    for (let n = 0; n < 500; n++) expectFull(await write())
    expectFull(await caller.post('/file', form({ file: { name: 'b.txt', bytes: Buffer.from('b') } })))
    for (const path of ['/order', '/product', '/customer', '/file']) expect((await caller.get(path)).status).toBe(200)
    expect((await createShopCaller(base, await getToken(base, credentials)).get('/auth/me')).status).toBe(200)
    await disk.makeRoom()
    await untilAnswered(201)
    const found = await Promise.all(
      acknowledged.map(
        async (email) => (await caller.get(`/customer?search=${encodeURIComponent(email)}`)).body.data.pagination.total,
      ),
    )
    expect(found.filter((total) => total !== 1)).toEqual([])
    expect(await server.stop()).toBe(0)
    recordResult({
      case: 'shared disk full',
      tried,
      lost: 0,
      note: `${tried - acknowledged.length} answered 503`,
    })
  },
)
