import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { finishedJob, ndjson, startBulk } from '../../../tests/support/bulk.ts'
import type { Caller } from '../../../tests/support/caller.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { addProduct } from '../../../tests/support/products.ts'
import { picture, upload } from '../../../tests/support/uploads.ts'
import type { Tx } from '../storage/database.ts'

interface Row {
  id: string
  updated_at: string
}

interface Kind {
  path: string
  key: string
  table: 'orders' | 'product' | 'customer' | 'review' | 'landing_page' | 'file' | 'policy'
  column: string
}

const KINDS: Kind[] = [
  { path: '/order', key: 'orders', table: 'orders', column: 'customer_city' },
  { path: '/product', key: 'products', table: 'product', column: 'description' },
  { path: '/customer', key: 'customers', table: 'customer', column: 'address' },
  { path: '/review', key: 'reviews', table: 'review', column: 'content' },
  { path: '/landing-page', key: 'landingPages', table: 'landing_page', column: 'meta_description' },
  { path: '/file', key: 'files', table: 'file', column: 'alt' },
  { path: '/policy', key: 'policies', table: 'policy', column: 'content' },
]

const addRows = async (api: TestApi, count: number) => {
  const app = api.as()
  const { id: product_id } = await addProduct(api)
  for (let n = 0; n < count; n++) {
    await app.post('/order', { customer_city: 'Sfax' })
    if (n > 0) await addProduct(api)
    await app.post('/customer', { email: `c${n}@shop.example` })
    await app.post('/review', { product_id, content: 'Fine', rating: 5, reviewer_name: 'Sami' })
    await app.post('/landing-page', { title: `Page ${n}`, product_id })
    await upload(api, { file: await picture('png', { width: 10 + n }) })
    await app.post('/policy', { type: 'custom', title: `Policy ${n}`, content: 'Fair' })
  }
}

const idsOf = async ({ db, store }: TestApi, { table }: Kind) =>
  (await db.selectFrom(table).select('id').where('store_id', '=', store.id).orderBy('id').execute()).map(({ id }) => id)

/** Changes a row in SQL, as a write of the service does. */
const change = (db: Tx | TestApi['db'], { store }: TestApi, { table, column }: Kind, id: string, text: string) =>
  sql`update ${sql.table(table)} set ${sql.ref(column)} = ${text}, updated_at = now()
    where store_id = ${store.id} and id = ${id}`.execute(db)

/** Reads all pages of what has changed, as the guide says. Returns the rows and where to continue. */
const poll = async (app: Caller, { path, key }: Kind, from: string, more = '') => {
  const rows: Row[] = []
  let until = ''
  for (let cursor: string | null = ''; cursor !== null; ) {
    const next: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const reply = await app.get(`${path}?updated_from=${from}&page_size=3${more}${next}`)
    expect(reply.status, reply.text).toBe(200)
    const { pagination, [key]: page } = reply.body.data
    if (until === '') until = pagination.updated_until
    expect(Date.parse(until)).not.toBeNaN()
    for (const row of page) expect(row.updated_at < pagination.updated_until, 'beyond the limit').toBe(true)
    rows.push(...page)
    cursor = pagination.next_cursor
  }
  return { rows, until }
}

const START = '2020-01-01'

test.each(KINDS)('$path: a change that is committed late is not lost', async (kind) => {
  const api = await startTestApi()
  await addRows(api, 5)
  const app = api.as()
  const first = await poll(app, kind, START)
  const [slow, quick] = (await idsOf(api, kind)) as [string, string]
  expect(first.rows.map(({ id }) => id)).toContain(slow)

  const hidden = await api.db.transaction().execute(async (db) => {
    await change(db, api, kind, slow, 'Slow')
    await change(api.db, api, kind, quick, 'Quick')
    // The quick change is later than the slow one, which is not visible yet.
    return poll(app, kind, first.until)
  })
  expect(hidden.rows).toEqual([])
  const rest = await poll(app, kind, hidden.until)
  expect(rest.rows.map(({ id }) => id).sort()).toEqual([slow, quick].sort())
  expect((await poll(app, kind, rest.until)).rows).toEqual([])
})

test('a store is not held up by a transaction that changes nothing, nor is it after a transaction that failed', async () => {
  const api = await startTestApi()
  await addRows(api, 2)
  const app = api.as()
  const kind = KINDS[2] as Kind
  const { until } = await poll(app, kind, START)
  const [one, other] = (await idsOf(api, kind)) as [string, string]
  await api.db.transaction().execute(async (db) => {
    await sql`select * from customer where store_id = ${api.store.id} for key share`.execute(db)
    await change(api.db, api, kind, one, 'Moved')
    expect((await poll(app, kind, until)).rows.map(({ id }) => id)).toEqual([one])
  })
  await expect(
    api.db.transaction().execute(async (db) => {
      await change(db, api, kind, one, 'Never')
      throw new Error('rolled back')
    }),
  ).rejects.toThrow('rolled back')
  await change(api.db, api, kind, other, 'Moved')
  expect((await poll(app, kind, until)).rows.map(({ id }) => id).sort()).toEqual([one, other].sort())
})

test('an equal reply is not sent again once the rows that it left out may be shown', async () => {
  const api = await startTestApi()
  await addRows(api, 2)
  const app = api.as()
  const kind = KINDS[2] as Kind
  const [slow, quick] = (await idsOf(api, kind)) as [string, string]
  const list = async () => (await app.get('/customer?order_by=updated_at')).body.data.customers as Row[]
  for (let n = 0; n < 3; n++) expect(await list()).toHaveLength(2)
  await api.db.transaction().execute(async (db) => {
    await change(db, api, kind, slow, 'Slow')
    await change(api.db, api, kind, quick, 'Quick')
    for (let n = 0; n < 3; n++) expect((await list()).map(({ id }) => id)).toEqual([slow])
    // The store stays as it is, and only time passes.
    await sql`rollback`.execute(db)
  })
  expect((await list()).map(({ id }) => id)).toEqual([quick, slow])
})

test('a poller beside a bulk job and single updates sees the last version of every customer', async () => {
  const api = await startTestApi()
  const app = api.as()
  const emails = Array.from({ length: 60 }, (_, n) => `c${n}@shop.example`)
  const lines = (city: string) => ndjson(emails.map((email) => ({ email, city })))
  const job = async (city: string) => {
    const reply = await startBulk(app, 'resource=customer&mode=upsert&match=email', lines(city))
    expect(reply.status, reply.text).toBe(202)
    return reply.body.data.job.id as string
  }
  await finishedJob(app, await job('Sfax'))
  const kind = KINDS[2] as Kind
  const ids = await idsOf(api, kind)
  expect(ids).toHaveLength(60)

  const seen = new Map<string, string>()
  const seenByTime = new Map<string, string>()
  let [until, greatest, isDone] = [START, START, false]
  const note = async () => {
    const page = await poll(app, kind, until, '&order_by=updated_at&order_direction=ASC')
    until = page.until
    for (const { id, updated_at } of page.rows) seen.set(id, updated_at)
    // As clients do that know nothing of `updated_until`.
    const { rows } = await poll(app, kind, greatest, '&order_by=updated_at&order_direction=ASC')
    for (const { id, updated_at } of rows) {
      seenByTime.set(id, updated_at)
      if (updated_at > greatest) greatest = updated_at
    }
  }
  const polling = (async () => {
    while (!isDone) await note()
  })()
  const started = [await job('Tunis'), await job('Gabes')]
  const single = (async () => {
    for (const id of ids.slice(0, 20)) await app.put(`/customer/${id}`, { phone: '+216 20 123 456' })
  })()
  const together = Promise.all(ids.slice(20, 40).map((id, n) => app.put(`/customer/${id}`, { name: `Amina ${n}` })))
  for (const id of started) expect((await finishedJob(app, id)).status).toBe('done')
  await Promise.all([single, together])
  isDone = true
  await polling
  await note()
  const { rows } = await sql<Row>`select id, iso(updated_at) as updated_at from customer
    where store_id = ${api.store.id}`.execute(api.db)
  const stored = Object.fromEntries(rows.map(({ id, updated_at }) => [id, updated_at]))
  await eventually(async () => expect(Object.fromEntries(seen)).toEqual(stored))
  expect(Object.fromEntries(seenByTime)).toEqual(stored)
})
