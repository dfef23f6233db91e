import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { API_PREFIX } from '../../src/config/config.ts'
import type { RouteEntry } from '../../src/core/http/route-table.ts'
import type { Reply } from '../support/caller.ts'
import type { Sample } from '../support/samples.ts'
import { form, picture } from '../support/uploads.ts'
import { fingerprint } from './fingerprint.ts'
import { type FullStore, idsOf, samplesFor } from './full-store.ts'
import { type IdPlace, idPlaces, withId } from './id-places.ts'

/** Places for ids that the usual samples leave out. */
const withIds = ({ edited }: FullStore): Sample[] => [
  { route: 'PUT /setting', body: { order_desk: { confirm_payment_methods: [randomUUID()] } } },
  { route: 'POST /order/claim', body: { exclude: [randomUUID()] } },
  {
    route: 'PUT /order/:id/variants',
    params: { id: edited.id },
    body: { variants: [{ variant_id: randomUUID(), quantity: 1 }] },
  },
  { route: 'GET /event', querystring: { account_id: randomUUID() } },
  { route: 'POST /mcp', querystring: { store: randomUUID() }, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
]

/** Routes without resources of a store: credentials, reports of payments and public files. */
const ELSEWHERE = [
  'POST /auth/get-token',
  'POST /billing/paid',
  'GET /files/:store/:id',
  'GET /files/:store/:id/thumbnail',
]

const nameOf = ({ method, url }: RouteEntry) => `${method} ${url.slice(API_PREFIX.length)}`

const queryOf = (query: Record<string, unknown> = {}) => {
  const text = new URLSearchParams(
    Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
  ).toString()
  return text && `?${text}`
}

export const send = async ({ all }: FullStore, { route, params = {}, querystring, body }: Sample): Promise<Reply> => {
  const [method = '', url = ''] = route.split(' ')
  const path = url.replace(/:(\w+)/g, (_, name) => params[name] ?? '') + queryOf(querystring)
  const fields = { ...(body as Record<string, string>), file: { name: 'd.png', bytes: await picture() } }
  return all.send(method, path, route === 'POST /file' ? form(fields) : body)
}

const DIFFERING = ['date', 'x-request-id', 'content-disposition']

/** The reply without the parts that differ between any two replies. One that repeats the id it was given has an ETag of its own. */
const shown = ({ status, text, headers }: Reply, id: string) => {
  const left = text.includes(id) ? [...DIFFERING, 'etag'] : DIFFERING
  const kept = [...headers].filter(([name]) => !left.includes(name))
  return JSON.stringify({ status, text, headers: kept }).replaceAll(id, 'the id')
}

const swapped = (sample: Sample, { part, path }: IdPlace, id: string): Sample | undefined => {
  const value = withId(sample[part], path, id)
  return value === undefined ? undefined : ({ ...sample, [part]: value } as Sample)
}

const takesIds = (route: RouteEntry) =>
  route.url.startsWith(API_PREFIX) && route.method !== 'HEAD' && !ELSEWHERE.includes(nameOf(route))

/**
 * Puts ids of another store into every place that takes an id, and expects the same reply as for an unknown id. Returns
 * how many it tried.
 */
export const sweepForeignIds = async (
  mine: FullStore,
  theirs: FullStore,
  isSwept: (route: RouteEntry) => boolean = () => true,
) => {
  const foreign = await idsOf(theirs)
  const samples = [...samplesFor(mine), ...withIds(mine)]
  const before = await fingerprint(mine.api.db)
  const unseen: string[] = []
  let tried = 0
  for (const route of mine.api.app.routeTable.filter((route) => takesIds(route) && isSwept(route))) {
    for (const place of idPlaces(route)) {
      const fitting = samples
        .filter(({ route: name }) => name === nameOf(route))
        .filter((sample) => swapped(sample, place, randomUUID()))
      if (fitting.length === 0) unseen.push(`${nameOf(route)} ${place.part} ${place.path}`)
      for (const sample of fitting) {
        const replyTo = async (id: string) => shown(await send(mine, swapped(sample, place, id) as Sample), id)
        const missing = await replyTo(randomUUID())
        for (const [kind, id] of Object.entries(foreign)) {
          const reply = await replyTo(id)
          expect(reply, `${sample.route} ${place.path}, ${kind} of another store`).toBe(missing)
          tried++
        }
      }
    }
  }
  expect(unseen, 'places for an id that no sample fills').toEqual([])
  expect(await fingerprint(mine.api.db)).toEqual(before)
  return { tried, kinds: Object.keys(foreign) }
}
