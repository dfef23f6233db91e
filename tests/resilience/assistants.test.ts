import { expect, test } from 'vitest'
import { API_PREFIX } from '../../src/config/config.ts'
import { connectAssistant } from '../support/assistants.ts'
import { addCleanup } from '../support/cleanup.ts'
import { startProcess, temporaryFolder } from '../support/server-process.ts'
import { cloneDatabase, databaseUrl } from '../support/test-database.ts'
import { createShopCaller, getToken, seedShop } from './seeded-shop.ts'

const ITEMS = 200
/** An interrupted apply keeps the plan for half a minute. */
const LEASE = { timeout: 60_000, interval: 1_000 }

test('an apply whose node is killed is finished by another node, and each item happens once', async () => {
  const connection = await cloneDatabase()
  const { credentials } = await seedShop(connection)
  // As the deployment guide has it: one database, which has the secret, and a folder for each.
  const startNode = async () => {
    const DATA_DIR = await temporaryFolder()
    const server = startProcess({ DATABASE_URL: databaseUrl(connection), DATA_DIR, LOG_LEVEL: 'silent' })
    return { server, base: await server.ready() }
  }
  const [first, second] = [await startNode(), await startNode()]
  const token = await getToken(first.base, credentials)
  const shop = createShopCaller(second.base, token)
  const connect = async ({ base }: typeof first) => {
    const headers = { authorization: `Bearer ${token}` }
    const assistant = await connectAssistant(base.replace(API_PREFIX, ''), headers)
    addCleanup(assistant.close)
    return assistant
  }
  const [one, other] = [await connect(first), await connect(second)]
  const items = Array.from({ length: ITEMS }, (_, n) => ({ name: `Killed ${n}`, email: `killed${n}@shop.example` }))
  const { value } = await one.call('plan', { operation: 'createCustomer', items })
  expect(value.would_change).toBe(ITEMS)
  const created = async () => (await shop.get('/customer?search=killed&fields=id')).body.data.pagination.total as number

  const applied = one.call('apply', { plan: value.plan }).then(
    () => 'answered',
    () => 'cut off',
  )
  await expect.poll(created, { timeout: 30_000, interval: 5 }).toBeGreaterThan(5)
  await first.server.stop('SIGKILL')
  expect(await applied).toBe('cut off')
  const before = await created()
  expect(before).toBeLessThan(ITEMS)

  expect((await other.call('apply', { plan: value.plan })).value.error.message).toContain('being applied')
  const finish = async () => (await other.call('apply', { plan: value.plan })).value.result
  await expect.poll(finish, LEASE).toBe(`${ITEMS} applied, 0 refused.`)
  expect(await created()).toBe(ITEMS)
  expect((await other.call('apply', { plan: value.plan })).value.error.message).toContain('applied already')
  const { events } = (await shop.get('/event?types=customer.created&page_size=200')).body.data
  const ids = events.map(({ resource }: { resource: { id: string } }) => resource.id)
  expect([events.length, new Set(ids).size]).toEqual([ITEMS, ITEMS])
})
