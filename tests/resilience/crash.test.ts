import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { openBlobs } from '../../src/core/storage/blobs/open-blobs.ts'
import { withUntimedDatabase } from '../../src/core/storage/connect.ts'
import { openEngine } from '../../src/core/storage/embedded/engine.ts'
import { removeUnclaimedBlobs } from '../../src/resources/files/unclaimed-blobs.ts'
import { startProcess, temporaryFolder } from '../support/server-process.ts'
import { findBrokenFiles, findResources, findViolations } from './invariants.ts'
import { recordResult } from './results-table.ts'
import { createShopCaller, getToken, type ShopCaller, seedShop } from './seeded-shop.ts'
import { createWrites, type Write } from './writes.ts'

const ROUNDS = 20
const AT_ONCE = 6

const isDone = ({ status }: { status: number }) => status === 200 || status === 201

const postmaster = async (folder: string) =>
  Number.parseInt(await readFile(path.join(folder, 'postgres/postmaster.pid'), 'utf8'), 10)

/** Sends concurrent writes until the server is gone. */
const workUntilGone = async (caller: ShopCaller, next: () => Promise<Write>) => {
  const refused: string[] = []
  const one = async () => {
    for (;;) {
      const write = await next()
      try {
        const answer = await write.send(caller)
        write.acknowledged = isDone(answer)
        if (!write.acknowledged) refused.push(`${write.key}: ${answer.status} ${answer.text}`)
      } catch {
        return
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, one))
  return refused
}

test('a server killed during writes loses no acknowledged write and leaves none half done', async () => {
  const folder = await temporaryFolder('storefront-crash-')
  const before = await openEngine(folder, { kind: 'command', name: 'test' })
  const shop = await seedShop(before.connection)
  await before.close()
  const writes = createWrites(shop)
  const refused: string[] = []
  let token: string | undefined

  for (let round = 0; round < ROUNDS; round++) {
    const server = startProcess({ DATA_DIR: folder, DEMO: 'false', LOG_LEVEL: 'warn' })
    const base = await server.ready()
    token ??= await getToken(base, shop.credentials)
    const caller = createShopCaller(base, token)
    // Every other unanswered write is retried with its key. The rest must be stored completely or not at all.
    for (const [n, write] of writes.all.filter(({ acknowledged }) => !acknowledged).entries()) {
      if (n % 2 === 1) continue
      const answer = await write.send(caller)
      write.acknowledged = isDone(answer)
      if (!write.acknowledged) refused.push(`${write.key} again: ${answer.status} ${answer.text}`)
    }
    const working = workUntilGone(caller, writes.next)
    await sleep(300 + Math.random() * 500)
    await server.stop('SIGKILL')
    // Sometimes PostgreSQL is killed too, as in a power failure; otherwise the next server finds it running.
    if (round % 5 === 4) process.kill(await postmaster(folder), 'SIGKILL')
    refused.push(...(await working))
  }

  const engine = await openEngine(folder, { kind: 'command', name: 'test' })
  const db = new pg.Client(engine.connection)
  await db.connect()
  const found = await findResources(db)
  const acknowledged = writes.all.filter((write) => write.acknowledged)
  const missing = acknowledged.filter(({ key }) => !found.has(key)).map(({ key }) => key)
  const twice = [...found].filter(([, { times }]) => times > 1).map(([key]) => key)
  const halves = [...found].filter(([, { whole }]) => !whole).map(([key]) => key)
  const broken = await findBrokenFiles(db, folder)
  const uneven = await findViolations(db)
  expect({ refused, missing, twice, halves, broken, uneven }).toEqual({
    refused: [],
    missing: [],
    twice: [],
    halves: [],
    broken: [],
    uneven: [],
  })
  expect(new Set(acknowledged.map(({ kind }) => kind)).size).toBe(5)

  // The cleanup deletes what interrupted uploads left, and nothing else.
  const blobs = await openBlobs(readConfig({ DATA_DIR: folder }))
  await withUntimedDatabase(engine.connection, 'test', ({ db }) => removeUnclaimedBlobs({ db, blobs }, 0))
  expect(await readdir(path.join(folder, 'blobs/incoming'))).toEqual([])
  expect((await db.query('select from blob_claim')).rowCount).toBe(0)
  const { rows } = await db.query(`select count(*)::int + count(*) filter (where has_thumbnail)::int as n from blob`)
  const onDisk = await readdir(path.join(folder, 'blobs'), { recursive: true, withFileTypes: true })
  expect(onDisk.filter((entry) => entry.isFile()).length).toBe(rows[0].n)
  expect(await findBrokenFiles(db, folder)).toEqual([])
  await db.end()
  await engine.close()
  recordResult({
    case: 'server killed during writes',
    tried: writes.all.length,
    lost: 0,
    note: `${ROUNDS} rounds, ${acknowledged.length} acknowledged`,
  })
})
