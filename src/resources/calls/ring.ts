/** Keeps the last `capacity` items, and counts those that it had to drop. */
export const createRing = <T>(capacity: number) => {
  const slots: (T | undefined)[] = new Array(capacity)
  let start = 0
  let size = 0
  let dropped = 0

  const dropOldest = () => {
    slots[start] = undefined
    start = (start + 1) % capacity
    size--
    dropped++
  }

  return {
    get size() {
      return size
    },

    push: (item: T) => {
      if (size === capacity) dropOldest()
      slots[(start + size) % capacity] = item
      size++
    },

    /** Removes up to `most` of the oldest. */
    take: (most: number): T[] => {
      const taken: T[] = []
      while (size > 0 && taken.length < most) {
        taken.push(slots[start] as T)
        slots[start] = undefined
        start = (start + 1) % capacity
        size--
      }
      return taken
    },

    /** Puts back what was taken, in front. The oldest are dropped if there is no room. */
    putBack: (items: readonly T[]) => {
      for (const item of [...items].reverse()) {
        if (size === capacity) {
          dropped++
          continue
        }
        start = (start - 1 + capacity) % capacity
        slots[start] = item
        size++
      }
    },

    /** Counts items as dropped that were taken and could not be used. */
    lose: (count: number) => {
      dropped += count
    },

    takeDropped: () => {
      const count = dropped
      dropped = 0
      return count
    },
  }
}
