import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef } from 'react'
import { CELLS, type Cell } from './draft.ts'

interface Place {
  row: number
  cell: number
}

/** The cell of the grid that an event is about. */
export const placeOf = ({ target }: { target: EventTarget }): Place | undefined => {
  const { row, cell } = (target as HTMLElement).dataset
  return row === undefined ? undefined : { row: Number(row), cell: CELLS.indexOf(cell as Cell) }
}

const STEPS: Readonly<Record<string, number>> = { Enter: 1, ArrowDown: 1, ArrowUp: -1 }

/** Enter and the arrow keys go from row to row, also to rows that are not drawn yet. */
export const useGridKeyboard = (
  box: RefObject<HTMLElement | null>,
  rowCount: number,
  scrollToRow: (row: number) => void,
) => {
  /** Where the keyboard is going, until that row is drawn. */
  const going = useRef<Place>(undefined)
  const focus = ({ row, cell }: Place) => {
    const input = box.current?.querySelector<HTMLInputElement>(`[data-row="${row}"][data-cell="${CELLS[cell]}"]`)
    going.current = input ? undefined : { row, cell }
    if (!input) return scrollToRow(row)
    input.focus()
    input.select()
  }
  useLayoutEffect(() => {
    if (going.current) focus(going.current)
  })
  return (event: KeyboardEvent) => {
    const at = going.current ?? placeOf(event)
    const step = STEPS[event.key]
    if (!at || step === undefined) return
    event.preventDefault()
    const row = at.row + step
    if (row >= 0 && row < rowCount) focus({ row, cell: at.cell })
  }
}
