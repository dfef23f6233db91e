import { Chart } from '../../components/Chart.tsx'
import { formatMoney } from '../../components/Money.tsx'
import { Surface } from '../../components/Page.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useWords } from '../../messages/messages.ts'
import styles from './Analytics.module.css'
import { formatLabels } from './period.ts'
import { useAnalyticsWords } from './words.ts'

/** How figures are written. */
export const useFormats = (currency: string) => {
  const { locale } = useWords()
  return {
    number: (value: number) => numberFormat(locale, { maximumFractionDigits: 1 }).format(value),
    money: (value: number) => formatMoney(locale, value, currency),
    percent: (value: number) => numberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }).format(value),
    compact: (value: number) => numberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }).format(value),
  }
}

interface ChartOf<Point> {
  title: string
  value: (point: Point) => number | null
  format: (value: number) => string
  /** On the axis, if shorter. */
  axis?: (value: number) => string
  /** Top of the axis, if it is known. */
  most?: number
  /** Of the whole period; the sum by default. */
  total?: number | null
  totalBefore?: number | null
}

interface ChartsProps<Point> {
  series: readonly (Point & { label: string })[]
  earlier: readonly (Point & { label: string })[]
  charts: readonly ChartOf<Point>[]
}

const sum = (values: readonly (number | null)[]) => values.reduce<number>((total, value) => total + (value ?? 0), 0)

/** Charts of one series, each against the period before. */
export const Charts = <Point,>({ series, earlier, charts }: ChartsProps<Point>) => {
  const words = useAnalyticsWords()
  const { locale } = useWords()
  const stamps = series.map(({ label }) => label)
  const labels = formatLabels(locale, stamps)
  const change = (now: number | null, before: number) =>
    now !== null && before > 0
      ? words.change(
          numberFormat(locale, { style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' }).format(
            now / before - 1,
          ),
        )
      : ''
  return (
    <Surface>
      <div className={styles.charts}>
        {charts.map(({ title, value, format, axis, most, total, totalBefore }) => {
          const values = series.map(value)
          // Weeks and months may be cut elsewhere: the periods are compared from their beginning.
          const before = labels.map((_, n) =>
            n < earlier.length ? value(earlier[n] as Point & { label: string }) : null,
          )
          // The period before may have an interval more than are shown.
          const [now, then] = [total === undefined ? sum(values) : total, totalBefore ?? sum(earlier.map(value))]
          return (
            <Chart
              key={title}
              title={title}
              labels={labels}
              stamps={stamps}
              format={format}
              axis={axis}
              most={most}
              headline={
                <>
                  <strong>{now === null ? '–' : format(now)}</strong> <span>{change(now, then)}</span>
                </>
              }
              series={[
                { label: words.thisPeriod, values },
                { label: words.earlier, values: before, dashed: true },
              ]}
            />
          )
        })}
      </div>
    </Surface>
  )
}
