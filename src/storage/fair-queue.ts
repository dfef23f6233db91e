/** Everything under this key together may hold so many slots at once. */
export interface Share {
  key: string
  max: number
}

/** Shares that all of one line have, the narrowest first: its key names the line. */
export type Shares = readonly [Share, ...Share[]]

export interface QueueLimits {
  slots: number
  /** How many may wait, in all and in one line; any number without it. */
  maxWaiting?: number
  maxWaitingInLine?: number
}

export interface Ticket {
  /** Undefined when there was a free slot at once. */
  admitted: Promise<void> | undefined
  /** Gives the slot back, or the place in the line. */
  leave(): void
}

export class QueueFullError extends Error {
  override name = 'QueueFullError'
}

/** Does the work when its turn has come. */
export type RunInTurn = <T>(work: () => Promise<T>) => Promise<T>

export interface FairQueue {
  /** Throws QueueFullError when too many are waiting already. */
  enter(shares: Shares): Ticket
  /** Does the work as soon as there is a slot for it. */
  run<T>(shares: Shares, work: () => Promise<T>): Promise<T>
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
export const createFairQueue = ({
  slots,
  maxWaiting = Number.POSITIVE_INFINITY,
  maxWaitingInLine = Number.POSITIVE_INFINITY,
}: QueueLimits): FairQueue => {
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

  const wait = (one: Waiting) => {
    const { key } = one.shares[0]
    const line = lines.get(key) ?? new Set()
    if (waiting >= maxWaiting || line.size >= maxWaitingInLine)
      throw new QueueFullError(`${line.size} of ${key} are waiting already, ${waiting} in all.`)
    lines.set(key, line.add(one))
    waiting++
  }

  const withdraw = (one: Waiting) => {
    const { key } = one.shares[0]
    const line = lines.get(key)
    line?.delete(one)
    if (line?.size === 0) lines.delete(key)
    waiting--
  }

  /** Every other line comes before this one. */
  const moveToEnd = ([{ key }]: Shares) => {
    const line = lines.get(key)
    if (!line) return
    lines.delete(key)
    lines.set(key, line)
  }

  const admitNext = () => {
    for (const [next] of lines.values()) {
      if (!next || !hasRoom(next.shares)) continue
      withdraw(next)
      take(next.shares)
      moveToEnd(next.shares)
      return next.admit()
    }
  }

  const enter = (shares: Shares): Ticket => {
    const leaveSlot = () => {
      giveBack(shares)
      moveToEnd(shares)
      admitNext()
    }
    if (hasRoom(shares)) {
      take(shares)
      return { admitted: undefined, leave: leaveSlot }
    }
    let isInside = false
    let admit = () => {}
    const admitted = new Promise<void>((resolve) => {
      admit = resolve
    })
    const one = {
      shares,
      admit: () => {
        isInside = true
        admit()
      },
    }
    wait(one)
    return { admitted, leave: () => (isInside ? leaveSlot() : withdraw(one)) }
  }

  const run = async <T>(shares: Shares, work: () => Promise<T>): Promise<T> => {
    const { admitted, leave } = enter(shares)
    if (admitted) await admitted
    try {
      return await work()
    } finally {
      leave()
    }
  }

  return {
    get waiting() {
      return waiting
    },
    enter,
    run,
  }
}
