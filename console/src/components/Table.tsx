import { ArrowDown, ArrowUp } from 'lucide-react'
import { type MouseEvent, type ReactNode, useDeferredValue, useEffect, useState } from 'react'
import { useLocation, useRouter } from 'wouter'
import { useMessages } from '../messages/messages.ts'
import styles from './Table.module.css'

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

/** About a window full. */
const FIRST_ROWS = 20

/** Whether no table has been drawn yet since the page was loaded. */
let isFirstTable = true

/** The first table after a page load shows its first rows at once, and the others when there is time. */
const useGradual = <Row,>(rows: readonly Row[]) => {
  const [gradual] = useState(isFirstTable)
  useEffect(() => {
    isFirstTable = false
  }, [])
  return useDeferredValue(rows, gradual ? rows.slice(0, FIRST_ROWS) : rows)
}

/** Plain links that behave as those of the router, which take longer to draw: each listens to the address. */
const useRowLinks = () => {
  const { base } = useRouter()
  const [, navigate] = useLocation()
  const follow = (event: MouseEvent) => {
    const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey)
    if (!isPlain || event.defaultPrevented) return
    event.preventDefault()
    navigate(event.currentTarget.getAttribute('href')?.slice(base.length) ?? '')
  }
  return { base, follow }
}

export const Table = <Row,>(props: TableProps<Row>) => {
  const { caption, columns, rows, keyOf, nameOf, href, sort, selection, current, busy } = props
  const { controls } = useMessages()
  const drawn = useGradual(rows)
  const { base, follow } = useRowLinks()
  const allSelected = rows.length > 0 && rows.every((row) => selection?.ids.has(keyOf(row)))
  const ariaSort = (column: Column<Row>) => {
    if (!sort || !column.sort || sort.by !== column.sort) return undefined
    return sort.direction === 'ASC' ? 'ascending' : 'descending'
  }
  const className = ({ align, wide }: Column<Row>) =>
    [align && styles.end, wide && styles.wide].filter(Boolean).join(' ')
  return (
    // The box scrolls by itself, so it must be focusable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above.
    <section className={styles.box} tabIndex={0} aria-label={caption}>
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
              <th key={column.id} scope="col" className={className(column)} aria-sort={ariaSort(column)}>
                {column.sort && sort ? <SortHeader column={column} sort={sort} /> : column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {drawn.map((row, index) => {
            const key = keyOf(row)
            return (
              <tr
                key={key}
                data-current={index === current || undefined}
                data-selected={selection?.ids.has(key) || undefined}
              >
                {selection && (
                  <td className={styles.tick}>
                    <input
                      type="checkbox"
                      aria-label={controls.selectRow(nameOf(row))}
                      checked={selection.ids.has(key)}
                      onChange={(event) => selection.onChange([row], event.target.checked)}
                    />
                  </td>
                )}
                {columns.map((column, place) => (
                  <td key={column.id} className={className(column)}>
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
          })}
        </tbody>
      </table>
    </section>
  )
}
