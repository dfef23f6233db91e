/** Runs work as soon as fewer than the limit are running. */
export type ConcurrencyLimit = <T>(work: () => Promise<T>) => Promise<T>
/** Lets so many pieces of work run at a time; the rest wait their turn. */
export const concurrencyLimit = (limit: number) => {
  let running = 0
  const waiting: (() => void)[] = []
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
