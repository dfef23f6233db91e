import { type PointerEvent, type ReactNode, useId, useState } from 'react'
import { csvRow } from '../../../src/resources/bulk/csv/write.ts'
import { useMessages } from '../messages/messages.ts'
import styles from './Chart.module.css'
import { areaPath, linePath, type Point } from './chart-paths.ts'
import { download } from './download.ts'

interface Series {
  label: string
  /** One value for each of the chart's labels; null leaves a gap. */
  values: readonly (number | null)[]
  /** An earlier period, for comparison. */
  dashed?: boolean
}

interface ChartProps {
  title: string
  labels: readonly string[]
  /** The labels as a spreadsheet reads them, in any language: `2026-11-16`. */
  stamps: readonly string[]
  series: readonly Series[]
  format?: (value: number) => string
  /** On the axis, if shorter. */
  axis?: ((value: number) => string) | undefined
  /** Top of the axis, if it is known: 1 for shares. */
  most?: number | undefined
  /** Total of the period; while the pointer is on a day, the value of that day. */
  headline: ReactNode
}

const WIDTH = 720
const HEIGHT = 200
const MAX_POINTS = 400
const AXIS_LABELS = 4

/** A round number at or above the greatest value, so that the axis reads well. */
const ceiling = (value: number) => {
  const unit = 10 ** Math.floor(Math.log10(Math.max(value, 2)))
  const steps = unit === 1 ? [2, 4, 6, 8, 10] : [1, 1.2, 1.6, 2, 3, 4, 6, 8, 10]
  return (steps.find((step) => value <= step * unit) ?? 10) * unit
}

const orDash = (format: (value: number) => string, value: number | null | undefined) =>
  value === null || value === undefined ? '–' : format(value)

type FiguresProps = Required<Pick<ChartProps, 'title' | 'labels' | 'series' | 'format'>>

const Figures = ({ title, labels, series, format }: FiguresProps) => (
  // The box scrolls by itself, so it must be focusable by keyboard.
  // biome-ignore lint/a11y/noNoninteractiveTabindex: see above.
  <section className={styles.scroll} tabIndex={0} aria-label={title}>
    <table>
      <thead>
        <tr>
          <td />
          {series.map(({ label }) => (
            <th key={label} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {labels.map((day, index) => (
          <tr key={day}>
            <th scope="row">{day}</th>
            {series.map(({ label, values }) => {
              const value = values[index]
              return <td key={label}>{value === null || value === undefined ? '–' : format(value)}</td>
            })}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

/** A line chart in SVG. Time runs in reading direction. The same figures are available as a table. */
export const Chart = (props: ChartProps) => {
  const { title, format = String, axis, most, headline } = props
  const { controls } = useMessages()
  const id = useId()
  const [asTable, setAsTable] = useState(false)
  const [at, setAt] = useState<number>()
  const labels = props.labels.slice(-MAX_POINTS)
  const stamps = props.stamps.slice(-MAX_POINTS)
  const series = props.series.map((one) => ({ ...one, values: one.values.slice(-MAX_POINTS) }))
  const numbers = series.flatMap(({ values }) => values.map((value) => value ?? 0))
  const top = most ?? ceiling(Math.max(0, ...numbers))
  // Refunds may exceed the sales of a day. Values slightly below zero get no extra space.
  const lowest = Math.min(0, ...numbers)
  const steps = lowest < -top / 10 ? Math.ceil(-lowest / (top / 2)) : 0
  const bottom = (-steps * top) / 2
  const marked = Array.from({ length: 3 + steps }, (_, step) => top - (step * top) / 2)
  const step = WIDTH / Math.max(1, labels.length - 1)
  const y = (value: number) => ((top - value) / (top - bottom)) * HEIGHT
  // The earlier period first, so that it is drawn below.
  const lines = [...series].reverse().map(({ values, ...one }) => {
    const points = values.map((value, index): Point | null => (value === null ? null : [index * step, y(value)]))
    return { ...one, line: linePath(points), area: areaPath(points, y(0)) }
  })
  const save = () => {
    const rows = stamps.map((stamp, index) => csvRow([stamp, ...series.map(({ values }) => values[index])]))
    const parts = ['\uFEFF', csvRow(['', ...series.map(({ label }) => label)]), ...rows]
    download(new Blob(parts, { type: 'text/csv' }), `${title}.csv`)
  }
  const point = (event: PointerEvent) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const share = (event.clientX - left) / width
    const read = getComputedStyle(event.currentTarget).direction === 'rtl' ? 1 - share : share
    setAt(Math.min(labels.length - 1, Math.max(0, Math.round(read * (labels.length - 1)))))
  }
  const marks = Array.from({ length: AXIS_LABELS }, (_, index) =>
    Math.round((index * (labels.length - 1)) / (AXIS_LABELS - 1)),
  )
  return (
    <figure className={styles.chart} aria-labelledby={id}>
      <figcaption className={styles.caption}>
        <h2 id={id}>{title}</h2>
        <span className={styles.tools}>
          <button type="button" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
            {controls.table}
          </button>
          <button type="button" aria-label={`${title}, CSV`} onClick={save}>
            CSV
          </button>
        </span>
        <p className={styles.headline}>
          {at === undefined || asTable ? (
            headline
          ) : (
            <>
              <strong>{orDash(format, series[0]?.values[at])}</strong> <span>{labels[at]}</span>
            </>
          )}
        </p>
      </figcaption>
      {asTable ? (
        <Figures title={title} labels={labels} series={series} format={format} />
      ) : (
        <>
          <div className={styles.plot}>
            <div className={styles.scale} aria-hidden>
              {marked.map((value) => (
                <span key={value}>{(axis ?? format)(value)}</span>
              ))}
            </div>
            <svg
              viewBox={`0 -4 ${WIDTH} ${HEIGHT + 8}`}
              preserveAspectRatio="none"
              role="img"
              aria-label={title}
              onPointerMove={point}
              onPointerLeave={() => setAt(undefined)}
            >
              {marked.map((value) => (
                <line key={value} className={styles.grid} x1={0} x2={WIDTH} y1={y(value)} y2={y(value)} />
              ))}
              {at !== undefined && <line className={styles.cursor} x1={at * step} x2={at * step} y1={-4} y2={HEIGHT} />}
              {/* Areas below all lines. */}
              {lines.map(({ label, area, dashed }) =>
                dashed ? null : <path key={label} className={styles.area} d={area} />,
              )}
              {lines.map(({ label, line, dashed }) => (
                <path key={label} className={dashed ? styles.dashed : styles.line} d={line} />
              ))}
            </svg>
          </div>
          <div className={styles.axis} aria-hidden>
            {marks.map((place) => (
              <span key={place}>{labels[place]}</span>
            ))}
          </div>
          <ul className={styles.legend}>
            {series.map(({ label, dashed }) => (
              <li key={label} data-dashed={dashed || undefined}>
                {label}
              </li>
            ))}
          </ul>
        </>
      )}
    </figure>
  )
}
