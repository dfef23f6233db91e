import { parseJsonLines } from './json-lines.ts'
import type { CallOptions } from './request.ts'
import { sleep } from './sleep.ts'
import type { BulkJob } from './types.ts'

/** What became of one line of a bulk job. */
export type BulkResult = {
  /** Counted from 1, blank lines included. */
  line: number
  /** Unknown fields of the line. */
  ignored?: string[]
} & (
  | { status: 'created' | 'updated'; id: string }
  | {
      status: 'failed'
      code: string
      message: string
      /** By field. */
      errors?: Record<string, string[]>
    }
)

export type FinishedOptions = CallOptions & {
  /** Called with the job each time it was read, the last time when it has ended. */
  onProgress?: (job: BulkJob) => void
  /** Milliseconds between two reads of the job. Default: 250, rising to 2,000. */
  interval?: number
}

const FIRST_INTERVAL = 250
const LAST_INTERVAL = 2_000

type GetJob = (id: string, options?: CallOptions) => Promise<BulkJob>

export const waitForJob = async (get: GetJob, id: string, options: FinishedOptions = {}): Promise<BulkJob> => {
  const { onProgress, interval, ...call } = options
  for (let wait = interval ?? FIRST_INTERVAL; ; wait = interval ?? Math.min(wait * 1.5, LAST_INTERVAL)) {
    const job = await get(id, call)
    onProgress?.(job)
    if (job.finished_at !== null) return job
    await sleep(wait, call.signal)
  }
}

export async function* readResults(
  open: (id: string, options?: CallOptions) => Promise<ReadableStream<Uint8Array>>,
  id: string,
  options?: CallOptions,
): AsyncGenerator<BulkResult, void, undefined> {
  yield* parseJsonLines<BulkResult>(await open(id, options))
}
