import { expect, test } from 'vitest'
import { startTestApi } from '../support/api.ts'
import { send, sweepForeignIds } from './foreign-id-sweep.ts'
import { createFullStore, samplesFor } from './full-store.ts'
import { recordResult } from './results-table.ts'

// Without deliveries, which would change the rows of webhooks between two fingerprints.
const start = () => startTestApi({ WEBHOOKS: 'off' })

test('another store’s id gets the same reply as an unknown id, byte for byte, and changes nothing', async () => {
  const mine = await createFullStore(start)
  const theirs = await createFullStore(start)
  const { tried, kinds } = await sweepForeignIds(mine, theirs)
  expect(kinds.length).toBeGreaterThan(18)
  recordResult({ case: 'isolation: another store’s id in every id field', tried, lost: 0 })
})

/** Nobody has an order of these stores in hand; the tests of the desk list those of others. */
const MAY_BE_EMPTY = ['GET /order/claim']

test('the same requests succeed with the store’s own ids, so only the id was rejected above', async () => {
  const mine = await createFullStore()
  for (const sample of samplesFor(mine)) {
    const reply = await send(mine, sample)
    if (!sample.refused)
      expect([200, 201, 202], `${sample.route} ${JSON.stringify(sample.body)}: ${reply.text}`).toContain(reply.status)
    const list = Object.values(reply.body?.data ?? {})[0]
    if (Array.isArray(list) && !MAY_BE_EMPTY.includes(sample.route))
      expect(list.length, `${sample.route} finds nothing`).toBeGreaterThan(0)
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
