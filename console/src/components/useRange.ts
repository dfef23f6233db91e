import { useCallback, useRef } from 'react'

type OnChange<Row> = (rows: readonly Row[], selected: boolean) => void

/** Selects a row, or with shift all rows from the one that was selected before. The same function each time. */
export const useRange = <Row>(rows: readonly Row[], onChange: OnChange<Row> | undefined) => {
  const latest = useRef({ rows, onChange, last: 0 })
  Object.assign(latest.current, { rows, onChange })
  return useCallback((index: number, selected: boolean, isRange: boolean) => {
    const { rows, onChange, last } = latest.current
    const [from, to] = isRange ? [Math.min(last, index), Math.max(last, index)] : [index, index]
    latest.current.last = index
    onChange?.(rows.slice(from, to + 1), selected)
  }, [])
}
