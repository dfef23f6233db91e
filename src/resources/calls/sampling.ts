/** Successful reads that are kept of each caller in a second. */
export const READS_PER_SECOND = 20

/** Whoever has no valid token shares one place, so that strangers cannot fill the log. */
const ANONYMOUS = ''

interface Place {
  /** In this second. */
  kept: number
  /** Since the last one that was kept. */
  skipped: number
}

/** Chooses which calls are kept: `skipped` are those left out since the one before, undefined leaves out this one. */
export const createSampler = () => {
  const places = new Map<string, Place>()
  let second = -1

  const beginSecond = (current: number) => {
    second = current
    for (const [key, place] of places)
      if (place.skipped > 0) place.kept = 0
      else places.delete(key)
  }

  /** The caller is an installation, or an app that names none. */
  return (caller: string | null, mustKeep: boolean, at: number): number | undefined => {
    if (mustKeep && caller !== null) return 0
    const current = Math.floor(at / 1000)
    if (current !== second) beginSecond(current)
    const key = caller ?? ANONYMOUS
    let place = places.get(key)
    if (!place) {
      place = { kept: 0, skipped: 0 }
      places.set(key, place)
    }
    if (place.kept >= READS_PER_SECOND) {
      place.skipped++
      return undefined
    }
    const { skipped } = place
    place.kept++
    place.skipped = 0
    return skipped
  }
}
