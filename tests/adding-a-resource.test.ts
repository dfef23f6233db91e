import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
// @ts-expect-error A script without types of its own.
import { clientResources } from '../scripts/client-resources.mjs'
import { RESOURCES } from '../src/app.ts'
import { runMigration } from '../src/core/storage/migrate.ts'
import { buildDocument } from '../src/docs/build-document.ts'
import { sweepForeignIds } from './resilience/foreign-id-sweep.ts'
import { createFullStore, type FullStore } from './resilience/full-store.ts'
import { startTestApi, type TestApi } from './support/api.ts'
import { runBulk } from './support/bulk.ts'
import { isOnCitus } from './support/citus.ts'
import { discounts } from './support/toy/resource.ts'
import * as discountSamples from './support/toy/samples.ts'

/** What one line in app.ts does for the service. */
const WITH_DISCOUNTS = [...RESOURCES, discounts]
// Without deliveries, which would change the rows of webhooks between two fingerprints.
const WITHOUT_DELIVERIES = { WEBHOOKS: 'off' }
const start = () => startTestApi(WITHOUT_DELIVERIES, WITH_DISCOUNTS)

let api: TestApi
let mine: FullStore
let theirs: FullStore

beforeAll(async () => {
  api = await start()
  const migration = await readFile(new URL('./support/toy/migration.sql', import.meta.url), 'utf8')
  await api.db.transaction().execute((db) => runMigration(db, migration))
  mine = await createFullStore(start, [discountSamples])
  theirs = await createFullStore(start, [discountSamples])
})

const isToy = ({ url }: { url: string }) => url.includes('/discount')

test('its routes check permissions and reply', async () => {
  const routes = api.app.routeTable.filter((route) => isToy(route) && route.method !== 'HEAD')
  expect(routes.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /api/apps/v1/discount',
    'GET /api/apps/v1/discount/:id',
    'POST /api/apps/v1/discount',
  ])
  for (const { method, url } of routes) {
    const path = url.replace(':id', mine.discount.id)
    expect(await api.site.send(method, path)).toFailWith('unauthenticated')
  }
  expect(await mine.api.as('order:view').get('/discount')).toFailWith('forbidden')
  const reply = await mine.all.get(`/discount/${mine.discount.id}`)
  expect(reply.body.data.discount).toMatchObject({ code: 'WINTER', status: 'active', product_id: mine.product.id })
})

test('the OpenAPI document has its heading, its schema and its examples', () => {
  const { tags, paths, components } = buildDocument(api.app, { baseUrl: `${api.origin}/api/apps/v1` })
  expect(tags).toContainEqual({ name: 'Discounts', description: 'Codes that make a product cheaper.' })
  expect(components.schemas.Discount).toMatchObject({ type: 'object', properties: { code: { maxLength: 40 } } })
  const { post } = paths['/discount'] as Record<string, { tags: string[]; requestBody: { content: object } }>
  expect(post?.tags).toEqual(['Discounts'])
  expect(post?.requestBody.content).toMatchObject({
    'application/json': { example: { code: 'WINTER', product_id: expect.stringMatching(/^[0-9a-f-]{36}$/) } },
  })
})

test('the client gets its calls', () => {
  const document = buildDocument(api.app, { baseUrl: `${api.origin}/api/apps/v1` })
  const calls: string = clientResources(JSON.parse(JSON.stringify(document)))
  const group = calls.slice(calls.indexOf('discounts: {'))
  for (const name of ['list: listDiscounts', 'all: ', 'get: ', 'create: ']) expect(group).toContain(name)
  expect(group).toContain("'POST', '/discount'")
})

test('its changes are events, which a webhook may receive and a snapshot starts from', async () => {
  const { discount, all } = mine
  const { events } = (await all.get(`/event?types=discount.*&resource_id=${discount.id}`)).body.data
  expect(events).toMatchObject([
    { type: 'discount.created', resource: { kind: 'discount', id: discount.id }, data: { code: 'WINTER' } },
  ])
  expect(await mine.api.as('order:view').get('/event?types=discount.*')).toFailWith('forbidden')
  const lines = (await all.get('/snapshot?types=landing_page,discount,order')).text.trim().split('\n')
  const types = new Set(lines.map((line) => JSON.parse(line).type))
  expect([...types]).toEqual(['landing_page', 'discount', 'order', 'end'])
  const webhook = { url: 'https://app.example/hook', types: ['discount.updated'] }
  expect((await all.post('/webhook', webhook)).status).toBe(201)
  const { webhooks, components } = buildDocument(api.app, { baseUrl: `${api.origin}/api/apps/v1` })
  expect(JSON.stringify(webhooks['discount.created'])).toContain('#/components/schemas/Discount"')
  expect(JSON.stringify(components.schemas.Event)).toContain('"discount.deleted"')
})

test('it adds no other schema or heading, and a service without it has none of its routes and events', async () => {
  const plain = await startTestApi(WITHOUT_DELIVERIES)
  const { tags, components, webhooks } = buildDocument(plain.app, { baseUrl: `${api.origin}/api/apps/v1` })
  expect(tags.map(({ name }) => name)).not.toContain('Discounts')
  expect(components.schemas).not.toHaveProperty('Discount')
  expect(await plain.as().get('/discount')).toFailWith('not_found')
  expect(webhooks).not.toHaveProperty('discount.created')
  expect(JSON.stringify(components)).not.toContain('discount.')
  expect(await plain.as().get('/event?types=discount.*')).toBeRefused(422, 'types.0')
})

test('a bulk job imports it, and the document lists it', async () => {
  const lines = [{ code: 'SPRING' }, { code: 'SPRING', status: 'ended' }]
  const { job, results } = await runBulk(mine.all, 'resource=discount&mode=upsert&match=code', lines)
  expect(job).toMatchObject({ resource: 'discount', match: 'code', counts: { created: 1, updated: 1, failed: 0 } })
  const { discount } = (await mine.all.get(`/discount/${results[0]?.id}`)).body.data
  expect(discount).toMatchObject({ code: 'SPRING', status: 'ended' })
  await sql`delete from discount where code = 'SPRING' and store_id = ${mine.api.store.id}`.execute(api.db)
  const { components } = buildDocument(api.app, { baseUrl: `${api.origin}/api/apps/v1` })
  expect(JSON.stringify(components.schemas.BulkJob)).toContain('"discount"')
  const plain = await startTestApi(WITHOUT_DELIVERIES)
  expect(await plain.as().post('/bulk?resource=discount')).toBeRefused(422, 'resource')
})

test('the isolation sweep tries its ids', async () => {
  const { tried, kinds } = await sweepForeignIds(mine, theirs, isToy)
  expect(kinds).toContain('discount')
  // The filter, the path and the body, with an id of each kind.
  expect(tried).toBe(3 * kinds.length)
})

test.skipIf(isOnCitus)('plans expect its stores to be large', async () => {
  const { rows } = await sql`select 'n_distinct=1' = any(attoptions) as is_set from pg_attribute
    where attrelid = 'discount'::regclass and attname = 'store_id'`.execute(api.db)
  expect(rows).toEqual([{ is_set: true }])
})

test('its totals come from row counts, for all rows and by status', async () => {
  await mine.all.post('/discount', { code: 'OLD', status: 'ended' })
  const total = async (query = '') => (await mine.all.get(`/discount${query}`)).body.data.pagination.total
  expect([await total(), await total('?status=active'), await total('?status=ended')]).toEqual([2, 1, 1])
  await sql`delete from discount where code = 'OLD' and store_id = ${mine.api.store.id}`.execute(api.db)
  await sql`update discount set status = 'ended' where store_id = ${mine.api.store.id}`.execute(api.db)
  expect([await total(), await total('?status=active'), await total('?status=ended')]).toEqual([1, 0, 1])
  // Proves that the total comes from the counters.
  await sql`insert into tally values (${mine.api.store.id}, 'discount', '', 1000)`.execute(api.db)
  // A new size: the counters alone are no reason to read a reply again.
  expect(await total('?page_size=21')).toBe(1001)
  expect(await total(`?product_id=${mine.product.id}`)).toBe(1)
})
