import { object, value } from '../../core/reading/json-text.ts'
import { rowKind } from '../../core/reading/texts.ts'
import { sqlText } from '../../core/storage/sql.ts'
import type { BulkJob } from './schema.ts'
import type {} from './tables.ts'

interface JobRow {
  id: string
  resource: string
  mode: string
  match: string | null
  dry_run: boolean
  status: string
  error: string | null
  bytes: number
  lines: number
  created: number
  updated: number
  failed: number
  worked_ms: number
  created_at: string
  started_at: string | null
  finished_at: string | null
  now: string
}

const JOB_COLUMNS = sqlText`id, resource, mode, match, dry_run, status, error, bytes, lines, created, updated, failed,
  worked_ms, iso(created_at) as created_at, iso(started_at) as started_at, iso(finished_at) as finished_at,
  iso(statement_timestamp()) as now`

/** Lines per second while it was worked on, and when the rest will be done at that rate. */
const speedOf = ({ status, lines, worked_ms, now }: JobRow, done: number) => {
  if (done === 0 || worked_ms === 0) return { rate: null, end: null }
  const perMs = done / worked_ms
  const rate = Math.round(perMs * 10_000) / 10
  const end = new Date(Date.parse(now) + (lines - done) / perMs).toISOString()
  return { rate, end: status === 'running' || status === 'waiting' ? end : null }
}

const jobText = (row: JobRow) => {
  const done = row.created + row.updated + row.failed
  const { rate, end } = speedOf(row, done)
  return object<BulkJob>({
    id: value(row.id),
    resource: value(row.resource),
    mode: value(row.mode),
    match: value(row.match),
    dry_run: value(row.dry_run),
    status: value(row.status),
    error: value(row.error),
    bytes: value(Number(row.bytes)),
    counts: object<BulkJob['counts']>({
      lines: value(row.lines),
      done: value(done),
      created: value(row.created),
      updated: value(row.updated),
      failed: value(row.failed),
    }),
    lines_per_second: value(rate),
    estimated_end: value(end),
    created_at: value(row.created_at),
    started_at: value(row.started_at),
    finished_at: value(row.finished_at),
  })
}

export const bulkJobKind = rowKind<unknown>({
  table: 'bulk_job',
  columns: JOB_COLUMNS,
  texts: (row: JobRow) => [[row.id, jobText(row)]],
})
