import { expect, test } from 'vitest'
import { API_PREFIX } from '../src/config/config.ts'
import { isDocumented } from '../src/core/openapi/document.ts'
import { send } from './resilience/foreign-id-sweep.ts'
import { createFullStore, type FullStore, samplesFor } from './resilience/full-store.ts'
import { statementsOf } from './support/statements.ts'

/** What keeps a distributed database from seeing, before it runs a statement, that all its rows are of one store. */
const REFUSED: Record<string, RegExp> = {
  'names the store by another row, not by the bound value': /\bstore_id\s*=\s*"?\w+"?\."?store_id\b/i,
  'compares the stores of two rows': /\bstore_id\b[^()]*\)\s*=\s*\([^()]*\bstore_id\b/i,
  'hides the store, outside a search by words': /\bstore_id"?\s+is\s+(not\s+)?distinct\s+from/i,
  'selects no column': /\bselect\s+from\b/i,
}

/** Credentials and public files: they are called before, or without, knowing a store. */
const WITHOUT_STATEMENTS = [
  'POST /auth/get-token',
  'GET /files/:store/:id',
  'GET /files/:store/:id/thumbnail',
  'GET /auth/installation',
  'POST /billing/paid',
]

/**
 * unindexed() of core/reading/store-condition.ts keeps PostgreSQL from reading the list of all rows of a store in a word index.
 * A distributed database would send such a search to every shard.
 */
const isWordSearch = (text: string) => text.includes('@@')

const nameOf = ({ method, url }: { method: string; url: string }) => `${method} ${url.slice(API_PREFIX.length)}`

/** Every operation at least once, with the samples that slices declare. Returns those that never succeeded. */
const callEverything = async () => {
  const succeeded = new Set<string>()
  const store: FullStore = await createFullStore()
  const { status } = await store.all.post('/customer', { email: 'a@shop.example' }, { 'idempotency-key': 'one' })
  if (status === 201) succeeded.add('POST /customer')
  const [event] = (await store.all.get('/event')).body.data.events
  if ((await store.all.get(`/event/${event.id}`)).status === 200) succeeded.add('GET /event/:id')
  for (const sample of samplesFor(store)) {
    const { status } = await send(store, sample)
    if (status < 300) succeeded.add(sample.route)
  }
  const routes = store.api.app.routeTable.filter(isDocumented)
  for (const route of routes) {
    const { url, method, schema } = route
    if (method !== 'GET' || url.includes(':')) continue
    const path = url.slice(API_PREFIX.length)
    const { properties = {} } = (schema.querystring ?? {}) as { properties?: Record<string, { enum?: string[] }> }
    const queries = ['', '?search=mug', ...(properties.order_by?.enum ?? []).map((sort) => `?order_by=${sort}`)]
    for (const query of queries) {
      const { status } = await store.all.get(path + query)
      if (status < 300) succeeded.add(nameOf(route))
    }
  }
  return routes.map(nameOf).filter((name) => !succeeded.has(name))
}

test('every statement of a request names its store by value, so that a distributed database finds its shard', async () => {
  let missed: string[] = []
  const texts = await statementsOf(async () => {
    missed = await callEverything()
  })
  expect(missed.toSorted()).toEqual(WITHOUT_STATEMENTS.toSorted())
  const faults = [...new Set(texts)].flatMap((text) =>
    Object.entries(REFUSED).flatMap(([fault, sign]) => {
      const found = fault.startsWith('hides') && isWordSearch(text) ? null : sign.exec(text)
      return found
        ? [`${fault}: … ${text.slice(Math.max(0, found.index - 120), found.index + 100).replace(/\s+/g, ' ')}`]
        : []
    }),
  )
  expect([...new Set(faults)]).toEqual([])
})
