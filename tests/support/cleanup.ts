const left: (() => unknown)[] = []

/** Done when the test file ends, the last asked for first. Vitest itself forgets an afterAll that a running test asks for. */
export const addCleanup = (work: () => unknown) => {
  left.push(work)
}

/** What fails here must not keep the rest from being cleared away. */
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
