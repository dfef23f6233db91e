/** Everything under this key together may hold so many slots at once. */
export interface Share {
  key: string
  max: number
}

/** Shares that all of one line have, the narrowest first: its key names the line. */
export type Shares = readonly [Share, ...Share[]]

export interface Ticket {
  /** Undefined when there was a free slot at once. */
  admitted: Promise<void> | undefined
  /** Gives the slot back, or the place in the line. */
  leave(): void
}

export interface FairQueue {
  enter(shares: Shares): Ticket
  readonly waiting: number
}

interface Waiting {
  shares: Shares
  admit: () => void
}

/**
 * Hands out slots, to each line in its turn: however many wait in one line, the next of another waits for one slot only.
 * No line gets a slot beyond its shares, even while slots are free, so that a newcomer finds one.
 */
export const createFairQueue = (slots: number): FairQueue => {
  const held = new Map<string, number>()
  /** The line whose turn is next comes first. */
  const lines = new Map<string, Set<Waiting>>()
  let free = slots
  let waiting = 0

  const hasRoom = (shares: Shares) => free > 0 && shares.every(({ key, max }) => (held.get(key) ?? 0) < max)

  const take = (shares: Shares) => {
    free--
    for (const { key } of shares) held.set(key, (held.get(key) ?? 0) + 1)
  }

  const giveBack = (shares: Shares) => {
    free++
    for (const { key } of shares) {
      const left = (held.get(key) ?? 1) - 1
      if (left > 0) held.set(key, left)
      else held.delete(key)
    }
  }

  const withdraw = (one: Waiting) => {
    const key = one.shares[0].key
    const line = lines.get(key)
    line?.delete(one)
    if (line?.size === 0) lines.delete(key)
    waiting--
  }

  const admitNext = () => {
    for (const [key, line] of lines) {
      const [next] = line
      if (!next || !hasRoom(next.shares)) continue
      withdraw(next)
      if (line.size > 0) {
        lines.delete(key)
        lines.set(key, line)
      }
      take(next.shares)
      return next.admit()
    }
  }

  return {
    get waiting() {
      return waiting
    },
    enter: (shares) => {
      let inside = hasRoom(shares)
      let one: Waiting | undefined
      let admitted: Promise<void> | undefined
      if (inside) take(shares)
      else
        admitted = new Promise((resolve) => {
          const admit = () => {
            inside = true
            resolve()
          }
          one = { shares, admit }
          const line = lines.get(shares[0].key) ?? new Set()
          lines.set(shares[0].key, line.add(one))
          waiting++
        })
      const leave = () => {
        if (!inside) return withdraw(one as Waiting)
        giveBack(shares)
        admitNext()
      }
      return { admitted, leave }
    },
  }
}
