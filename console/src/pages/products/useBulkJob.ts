import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { parseJsonLines } from '../../../../client/src/json-lines.ts'
import { useStore } from '../../api/store.tsx'
import { useMessages } from '../../messages/messages.ts'
import { type BulkChange, bulkLine } from './bulk.ts'
import type { Product } from './labels.ts'

interface Result {
  line: number
  status: 'created' | 'updated' | 'failed'
  message?: string
  errors?: Record<string, string[]>
}

export interface Failure {
  product: Product
  problem: string
}

const POLL_MS = 300

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Sends the lines as one job of the API, follows its progress, and tells what failed. */
export const useBulkJob = () => {
  const { products: words } = useMessages()
  const { store, client } = useStore()
  const queries = useQueryClient()
  const [progress, setProgress] = useState<{ done: number; total: number }>()
  const job = useRef<string>(undefined)

  const results = async (id: string, products: readonly Product[]) => {
    const told = new Map<number, Result>()
    const lines = parseJsonLines<Result>((await client.jobs.exportBulkResult(id)) as ReadableStream<Uint8Array>)
    for await (const result of lines) told.set(result.line, result)
    const failed = products.flatMap((product, index): Failure[] => {
      const result = told.get(index + 1)
      if (!result) return [{ product, problem: words.bulkStopped }]
      if (result.status !== 'failed') return []
      return [
        {
          product,
          problem:
            Object.values(result.errors ?? {})
              .flat()
              .join(', ') ||
            (result.message ?? ''),
        },
      ]
    })
    return { changed: products.length - failed.length, failed }
  }

  return {
    progress,
    /** Lines that are done stay done. */
    stop: async () => {
      if (job.current) await client.jobs.delete(job.current)
    },
    run: async (products: readonly Product[], change: BulkChange) => {
      const lines = products.flatMap((product) => {
        const line = bulkLine(product, change)
        return line ? [{ product, line }] : []
      })
      setProgress({ done: 0, total: lines.length })
      try {
        const query = { resource: 'product', mode: 'upsert', match: 'id' } as const
        let state = await client.jobs.create(
          lines.map(({ line }) => line),
          query,
        )
        job.current = state.id
        while (state.status === 'receiving' || state.status === 'waiting' || state.status === 'running') {
          await wait(POLL_MS)
          state = await client.jobs.get(state.id)
          setProgress({ done: state.counts.done, total: lines.length })
        }
        if (state.status === 'failed') throw new Error(state.error ?? '')
        return await results(
          state.id,
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
