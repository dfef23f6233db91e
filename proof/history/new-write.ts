import type { Write } from '../record.ts'

type Given = Pick<Write, 'n' | 'app' | 'kind' | 'method' | 'path' | 'body' | 'resource'> & Partial<Write>

/** The record of a write that begins now. */
export const newWrite = (given: Given): Write => ({
  id: undefined,
  key: undefined,
  isDryRun: false,
  ifMatch: undefined,
  start: performance.now(),
  end: Number.POSITIVE_INFINITY,
  outcome: 'unknown',
  status: undefined,
  code: undefined,
  reply: undefined,
  etag: undefined,
  attempts: [],
  isDoubled: false,
  ...given,
})
