const left: (() => unknown)[] = []

/** Runs when the test file ends, last added first. Vitest ignores an afterAll() called inside a test or beforeAll(). */
export const addCleanup = (work: () => unknown) => {
  left.push(work)
}

/** A failure must not skip the other cleanups. */
export const runCleanups = async () => {
  const failed: unknown[] = []
  for (let work = left.pop(); work; work = left.pop()) {
    try {
      await work()
    } catch (error) {
      failed.push(error)
    }
  }
  if (failed.length > 0) throw failed[0]
}
