import { Worker } from 'node:worker_threads'
import { getToken, type Shop } from './seeded-shop.ts'

export interface Call {
  at: number
  ms: number
  /** Status and body, if the status was not 200. */
  fault?: string
}

export const percentile = (values: number[], share: number) =>
  values.sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN

/** An app of another store that keeps reading. */
export const startNeighbour = async (base: string, shop: Shop) => {
  const calls: Call[] = []
  const worker = new Worker(new URL('./neighbour.mjs', import.meta.url), {
    workerData: {
      token: await getToken(base, shop.credentials),
      addresses: [`${base}/product`, `${base}/product/${shop.mug.id}`],
    },
  })
  worker.on('message', (call) => calls.push(call))
  const failed = new Promise<never>((_, reject) => worker.on('error', reject))
  failed.catch(() => {})
  return {
    /** The calls made while `work` runs. */
    during: async (work: Promise<unknown>) => {
      const from = Date.now()
      await Promise.race([work, failed])
      const to = Date.now()
      return calls.filter(({ at, ms }) => at - ms >= from && at <= to)
    },
    stop: () => worker.terminate(),
  }
}
