import { expect, test, vi } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { finishedJob, ndjson, startBulk } from '../../../tests/support/bulk.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import type { DiskSpace } from '../../core/storage/disk-space.ts'

const LINES = 3_000

const customers = (name: string, count: number) =>
  ndjson(Array.from({ length: count }, (_, n) => ({ email: `${name}-${n}@example.com` })))

test('jobs pause while the disk is full and say why, can be cancelled, and go on when there is space', async () => {
  const api = await startTestApi()
  const app = api.as()
  let hasRoom = true
  vi.spyOn(api.services.diskSpace as DiskSpace, 'hasRoom').mockImplementation(async () => hasRoom)
  const read = async (id: string) => (await app.get(`/bulk/${id}`)).body.data.job
  const start = async (name: string, count: number) =>
    (await startBulk(app, 'resource=customer', customers(name, count))).body.data.job.id as string
  const isPaused = (id: string) =>
    eventually(async () =>
      expect(await read(id)).toMatchObject({ status: 'waiting', error: expect.stringContaining('no disk space left') }),
    )

  const long = await start('long', LINES)
  const short = await start('short', 3)
  await eventually(async () => expect((await read(long)).counts.done).toBeGreaterThan(0))
  hasRoom = false
  await isPaused(long)
  const { done } = (await read(long)).counts
  expect(done).toBeLessThan(LINES)
  expect((await app.post('/customer', { email: 'single@example.com' })).status).toBe(503)

  const cancelled = await app.delete(`/bulk/${long}`)
  expect(cancelled.status, cancelled.text).toBe(200)
  expect(cancelled.body.data.job).toMatchObject({ status: 'cancelled', error: null, counts: { done, created: done } })
  await isPaused(short)
  expect((await read(short)).counts.done).toBe(0)

  hasRoom = true
  expect(await finishedJob(app, short)).toMatchObject({
    status: 'done',
    error: null,
    counts: { created: 3, failed: 0 },
  })
  expect((await app.get('/customer')).body.data.pagination.total).toBe(done + 3)
})
