import type { Resource } from '../../core/http/resource.ts'
import { bulkRoutes } from './routes.ts'
import type { BulkServices } from './runner.ts'
import { bulkJobKind } from './text.ts'

const job = {
  id: '01a1e000-0000-7000-8000-000000000000',
  resource: 'product',
  mode: 'upsert',
  match: 'sku',
  dry_run: false,
  status: 'running',
  error: null,
  bytes: 1_840_112,
  counts: { lines: 5_000, done: 1_250, created: 1_100, updated: 148, failed: 2 },
  lines_per_second: 118.4,
  estimated_end: '2026-11-02T10:01:42.000Z',
  created_at: '2026-11-02T10:01:00.000Z',
  started_at: '2026-11-02T10:01:00.210Z',
  finished_at: null,
}

const LINES = ['{"title":"Tea towel","sku":"TOWEL","price":12.5,"category":"Kitchen"}', '{"sku":"MUG-S","quantity":40}']

const RESULTS = [
  `{"line":1,"status":"created","id":"${job.id}"}`,
  '{"line":2,"status":"failed","code":"validation_failed","message":"The request has invalid fields.",' +
    '"errors":{"title":["is required"]}}',
]

const text = (lines: string[]) => lines.map((line) => `${line}\n`).join('')

export const bulk: Resource<BulkServices> = {
  heading: 'Bulk',
  description:
    'Imports of many resources at once: products, categories, bundles, orders, customers, reviews and landing pages.',
  routes: bulkRoutes,
  kinds: { bulk_job: bulkJobKind },
  examples: {
    bodies: () => ({ createBulk: text(LINES) }),
    replies: () => ({
      createBulk: { data: { job } },
      getBulk: { data: { job } },
      deleteBulk: { data: { job } },
      listBulkJobs: {
        data: {
          jobs: [job],
          pagination: { total: 1, per_page: 20, current_page: 1, last_page: 1, next_cursor: null },
        },
      },
      exportBulkResult: text(RESULTS) as never,
    }),
    schemas: () => ({ BulkJob: job }),
  },
}
