import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { BulkResult } from '../../../../client/src/bulk.ts'
import { useStore } from '../../api/store.tsx'
import { useMessages } from '../../messages/messages.ts'
import type { Product } from './labels.ts'

export interface Failure {
  product: Product
  problem: string
}

const problemOf = ({ errors, message }: BulkResult & { status: 'failed' }) =>
  Object.values(errors ?? {})
    .flat()
    .join(', ') || message

/** Sends the lines as one job of the API, follows its progress, and reports what failed. */
export const useBulkJob = () => {
  const { products: words } = useMessages()
  const { store, client } = useStore()
  const queries = useQueryClient()
  const [progress, setProgress] = useState<{ done: number; total: number }>()
  const job = useRef<string>(undefined)

  const results = async (id: string, products: readonly Product[]) => {
    const byLine = new Map<number, BulkResult>()
    for await (const result of client.bulk.results(id)) byLine.set(result.line, result)
    const failed = products.flatMap((product, index): Failure[] => {
      const result = byLine.get(index + 1)
      if (!result) return [{ product, problem: words.bulkStopped }]
      return result.status === 'failed' ? [{ product, problem: problemOf(result) }] : []
    })
    return { changed: products.length - failed.length, failed }
  }

  return {
    progress,
    /** Lines that are done stay done. */
    stop: async () => {
      if (job.current) await client.bulk.delete(job.current)
    },
    /** Products to which `lineOf` has nothing to do are left out. */
    run: async (products: readonly Product[], lineOf: (product: Product) => object | undefined) => {
      const lines = products.flatMap((product) => {
        const line = lineOf(product)
        return line ? [{ product, line }] : []
      })
      setProgress({ done: 0, total: lines.length })
      try {
        const query = { resource: 'product', mode: 'upsert', match: 'id' } as const
        const { id } = await client.bulk.create(
          lines.map(({ line }) => line),
          query,
        )
        job.current = id
        const ended = await client.bulk.finished(id, {
          onProgress: ({ counts }) => setProgress({ done: counts.done, total: lines.length }),
        })
        if (ended.status === 'failed') throw new Error(ended.error ?? '')
        return await results(
          id,
          lines.map(({ product }) => product),
        )
      } finally {
        job.current = undefined
        setProgress(undefined)
        await queries.invalidateQueries({ queryKey: [store.id, 'products'] })
      }
    },
  }
}
