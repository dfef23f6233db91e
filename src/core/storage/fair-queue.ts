/** Limits the slots that all entries with this key may hold at once. */
interface Share {
  key: string
  max: number
}

/** The shares of an entry, the narrowest first. Entries with the same first key form a line. */
export type Shares = readonly [Share, ...Share[]]

interface QueueLimits {
  slots: number
  /** How many may wait, in total and per line; unlimited if undefined. */
  maxWaiting?: number
  maxWaitingInLine?: number
}

export interface Ticket {
  /** Undefined if a slot was free. */
  admitted: Promise<void> | undefined
  /** Releases the slot, or leaves the queue. */
  leave(): void
}

export class QueueFullError extends Error {
  override name = 'QueueFullError'
}

/** Runs the work once it gets a slot. */
export type RunInTurn = <T>(work: () => Promise<T>) => Promise<T>

export interface FairQueue {
  /** Throws QueueFullError if too many are waiting. */
  enter(shares: Shares): Ticket
  /** Runs the work once there is a slot for it. */
  run<T>(shares: Shares, work: () => Promise<T>): Promise<T>
  readonly waiting: number
}

interface Waiting {
  shares: Shares
  admit: () => void
}

/**
 * Assigns slots to lines in round-robin order: however many wait in one line, the first of another waits for one slot
 * only. No line exceeds its shares, even while slots are free, so that a newcomer finds one.
 */
export const createFairQueue = ({
  slots,
  maxWaiting = Number.POSITIVE_INFINITY,
  maxWaitingInLine = Number.POSITIVE_INFINITY,
}: QueueLimits): FairQueue => {
  const held = new Map<string, number>()
  /** In round-robin order, the next line first. */
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
      throw new QueueFullError(`${line.size} of ${key} are already waiting, ${waiting} in total.`)
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
