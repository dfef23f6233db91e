import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { csvRow } from '../../../../src/resources/bulk/csv/write.ts'
import { Button } from '../../components/Button.tsx'
import { download } from '../../components/download.ts'
import { Surface } from '../../components/Page.tsx'
import styles from './Analytics.module.css'
import { useAnalyticsWords } from './words.ts'

interface FigureColumn<Row> {
  label: string
  value: (row: Row) => number | null
  format: (value: number) => string
  /** Left out on a phone. */
  wide?: boolean
}

interface FigureTableProps<Row> {
  title: string
  help?: string
  /** What a row is about. */
  head: string
  rows: readonly Row[]
  keyOf: (row: Row) => string
  nameOf: (row: Row) => string
  href?: (row: Row) => string | undefined
  columns: readonly FigureColumn<Row>[]
  /** How many the service shows at most. */
  limit?: number
  /** Beside the title. */
  actions?: ReactNode
}

/** Figures by product, carrier or city: a table that is also a file. */
export const FigureTable = <Row,>(props: FigureTableProps<Row>) => {
  const { title, help, head, rows, keyOf, nameOf, href, columns, limit, actions } = props
  const words = useAnalyticsWords()
  const save = () => {
    const lines = rows.map((row) => csvRow([nameOf(row), ...columns.map(({ value }) => value(row))]))
    const parts = ['\uFEFF', csvRow([head, ...columns.map(({ label }) => label)]), ...lines]
    download(new Blob(parts, { type: 'text/csv' }), `${title}.csv`)
  }
  return (
    <Surface>
      <div className={styles.ranking}>
        <header>
          <h2>{title}</h2>
          {actions}
          {rows.length > 0 && (
            <Button kind="quiet" icon={<Download />} aria-label={words.csvOf(title)} onClick={save}>
              CSV
            </Button>
          )}
        </header>
        {help && <p className={styles.help}>{help}</p>}
        {limit !== undefined && rows.length >= limit && <p className={styles.help}>{words.firstOnly(rows.length)}</p>}
        {rows.length === 0 ? (
          <p className={styles.help}>{words.nothing}</p>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the box scrolls by itself.
          <section className={styles.box} tabIndex={0} aria-label={title}>
            <table>
              <caption className="hidden">{title}</caption>
              <thead>
                <tr>
                  <th scope="col">{head}</th>
                  {columns.map(({ label, wide }) => (
                    <th key={label} scope="col" data-wide={wide}>
                      {label}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => {
                  const link = href?.(row)
                  const name = <bdi>{nameOf(row)}</bdi>
                  return (
                    <tr key={keyOf(row)}>
                      <th scope="row">{link ? <Link href={link}>{name}</Link> : name}</th>
                      {columns.map(({ label, value, format, wide }) => {
                        const number = value(row)
                        return (
                          <td key={label} data-wide={wide}>
                            {number === null ? '–' : format(number)}
                          </td>
                        )
                      })}
                    </tr>
                  )
                })}
              </tbody>
            </table>
          </section>
        )}
      </div>
    </Surface>
  )
}
