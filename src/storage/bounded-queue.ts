/** Thrown at whoever comes when the queue is full. */
export class QueueFull extends Error {
  constructor() {
    super('Too many are waiting already.')
  }
}

interface Line {
  running: number
  waiting: (() => void)[]
}

export interface QueueLimits {
  /** How many run at a time. */
  running: number
  /** How many of one key run at a time: fewer, so that another key finds a free place. */
  runningPerKey: number
  /** How many may wait. */
  waiting: number
  waitingPerKey: number
}

/**
 * Runs a bounded number of jobs at a time. Keys (stores, say) take turns, however many jobs each of them has, so that
 * no one waits for another's pile. What would have to wait behind too many is refused with QueueFull.
 */
export const fairQueue = (limits: QueueLimits) => {
  /** In the sequence in which the keys take their turns. */
  const lines = new Map<string, Line>()
  let running = 0
  let waiting = 0

  const mayRun = (line: Line) => running < limits.running && line.running < limits.runningPerKey

  const enter = (line: Line) => {
    running++
    line.running++
  }

  const startNext = () => {
    for (const line of lines.values()) {
      if (line.waiting.length === 0 || !mayRun(line)) continue
      enter(line)
      waiting--
      line.waiting.shift()?.()
      return
    }
  }

  const leave = (key: string, line: Line) => {
    running--
    line.running--
    // To the end: every other key comes before this one's next job.
    lines.delete(key)
    if (line.running > 0 || line.waiting.length > 0) lines.set(key, line)
    startNext()
  }

  const isFull = (line: Line) => waiting >= limits.waiting || line.waiting.length >= limits.waitingPerKey

  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const line = lines.get(key) ?? { running: 0, waiting: [] }
    const atOnce = mayRun(line)
    if (!atOnce && isFull(line)) throw new QueueFull()
    lines.set(key, line)
    if (atOnce) enter(line)
    else {
      waiting++
      await new Promise<void>((resolve) => line.waiting.push(resolve))
    }
    try {
      return await work()
    } finally {
      leave(key, line)
    }
  }
}
