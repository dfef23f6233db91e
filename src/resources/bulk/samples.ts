import { randomUUID } from 'node:crypto'
import { finishedJob } from '../../../tests/support/bulk.ts'
import type { SeedContext, Seeded } from '../../../tests/support/samples.ts'
import { form } from '../../../tests/support/uploads.ts'

/** Jobs have ended when this returns, so that nothing changes while ids are swept. */
export const seed = async ({ all }: SeedContext) => {
  const line = () => `${JSON.stringify({ email: `${randomUUID()}@shop.example` })}\n`
  const headers = { 'content-type': 'application/x-ndjson' }
  const { job } = (await all.post('/bulk?resource=customer', line(), headers)).body.data
  await finishedJob(all, job.id)
  const upload = form({ file: { name: 'customers.ndjson', bytes: Buffer.from(line()) } })
  const lines = (await all.post('/file', upload)).body.data.file
  return { bulk_job: job, lines_file: lines }
}

export const samples = ({ bulk_job, lines_file }: Seeded) => [
  { route: 'GET /bulk', querystring: { resource: 'customer' } },
  { route: 'GET /bulk/:id', params: { id: bulk_job.id } },
  { route: 'GET /bulk/:id/result', params: { id: bulk_job.id } },
  { route: 'POST /bulk', querystring: { resource: 'customer', file_id: lines_file.id, dry_run: true } },
]

export const removals = ({ bulk_job }: Seeded) => [{ route: 'DELETE /bulk/:id', params: { id: bulk_job.id } }]
