import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { BulkResult } from '../../../../client/src/bulk.ts'
import { useStore } from '../../api/store.tsx'
import { useMessages } from '../../messages/messages.ts'
import { isUnanswered } from '../describe-error.ts'
import { useChangeWords } from './words.ts'

/** What bulk jobs change from the console. */
export type ChangedResource = 'product' | 'order' | 'review' | 'bundle' | 'landing_page'

export interface Failure<Row> {
  row: Row
  problem: string
}

/** A job that was started, or may have been: no answer came. Until its end is known, no other one is started. */
interface Pending {
  text: string
  key: string
  id?: string
}

const problemOf = ({ errors, message }: BulkResult & { status: 'failed' }) =>
  Object.values(errors ?? {})
    .flat()
    .join(', ') || message

/** Sends changes as one job of the API, follows its progress, and reports what failed. Nothing is changed twice. */
export const useBulkJob = <Row>(resource: ChangedResource, lists: readonly string[]) => {
  const { problems } = useMessages()
  const words = useChangeWords()
  const { store, client } = useStore()
  const queries = useQueryClient()
  const [progress, setProgress] = useState<{ done: number; total: number }>()
  const pending = useRef<Pending>(undefined)

  const results = async (id: string, rows: readonly Row[]) => {
    const byLine = new Map<number, BulkResult>()
    for await (const result of client.bulk.results(id)) byLine.set(result.line, result)
    const failed = rows.flatMap((row, index): Failure<Row>[] => {
      const result = byLine.get(index + 1)
      if (!result) return [{ row, problem: words.stopped }]
      return result.status === 'failed' ? [{ row, problem: problemOf(result) }] : []
    })
    return { changed: rows.length - failed.length, failed }
  }

  /** The job of these lines: a second attempt finds the one that the first has started. */
  const start = async (lines: readonly object[]) => {
    const text = JSON.stringify(lines)
    if (pending.current && pending.current.text !== text) throw new Error(problems.recorded)
    pending.current ??= { text, key: crypto.randomUUID() }
    const { key } = pending.current
    pending.current.id ??= await client.bulk
      .create(lines, { resource, mode: 'update', match: 'id' }, { idempotencyKey: key })
      .then(
        ({ id }) => id,
        (error) => {
          if (!isUnanswered(error)) pending.current = undefined
          throw error
        },
      )
    return pending.current.id
  }

  return {
    progress,
    /** Lines that are done stay done. */
    stop: async () => {
      if (pending.current?.id) await client.bulk.delete(pending.current.id)
    },
    /** Rows to which `lineOf` has nothing to do are left out. */
    run: async (rows: readonly Row[], lineOf: (row: Row) => object | undefined) => {
      const lines = rows.flatMap((row) => {
        const line = lineOf(row)
        return line ? [{ row, line }] : []
      })
      setProgress({ done: 0, total: lines.length })
      try {
        const id = await start(lines.map(({ line }) => line))
        const ended = await client.bulk.finished(id, {
          onProgress: ({ counts }) => setProgress({ done: counts.done, total: lines.length }),
        })
        const ending = await results(
          id,
          lines.map(({ row }) => row),
        )
        pending.current = undefined
        if (ended.status === 'failed') throw new Error(ended.error ?? '')
        return ending
      } finally {
        setProgress(undefined)
        await Promise.all(lists.map((list) => queries.invalidateQueries({ queryKey: [store.id, list] })))
      }
    },
  }
}
