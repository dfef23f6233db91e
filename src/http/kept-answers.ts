const MAX_BYTES = 256 * 1024
const MAX_BYTES_PER_DAY = 16 * 2 ** 20
const DAY_MS = 86_400_000
/** A bound for the memory of this count; far more installations than write within a day. */
const MAX_INSTALLATIONS = 100_000

interface Kept {
  since: number
  bytes: number
}

let kept = new Map<string, Kept>()

const keptToday = (installation: string): Kept => {
  const known = kept.get(installation)
  if (known && performance.now() - known.since < DAY_MS) return known
  if (kept.size >= MAX_INSTALLATIONS) kept = new Map()
  const fresh = { since: performance.now(), bytes: 0 }
  kept.set(installation, fresh)
  return fresh
}

/**
 * Whether an answer is kept whole for a retry. Large ones are not, nor what goes beyond the installation's share of a day
 * in this process: a write of a few bytes can have an answer of a megabyte, and a day has many writes.
 */
export const mayKeep = (installation: string, body: string): boolean => {
  const bytes = Buffer.byteLength(body)
  const today = keptToday(installation)
  if (bytes > MAX_BYTES || today.bytes + bytes > MAX_BYTES_PER_DAY) return false
  today.bytes += bytes
  return true
}
