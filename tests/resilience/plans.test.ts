import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { JsonSchema } from '../../src/core/input/validation-messages.ts'
import type { TestApi } from '../support/api.ts'
import { createFullStore, type FullStore, idsOf } from './full-store.ts'
import { recordResult } from './results-table.ts'

const MAX_PRIVATE_BYTES = 100 * 2 ** 20
const CALLS_PER_LIST = 100
const PAGING = new Set(['page', 'page_size', 'order_by', 'order_direction', 'cursor'])

/** Private memory of a process. */
const privateBytes = (pid: number) =>
  [...readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8').matchAll(/^Private_\w+:\s+(\d+) kB$/gm)].reduce(
    (sum, [, kilobytes]) => sum + Number(kilobytes) * 1024,
    0,
  )

const backends = async (api: TestApi) => {
  const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity
    where datname = current_database() and application_name = 'storefront server'`.execute(api.db)
  return rows.map(({ pid }) => pid)
}

/** Each filter gets several values, so that no two calls share a statement. */
const sampleOf = (name: string, shape: JsonSchema, store: FullStore, n: number): string => {
  if (shape.type === 'array') {
    const known = shape.items?.enum
    return known
      ? known.filter((_, place) => (n >> place) & 1).join() || String(known[0])
      : sampleOf(name, shape.items ?? {}, store, n)
  }
  if (shape.enum) return String(shape.enum[n % shape.enum.length])
  if (shape.type === 'boolean') return String(n % 2 === 0)
  if (shape.type === 'integer' || shape.type === 'number') return String(1 + (n % 5))
  if (shape.format === 'uuid') return store.product.id
  if (shape.format === 'date-bound') return `202${n % 7}-0${1 + (n % 9)}-11`
  if (name === 'country') return 'TN'
  if (name === 'mime_type') return 'image/*'
  return ['mug', 'amel shop', 'kitchen table top', 'a'.repeat(1 + (n % 9))][n % 4] as string
}

const calls = function* (query: JsonSchema, store: FullStore) {
  const shapes = Object.entries(query.properties ?? {})
  const filters = shapes.filter(([name]) => !PAGING.has(name))
  const sorts = (query.properties?.order_by?.enum ?? []) as string[]
  for (let n = 0; n < CALLS_PER_LIST; n++) {
    const parameters = new URLSearchParams({
      page: String(1 + (n % 2)),
      page_size: String(1 + (n % 200)),
      order_by: sorts[n % sorts.length] as string,
      order_direction: n % 3 === 0 ? 'ASC' : 'DESC',
    })
    // A hash of `n` whose bits all change often.
    const chosen = Math.imul(n, 2_654_435_761) >>> 0
    for (const [place, [name, shape]] of filters.entries())
      if ((chosen >>> (place % 31)) & 1) parameters.set(name, sampleOf(name, shape, store, n))
    yield parameters
  }
}

test('no PostgreSQL backend exceeds 100 MB, whatever filters the lists get', async () => {
  const store = await createFullStore()
  const { api, all } = store
  const lists = api.app.routeTable.filter(
    ({ method, schema, config }) =>
      method === 'GET' &&
      config.permission !== undefined &&
      'page_size' in ((schema.querystring as JsonSchema)?.properties ?? {}),
  )
  expect(lists.length).toBeGreaterThanOrEqual(7)
  const { webhook, variant } = await idsOf(store)
  let tried = 0
  let most = 0
  for (const { url, schema } of lists) {
    const path = url
      .replace('/api/apps/v1', '')
      .replace('/webhook/:id/', `/webhook/${webhook}/`)
      .replace('/stock/:id/', `/stock/${variant}/`)
    for (const parameters of calls(schema.querystring as JsonSchema, store)) {
      const reply = await all.get(`${path}?${parameters}`)
      expect([200, 422], `${path}?${parameters} ${reply.text}`).toContain(reply.status)
      if (reply.status === 200) tried++
    }
    for (const pid of await backends(api)) most = Math.max(most, privateBytes(pid))
  }
  expect(tried).toBeGreaterThan((lists.length * CALLS_PER_LIST) / 2)
  expect(most).toBeLessThan(MAX_PRIVATE_BYTES)
  recordResult({
    case: 'memory: query plans of lists',
    tried,
    lost: 0,
    note: `largest backend ${Math.round(most / 2 ** 20)} MB`,
  })
})
