import { useCallback, useState } from 'react'

/** The selected rows of a list by their keys. They stay selected on its other pages. */
export const useSelection = <Row>(keyOf: (row: Row) => string) => {
  const [selected, setSelected] = useState<ReadonlyMap<string, Row>>(new Map())
  const change = useCallback(
    (rows: readonly Row[], on: boolean) =>
      setSelected((before) => {
        const next = new Map(before)
        for (const row of rows) {
          if (on) next.set(keyOf(row), row)
          else next.delete(keyOf(row))
        }
        return next
      }),
    [keyOf],
  )
  /** Selects these and no others. */
  const replace = (rows: readonly Row[]) => setSelected(new Map(rows.map((row) => [keyOf(row), row])))
  return { selected, change, replace }
}
