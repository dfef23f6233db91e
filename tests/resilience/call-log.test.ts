import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { openEngine } from '../../src/core/storage/embedded/engine.ts'
import { startProcess, temporaryFolder } from '../support/server-process.ts'
import { getToken, seedShop } from './seeded-shop.ts'

/** The service writes once a second. */
const LATER_MS = 2_000
const CALLS = 60

test('a server killed with kill -9 loses the lines of the last second of calls at most', async () => {
  const folder = await temporaryFolder('storefront-call-log-')
  const before = await openEngine(folder, { kind: 'command', name: 'test' })
  const shop = await seedShop(before.connection)
  await before.close()
  const server = startProcess({ DATA_DIR: folder, DEMO: 'false', LOG_LEVEL: 'warn', RATE_LIMIT_PER_MINUTE: '0' })
  const base = await server.ready()
  const headers = { authorization: `Bearer ${await getToken(base, shop.credentials)}` }
  /** Failures are all kept. */
  const call = async (name: string) =>
    Promise.all(
      Array.from({ length: CALLS }, (_, n) =>
        fetch(`${base}/product/${randomUUID()}`, { headers: { ...headers, 'x-request-id': `${name}-${n}` } }),
      ),
    )
  await call('early')
  await sleep(LATER_MS)
  await call('late')
  await server.stop('SIGKILL')

  const after = await openEngine(folder, { kind: 'command', name: 'test' })
  const client = new pg.Client(after.connection)
  await client.connect()
  const count = async (name: string) =>
    (await client.query(`select count(*)::int as lines from call where request_id like $1`, [`${name}-%`])).rows[0]
      .lines
  const [early, late] = [await count('early'), await count('late')]
  await client.end()
  await after.close()
  expect(early).toBe(CALLS)
  expect(late).toBeLessThanOrEqual(CALLS)
})
