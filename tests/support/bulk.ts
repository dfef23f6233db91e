import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from './caller.ts'

const NDJSON = { 'content-type': 'application/x-ndjson' }

export const ndjson = (lines: readonly unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')

export const startBulk = (caller: Caller, query: string, body: string, extra: Record<string, string> = {}) =>
  caller.post(`/bulk?${query}`, body, { ...NDJSON, ...extra })

/** Waits until the job has ended, and returns it. */
export const finishedJob = async (caller: Caller, id: string, timeoutMs = 60_000) => {
  const ends = Date.now() + timeoutMs
  for (;;) {
    const { job } = (await caller.get(`/bulk/${id}`)).body.data
    if (job.finished_at !== null) return job
    if (Date.now() > ends) throw new Error(`The job has not ended: ${JSON.stringify(job)}`)
    await sleep(20)
  }
}

export interface LineResult {
  line: number
  status: string
  id?: string
  code?: string
  errors?: Record<string, string[]>
  ignored?: string[]
}

export const bulkResults = async (caller: Caller, id: string): Promise<LineResult[]> =>
  (await caller.get(`/bulk/${id}/result`)).text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

/** Runs a whole job. */
export const runBulk = async (caller: Caller, query: string, lines: readonly unknown[]) => {
  const reply = await startBulk(caller, query, ndjson(lines))
  if (reply.status !== 202) throw new Error(`POST /bulk answered ${reply.status}: ${reply.text}`)
  const job = await finishedJob(caller, reply.body.data.job.id)
  return { job, results: await bulkResults(caller, job.id) }
}
