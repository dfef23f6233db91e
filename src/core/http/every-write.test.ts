import { readdir } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { fingerprint } from '../../../tests/resilience/fingerprint.ts'
import { send } from '../../../tests/resilience/foreign-id-sweep.ts'
import { createFullStore, type FullStore, writeRoutes, writesFor } from '../../../tests/resilience/full-store.ts'
import { startTestApi } from '../../../tests/support/api.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import type { Sample } from '../../../tests/support/samples.ts'
import { mergeAnalyticChanges } from '../../resources/analytics/merge-changes.ts'
import { mergeRowCounts } from '../reading/row-counts.ts'

let store: FullStore
beforeAll(async () => {
  // A server that delivers events would change webhooks at any time.
  store = await createFullStore(() => startTestApi({ WEBHOOKS: 'off' }))
})

/** Changes when an event is added. */
const cursor = async () => (await store.all.get('/event?cursor=now')).body.data.next_cursor as string

const files = () => readdir(store.api.config.DATA_DIR, { recursive: true })

/** Everything that a write could change. */
const state = async () => {
  // Maintenance would merge them later.
  await mergeRowCounts(store.api.db)
  await mergeAnalyticChanges(store.api.db)
  return [await fingerprint(store.api.db), (await files()).sort(), await cursor()]
}

/** Fails if a route that changes something has no sample. */
const expectAllTried = (writes: Sample[], elsewhere: string[]) => {
  const tried = new Set([...writes.map(({ route }) => route), ...elsewhere])
  expect(writeRoutes(store.api).filter((route) => !tried.has(route))).toEqual([])
}

test('a dry run of every write gets the reply of the write and changes nothing', async () => {
  // The first creates a job, which applies its lines as dry runs instead; webhooks.test.ts tries the second. The third is
  // for the operator's payment service, signed, and may be repeated (plans.test.ts). The last changes nothing.
  const elsewhere = ['POST /bulk', 'POST /webhook/:id/test', 'POST /billing/paid', 'POST /app/:client_id/boot']
  const dry = { ...store, all: store.all.with({ prefer: 'dry-run', 'idempotency-key': 'never stored' }) }
  const writes = writesFor(store).filter(({ route }) => !elsewhere.includes(route))
  const before = await state()
  for (const sample of writes) {
    const reply = await send(dry, sample)
    if (sample.refused) expect(reply.status, sample.route).toBe(422)
    else expect([200, 201], `${sample.route}: ${reply.text}`).toContain(reply.status)
    if (reply.status < 300) expect(reply.headers.get('preference-applied'), sample.route).toBe('dry-run')
    expect(reply.headers.get('etag'), sample.route).toBeNull()
  }
  await eventually(async () => expect(await state()).toEqual(before))
  expectAllTried(writes, elsewhere)
})

test('every write takes a key: the second time it replies the same and changes nothing', async () => {
  // The first takes NDJSON; bulk.test.ts sends it twice. The second and the last change nothing of the store. plans.test.ts
  // repeats the third.
  const elsewhere = ['POST /bulk', 'POST /webhook/:id/test', 'POST /billing/paid', 'POST /app/:client_id/boot']
  const isDry = ({ querystring }: Sample) => querystring?.dry_run === true
  const writes = writesFor(store).filter(({ route, refused }) => !refused && !elsewhere.includes(route))
  for (const [n, sample] of writes.entries()) {
    const caller = { ...store, all: store.all.with({ 'idempotency-key': `sweep ${n}` }) }
    const first = await send(caller, sample)
    expect([200, 201], `${sample.route}: ${first.text}`).toContain(first.status)
    const before = await state()
    const again = await send(caller, sample)
    const replayed = isDry(sample) ? null : 'true'
    expect([again.status, again.headers.get('idempotency-replayed')], sample.route).toEqual([first.status, replayed])
    if (replayed) expect(again.text, sample.route).toBe(first.text)
    // Bytes that were sent twice are deleted after the reply is sent.
    await eventually(async () => expect(await state(), sample.route).toEqual(before))
  }
  expectAllTried(writes, elsewhere)
})
