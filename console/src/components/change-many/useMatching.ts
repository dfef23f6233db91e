import { useEffect, useState } from 'react'
import type { Matching } from '../ListPage.tsx'

const PAGE_SIZE = 200

export type ReadAll<Row> = (
  query: Readonly<Record<string, unknown>> & { page_size: number },
  options: { signal: AbortSignal },
) => AsyncIterable<Row>

/** Reads all rows that match, page by page, while the dialog is open. Kept is what `pick` takes of each. */
export const useMatching = <Row, Kept>(
  { total, query }: Matching,
  wanted: boolean,
  readAll: ReadAll<Row>,
  pick: (row: Row) => Kept,
) => {
  const [found, setFound] = useState<readonly Kept[]>([])
  const [complete, setComplete] = useState(false)
  const [error, setError] = useState<unknown>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the filters do not change under a dialog.
  useEffect(() => {
    if (!wanted) return
    const stop = new AbortController()
    const read = async () => {
      const rows: Kept[] = []
      for await (const row of readAll({ ...query, page_size: PAGE_SIZE }, { signal: stop.signal })) {
        rows.push(pick(row))
        if (rows.length % PAGE_SIZE === 0) setFound([...rows])
      }
      setFound(rows)
      setComplete(true)
    }
    setComplete(false)
    setError(undefined)
    read().catch((error) => !stop.signal.aborted && setError(error))
    return () => stop.abort()
  }, [wanted])
  return { found, complete, error, total }
}
