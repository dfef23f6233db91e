import { sql } from 'kysely'
import { API_PREFIX } from '../../src/config/config.ts'
import { isDocumented } from '../../src/core/openapi/document.ts'
import { startTestApi, type TestApi } from '../support/api.ts'
import type { Caller } from '../support/caller.ts'
import { collectSamples, type Sample, type Seeded, type SliceSamples, seedStore } from '../support/samples.ts'

/** A store with at least one row of every kind. */
export type FullStore = Seeded & { api: TestApi; all: Caller; slices: SliceSamples[] }

export const createFullStore = async (
  start: () => Promise<TestApi> = startTestApi,
  more: SliceSamples[] = [],
): Promise<FullStore> => {
  const api = await start()
  const slices = [...(await collectSamples()), ...more]
  return { ...(await seedStore(slices, api)), api, all: await api.as(), slices }
}

/** Requests to every route that takes an id; deletions come last. */
export const samplesFor = (store: FullStore): Sample[] => [
  ...store.slices.flatMap(({ samples }) => samples?.(store) ?? []),
  ...store.slices.flatMap(({ removals }) => removals?.(store) ?? []),
]

/** The samples that change something, and a customer, whose email address can be taken once only. */
export const writesFor = (store: FullStore): Sample[] => [
  { route: 'POST /customer', body: { email: 'once@shop.example' } },
  ...samplesFor(store).filter(({ route }) => !route.startsWith('GET')),
]

/** Every route that changes something of a store, from the route table: `POST /product`. */
export const writeRoutes = ({ app }: TestApi): string[] =>
  app.routeTable
    .filter((route) => isDocumented(route) && route.method !== 'GET')
    .map(({ method, url }) => `${method} ${url.slice(API_PREFIX.length)}`)
    .filter((route) => route !== 'POST /auth/get-token')

/** One id of every kind the store has, read from the tables, so that a new table is covered automatically. */
export const idsOf = async ({ api }: FullStore): Promise<Record<string, string>> => {
  const { rows: tables } = await sql<{ name: string }>`
    select c.relname::text as name from pg_class c
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and exists (
      select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'store_id')
    and exists (
      select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'id' and a.atttypid = 'uuid'::regtype)
    order by 1`.execute(api.db)
  const ids: Record<string, string> = { store: api.store.id }
  for (const { name } of tables) {
    const { rows } = await sql<{ id: string }>`
      select id from ${sql.table(name)} where store_id = ${api.store.id} order by id limit 1`.execute(api.db)
    if (rows[0]) ids[name] = rows[0].id
  }
  return ids
}
