import { useId, useState } from 'react'
import { useMessages } from '../messages/messages.ts'
import styles from './Chart.module.css'

export interface Series {
  label: string
  /** One value for each of the chart's labels; null leaves a gap. */
  values: readonly (number | null)[]
  /** An earlier period, for comparison. */
  dashed?: boolean
}

interface ChartProps {
  title: string
  labels: readonly string[]
  series: readonly Series[]
  kind?: 'line' | 'bar'
  format?: (value: number) => string
}

const WIDTH = 720
const HEIGHT = 200
const MAX_POINTS = 400

/** A round number at or above the greatest value, so that the axis reads well. */
const ceiling = (value: number) => {
  if (value <= 0) return 1
  const unit = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 5, 10].find((step) => value <= step * unit) ?? 10) * unit
}

const linePath = (points: readonly (readonly [number, number] | null)[]) =>
  points
    .map((point, index) => (point ? `${index > 0 && points[index - 1] ? 'L' : 'M'}${point[0]} ${point[1]}` : ''))
    .join('')

/** Bars or lines in SVG. Time runs in the direction of reading; the same figures stand in a table for whoever prefers it. */
export const Chart = ({ title, labels, series, kind = 'line', format = String }: ChartProps) => {
  const { common } = useMessages()
  const id = useId()
  const [asTable, setAsTable] = useState(false)
  const shown = labels.slice(-MAX_POINTS)
  const top = ceiling(Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0))))
  const step = WIDTH / Math.max(1, kind === 'bar' ? shown.length : shown.length - 1)
  const y = (value: number) => HEIGHT - (value / top) * HEIGHT
  return (
    <figure className={styles.chart} aria-labelledby={id}>
      <figcaption className={styles.caption}>
        <h2 id={id}>{title}</h2>
        <button type="button" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {common.table}
        </button>
      </figcaption>
      {asTable ? (
        <div className={styles.scroll}>
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
              {shown.map((label, index) => (
                <tr key={label}>
                  <th scope="row">{label}</th>
                  {series.map(({ label, values }) => {
                    const value = values.slice(-MAX_POINTS)[index]
                    return <td key={label}>{value === null || value === undefined ? '–' : format(value)}</td>
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <>
          <svg viewBox={`0 -8 ${WIDTH} ${HEIGHT + 16}`} preserveAspectRatio="none" role="img">
            <title>{title}</title>
            {[0, 0.5, 1].map((part) => (
              <line key={part} className={styles.grid} x1={0} x2={WIDTH} y1={y(top * part)} y2={y(top * part)} />
            ))}
            {series.map(({ label, values, dashed }) => {
              const cut = values.slice(-MAX_POINTS)
              if (kind === 'bar' && !dashed)
                return (
                  <g key={label} className={styles.bars}>
                    {cut.map((value, index) => (
                      <rect
                        // biome-ignore lint/suspicious/noArrayIndexKey: bars have no other identity than their place.
                        key={index}
                        x={index * step + step * 0.15}
                        y={y(value ?? 0)}
                        width={step * 0.7}
                        height={HEIGHT - y(value ?? 0)}
                      >
                        <title>{`${shown[index]}: ${format(value ?? 0)}`}</title>
                      </rect>
                    ))}
                  </g>
                )
              const points = cut.map((value, index) => (value === null ? null : ([index * step, y(value)] as const)))
              return <path key={label} className={dashed ? styles.dashed : styles.line} d={linePath(points)} />
            })}
          </svg>
          <div className={styles.axis}>
            <span>{shown[0]}</span>
            <span>{format(top)}</span>
            <span>{shown.at(-1)}</span>
          </div>
        </>
      )}
    </figure>
  )
}
