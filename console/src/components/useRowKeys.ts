import { useEffect, useState } from 'react'
import { useMessages } from '../messages/messages.ts'
import { usePageKeys } from './page-keys.ts'
import { useHotkeys } from './useHotkeys.ts'

interface RowKeys<Row> {
  rows: readonly Row[]
  /** Absent: what `[data-row]` of the row marks is clicked. */
  open?: (row: Row) => void
  /** Absent if rows cannot be selected. */
  toggle?: ((row: Row) => void) | undefined
}

const elementOf = (index: number) => document.querySelector<HTMLElement>(`[data-row="${index}"]`)

/** `j` and `k` move through the rows of a list, Enter opens one, `x` selects it. They are listed under `?`. */
export const useRowKeys = <Row>({ rows, open, toggle }: RowKeys<Row>) => {
  const { keys } = useMessages().shell
  const [current, setCurrent] = useState<number>()
  const row = current === undefined ? undefined : rows[current]
  const move = (by: number) =>
    setCurrent((place = by > 0 ? -1 : rows.length) => Math.min(rows.length - 1, Math.max(0, place + by)))
  useHotkeys({
    j: () => move(1),
    k: () => move(-1),
    x: () => row && toggle?.(row),
    Enter: (event) => {
      const target = event.target as HTMLElement
      if (target.closest('a, button')) target.click()
      else if (row && open) open(row)
      else if (current !== undefined) elementOf(current)?.click()
    },
  })
  usePageKeys([
    ['j', keys.nextRow],
    ['k', keys.previousRow],
    ['Enter', keys.openRow],
    ...(toggle ? ([['x', keys.selectRow]] as const) : []),
  ])
  useEffect(() => {
    if (current !== undefined) elementOf(current)?.scrollIntoView({ block: 'nearest' })
  }, [current])
  return [current, setCurrent] as const
}
