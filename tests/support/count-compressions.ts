import { createHook } from 'node:async_hooks'

/** How often this process compresses or decompresses something during the work. */
export const countCompressions = async (work: () => Promise<unknown>): Promise<number> => {
  let count = 0
  const hook = createHook({
    init: (_id, type) => {
      if (/zlib|brotli/i.test(type)) count++
    },
  }).enable()
  try {
    await work()
  } finally {
    hook.disable()
  }
  return count
}
