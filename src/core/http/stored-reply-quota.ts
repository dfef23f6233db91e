const MAX_BYTES = 256 * 1024
const MAX_BYTES_PER_DAY = 16 * 2 ** 20
const DAY_MS = 86_400_000
/** Bounds the memory of these counters. Far fewer installations write within a day. */
const MAX_INSTALLATIONS = 100_000

interface Usage {
  since: number
  bytes: number
}

let usageByInstallation = new Map<string, Usage>()

const usageToday = (installation: string): Usage => {
  const usage = usageByInstallation.get(installation)
  if (usage && performance.now() - usage.since < DAY_MS) return usage
  if (usageByInstallation.size >= MAX_INSTALLATIONS) usageByInstallation = new Map()
  const fresh = { since: performance.now(), bytes: 0 }
  usageByInstallation.set(installation, fresh)
  return fresh
}

/**
 * Whether a reply may be stored for a retry. Large replies are not, nor those beyond the installation's daily quota in
 * this process: a write of a few bytes can have a reply of a megabyte.
 */
export const mayStoreReply = (installation: string, body: string): boolean => {
  const bytes = Buffer.byteLength(body)
  const today = usageToday(installation)
  if (bytes > MAX_BYTES || today.bytes + bytes > MAX_BYTES_PER_DAY) return false
  today.bytes += bytes
  return true
}
