import { expect, test } from 'vitest'
import { startClientFixture } from '../../tests/support/client-fixture.ts'
import type { BulkResult } from './bulk.ts'
import type { BulkJob } from './types.ts'

test('waiting for an import reports its progress, and its results are read line by line', async () => {
  const { client } = await startClientFixture()
  const lines = [{ email: 'amel@example.com' }, { email: 'no address' }, { email: 'selim@example.com', colour: 'red' }]
  const { id } = await client.bulk.create(lines, { resource: 'customer' })
  const seen: BulkJob[] = []
  const job = await client.bulk.finished(id, { onProgress: (job) => seen.push(job), interval: 20 })
  expect(job).toMatchObject({ id, status: 'done', counts: { lines: 3, done: 3, created: 2, failed: 1 } })
  expect(seen.at(-1)).toEqual(job)
  expect(seen.slice(0, -1).every(({ finished_at }) => finished_at === null)).toBe(true)

  const results: BulkResult[] = []
  for await (const result of client.bulk.results(id)) results.push(result)
  expect(results).toEqual([
    { line: 1, status: 'created', id: expect.any(String) },
    expect.objectContaining({
      line: 2,
      status: 'failed',
      code: 'validation_failed',
      errors: { email: [expect.any(String)] },
    }),
    { line: 3, status: 'created', id: expect.any(String), ignored: ['colour'] },
  ])
  const created = results[0] as { id: string }
  expect(await client.customers.get(created.id)).toMatchObject({ email: 'amel@example.com' })
  for await (const { line } of client.bulk.results(id)) {
    expect(line).toBe(1)
    break
  }
})

test('aborting the wait does not cancel the job; an unknown job is an error', async () => {
  const { client, api } = await startClientFixture()
  const { id } = await client.bulk.create([{ email: 'amel@example.com' }], { resource: 'customer' })
  await expect(client.bulk.finished(id, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough')
  await client.bulk.finished(id)
  // From now on the job seems to run forever.
  await api.db.updateTable('bulk_job').set({ status: 'receiving', finished_at: null }).where('id', '=', id).execute()
  const stop = new AbortController()
  const waiting = client.bulk.finished(id, { signal: stop.signal, onProgress: () => stop.abort(new Error('later')) })
  await expect(waiting).rejects.toThrow('later')
  expect(await client.bulk.get(id)).toMatchObject({ counts: { created: 1 } })
  const missing = '00000000-0000-7000-8000-000000000000'
  await expect(client.bulk.finished(missing)).rejects.toMatchObject({ status: 404 })
  await expect(client.bulk.results(missing).next()).rejects.toMatchObject({ status: 404 })
})
