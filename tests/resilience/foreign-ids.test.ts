import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { API_PREFIX } from '../../src/config/config.ts'
import type { RouteEntry } from '../../src/http/route-table.ts'
import type { Reply } from '../support/caller.ts'
import { form, picture } from '../support/uploads.ts'
import { fingerprint } from './fingerprint.ts'
import { createFullStore, type FullStore, idsOf } from './full-store.ts'
import { type IdPlace, idPlaces, withId } from './id-places.ts'
import { recordResult } from './results-table.ts'
import { type Sample, samplesFor } from './samples.ts'

/** Not about a store's resources: the credentials, and bytes that are public by their address. */
const ELSEWHERE = ['POST /auth/get-token', 'GET /files/:store/:id', 'GET /files/:store/:id/thumbnail']

const nameOf = ({ method, url }: RouteEntry) => `${method} ${url.slice(API_PREFIX.length)}`

const queryOf = (query: Record<string, unknown> = {}) => {
  const text = new URLSearchParams(
    Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
  ).toString()
  return text && `?${text}`
}

const send = async ({ all }: FullStore, { route, params = {}, querystring, body }: Sample): Promise<Reply> => {
  const [method = '', url = ''] = route.split(' ')
  const path = url.replace(/:(\w+)/g, (_, name) => params[name] ?? '') + queryOf(querystring)
  const fields = { ...(body as Record<string, string>), file: { name: 'd.png', bytes: await picture() } }
  return all.send(method, path, route === 'POST /file' ? form(fields) : body)
}

/** The answer without what differs between any two answers. */
const shown = ({ status, text, headers }: Reply) => {
  const kept = [...headers].filter(([name]) => !['date', 'x-request-id', 'content-disposition'].includes(name))
  return JSON.stringify({ status, text, headers: kept })
}

const swapped = (sample: Sample, { part, path }: IdPlace, id: string): Sample | undefined => {
  const value = withId(sample[part], path, id)
  return value === undefined ? undefined : ({ ...sample, [part]: value } as Sample)
}

test('another store’s id is answered, byte for byte, as one that does not exist, and changes nothing', async () => {
  const mine = await createFullStore()
  const theirs = await createFullStore()
  const foreign = await idsOf(theirs)
  expect(Object.keys(foreign).length).toBeGreaterThan(18)
  const samples = samplesFor(mine)
  const routes = mine.api.app.routeTable.filter(
    (route) => route.url.startsWith(API_PREFIX) && route.method !== 'HEAD' && !ELSEWHERE.includes(nameOf(route)),
  )
  const before = await fingerprint(mine.api.db)
  const unseen: string[] = []
  let tried = 0
  for (const route of routes) {
    for (const place of idPlaces(route)) {
      const fitting = samples
        .filter(({ route: name }) => name === nameOf(route))
        .filter((sample) => swapped(sample, place, randomUUID()))
      if (fitting.length === 0) unseen.push(`${nameOf(route)} ${place.part} ${place.path}`)
      for (const sample of fitting) {
        const missing = shown(await send(mine, swapped(sample, place, randomUUID()) as Sample))
        for (const [kind, id] of Object.entries(foreign)) {
          const reply = shown(await send(mine, swapped(sample, place, id) as Sample))
          expect(reply, `${sample.route} ${place.path}, ${kind} of another store`).toBe(missing)
          tried++
        }
      }
    }
  }
  expect(unseen, 'places for an id that no sample fills').toEqual([])
  expect(await fingerprint(mine.api.db)).toEqual(before)
  recordResult({ case: 'isolation: another store’s id at every place for one', tried, lost: 0 })
})

test('the same requests with the store’s own ids succeed, so that what was refused above was the id', async () => {
  const mine = await createFullStore()
  for (const sample of samplesFor(mine)) {
    const reply = await send(mine, sample)
    if (!sample.refused)
      expect([200, 201], `${sample.route} ${JSON.stringify(sample.body)}: ${reply.text}`).toContain(reply.status)
    const list = Object.values(reply.body?.data ?? {})[0]
    if (Array.isArray(list)) expect(list.length, `${sample.route} finds nothing`).toBeGreaterThan(0)
  }
})

test('a cursor of another store’s list shows nothing of it', async () => {
  const mine = await createFullStore()
  const theirs = await createFullStore()
  const { next_cursor } = (await theirs.all.get('/file?page_size=1')).body.data.pagination
  const reply = await mine.all.get(`/file?page_size=200&cursor=${encodeURIComponent(next_cursor)}`)
  const ids = (await theirs.all.get('/file?page_size=200')).body.data.files.map(({ id }: { id: string }) => id)
  for (const { id } of reply.body.data.files) expect(ids).not.toContain(id)
})
