import { useCallback, useRef } from 'react'

type OnChange<Row> = (rows: readonly Row[], selected: boolean) => void

/**
 * Selects a row, or with shift all rows from the one that was selected before, if it is still shown. The same function each
 * time.
 */
export const useRange = <Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  onChange: OnChange<Row> | undefined,
) => {
  const latest = useRef({ rows, keyOf, onChange, last: undefined as string | undefined })
  Object.assign(latest.current, { rows, keyOf, onChange })
  return useCallback((index: number, selected: boolean, isRange: boolean) => {
    const { rows, keyOf, onChange, last } = latest.current
    const before = rows.findIndex((row) => keyOf(row) === last)
    const other = isRange && before >= 0 ? before : index
    const row = rows[index]
    latest.current.last = row && keyOf(row)
    onChange?.(rows.slice(Math.min(other, index), Math.max(other, index) + 1), selected)
  }, [])
}
