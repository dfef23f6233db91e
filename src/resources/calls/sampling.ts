/** Successful reads that are kept of each caller in a second. */
export const READS_PER_SECOND = 20

/** Whoever has no valid token shares one place, so that strangers cannot fill the log. */
const ANONYMOUS = ''

/** Chooses which calls are kept: `skipped` are those left out since the one before, undefined leaves out this one. */
export const createSampler = (now = () => performance.now()) => {
  let second = -1
  let kept = new Map<string, number>()
  const skipped = new Map<string, number>()

  /** The caller is an installation, or an app that names none. */
  return (caller: string | null, mustKeep: boolean): number | undefined => {
    const key = caller ?? ANONYMOUS
    if (mustKeep && caller !== null) return 0
    const current = Math.floor(now() / 1000)
    if (current !== second) {
      second = current
      kept = new Map()
    }
    const count = kept.get(key) ?? 0
    if (count >= READS_PER_SECOND) {
      skipped.set(key, (skipped.get(key) ?? 0) + 1)
      return undefined
    }
    kept.set(key, count + 1)
    const before = skipped.get(key) ?? 0
    if (before > 0) skipped.delete(key)
    return before
  }
}
