import { ArrowDown, ArrowUp } from 'lucide-react'
import { type MouseEvent, memo, type ReactNode, useCallback, useDeferredValue, useEffect, useState } from 'react'
import { useLocation, useRouter } from 'wouter'
import { useMessages } from '../messages/messages.ts'
import styles from './Table.module.css'
import { useRange } from './useRange.ts'

export interface Column<Row> {
  id: string
  label: string
  cell: (row: Row) => ReactNode
  /** Name of the sort in the API. */
  sort?: string
  align?: 'end'
  /** Left out on narrow screens. */
  wide?: boolean
  /** On narrow screens, below the cell: what the columns that are left out would say. */
  below?: (row: Row) => ReactNode
  /** Not shown unless chosen. */
  optional?: boolean
}

interface TableProps<Row> {
  /** Read by screen readers. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  nameOf: (row: Row) => string
  /** Every row is a real link. */
  href: (row: Row) => string
  sort?: { by: string; direction: string; onSort: (by: string) => void }
  selection?: { ids: ReadonlySet<string>; onChange: (rows: readonly Row[], selected: boolean) => void }
  /** Index of the row selected by keyboard. */
  current?: number | undefined
  /** Called with the row whose link got the focus. */
  onCurrent?: (index: number) => void
  busy?: boolean
}

const SortHeader = <Row,>({ column, sort }: { column: Column<Row>; sort: NonNullable<TableProps<Row>['sort']> }) => {
  const { controls } = useMessages()
  const active = sort.by === column.sort
  return (
    <button
      type="button"
      className={styles.sort}
      aria-label={controls.sortBy(column.label)}
      onClick={() => sort.onSort(column.sort as string)}
    >
      {column.label}
      {active && (sort.direction === 'ASC' ? <ArrowUp /> : <ArrowDown />)}
    </button>
  )
}

/** Pixels of a list page above its first row, and of a row at least. */
const ABOVE = 200
const ROW = 44

/** As many as the window shows, at most. */
const firstRows = () => Math.max(5, Math.ceil((innerHeight - ABOVE) / ROW))

/** Whether no table has been drawn yet since the page was loaded. */
let isFirstTable = true

/** The first table after a page load shows its first rows at once, and the others when there is time. */
const useGradual = <Row,>(rows: readonly Row[]) => {
  const [gradual] = useState(isFirstTable)
  useEffect(() => {
    isFirstTable = false
  }, [])
  return useDeferredValue(rows, gradual ? rows.slice(0, firstRows()) : rows)
}

/** Plain links that behave as those of the router, which take longer to draw: each listens to the address. */
const useRowLinks = () => {
  const { base } = useRouter()
  const [, navigate] = useLocation()
  const follow = useCallback(
    (event: MouseEvent) => {
      const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey)
      if (!isPlain || event.defaultPrevented) return
      event.preventDefault()
      navigate(event.currentTarget.getAttribute('href')?.slice(base.length) ?? '')
    },
    [base, navigate],
  )
  return { base, follow }
}

const cellClass = <Row,>({ align, wide }: Column<Row>) =>
  [align && styles.end, wide && styles.wide].filter(Boolean).join(' ')

interface RowProps<Row> extends Pick<TableProps<Row>, 'columns' | 'nameOf' | 'href'>, ReturnType<typeof useRowLinks> {
  row: Row
  index: number
  isCurrent: boolean
  isSelected: boolean
  /** With shift: all rows from the one that was selected before. */
  onSelect: ((index: number, selected: boolean, isRange: boolean) => void) | undefined
}

/** Drawn again only if it changes: a list has hundreds of cells, and is drawn with every selected row. */
const TableRow = memo(<Row,>(props: RowProps<Row>) => {
  const { row, index, columns, nameOf, href, isCurrent, isSelected, onSelect, base, follow } = props
  const { controls } = useMessages()
  return (
    <tr data-current={isCurrent || undefined} data-selected={isSelected || undefined}>
      {onSelect && (
        <td className={styles.tick}>
          <input
            type="checkbox"
            aria-label={controls.selectRow(nameOf(row))}
            checked={isSelected}
            onChange={(event) =>
              onSelect(index, event.target.checked, (event.nativeEvent as globalThis.MouseEvent).shiftKey === true)
            }
          />
        </td>
      )}
      {columns.map((column, place) => (
        <td key={column.id} className={cellClass(column)}>
          {place === 0 ? (
            <a href={base + href(row)} className={styles.link} data-row={index} onClick={follow}>
              {column.cell(row)}
            </a>
          ) : (
            column.cell(row)
          )}
          {column.below && <div className={styles.below}>{column.below(row)}</div>}
        </td>
      ))}
    </tr>
  )
}) as <Row>(props: RowProps<Row>) => ReactNode

export const Table = <Row,>(props: TableProps<Row>) => {
  const { caption, columns, rows, keyOf, nameOf, href, sort, selection, current, onCurrent, busy } = props
  const { controls } = useMessages()
  const drawn = useGradual(rows)
  const links = useRowLinks()
  const selectRow = useRange(rows, keyOf, selection?.onChange)
  const allSelected = rows.length > 0 && rows.every((row) => selection?.ids.has(keyOf(row)))
  const ariaSort = (column: Column<Row>) => {
    if (!sort || !column.sort || sort.by !== column.sort) return undefined
    return sort.direction === 'ASC' ? 'ascending' : 'descending'
  }
  return (
    // The box scrolls by itself, so it must be focusable by keyboard.
    <section
      className={styles.box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: see above.
      tabIndex={0}
      aria-label={caption}
      onFocus={({ target: { dataset } }) => dataset.row !== undefined && onCurrent?.(Number(dataset.row))}
    >
      <table className={styles.table} aria-busy={busy || undefined}>
        <caption className="hidden">{caption}</caption>
        <thead>
          <tr>
            {selection && (
              <th scope="col" className={styles.tick}>
                <input
                  type="checkbox"
                  aria-label={controls.selectAll}
                  checked={allSelected}
                  onChange={(event) => selection.onChange(rows, event.target.checked)}
                />
              </th>
            )}
            {columns.map((column) => (
              <th key={column.id} scope="col" className={cellClass(column)} aria-sort={ariaSort(column)}>
                {column.sort && sort ? <SortHeader column={column} sort={sort} /> : column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {drawn.map((row, index) => (
            <TableRow
              key={keyOf(row)}
              {...{ row, index, columns, nameOf, href, ...links }}
              isCurrent={index === current}
              isSelected={selection?.ids.has(keyOf(row)) ?? false}
              onSelect={selection && selectRow}
            />
          ))}
        </tbody>
      </table>
    </section>
  )
}
