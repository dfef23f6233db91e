import { useStore } from '../../api/store.tsx'
import { useOrderWords } from '../orders/words.ts'
import { Charts, useFormats } from './Charts.tsx'
import { FigureTable } from './FigureTable.tsx'
import type { Period } from './period.ts'
import { Read, useBoth } from './Read.tsx'
import { useAnalyticsWords } from './words.ts'

/** Whether the level of an order says what becomes of it. */
export const Levels = ({ period }: { period: Period }) => {
  const words = useAnalyticsWords()
  const orderWords = useOrderWords()
  const { store } = useStore()
  const { number, money, percent } = useFormats(store.currency)
  const query = useBoth('levels', period, (client, span, signal) => client.analytic.getLevelAnalytics(span, { signal }))
  type Rows = NonNullable<typeof query.data>['now']['levels']
  const nameOf = ({ level }: Rows[number]) => orderWords.desk.level[level]
  /** The success of all levels at one time. */
  const together = (levels: Rows) =>
    (levels[0]?.series ?? []).map(({ label }, n) => ({
      label,
      rates: levels.map(({ series }) => series[n]?.success_rate ?? null),
    }))
  return (
    <Read query={query}>
      {({ now, before }) => {
        const earlier = new Map(before.levels.map(({ level, total }) => [level, total]))
        return (
          <>
            <Charts<{ rates: (number | null)[] }>
              series={together(now.levels)}
              earlier={together(before.levels)}
              charts={now.levels.map((row, n) => ({
                title: words.successOf(nameOf(row)),
                value: ({ rates }) => rates[n] ?? null,
                format: percent,
                most: 1,
                total: row.total.success_rate,
                totalBefore: earlier.get(row.level)?.success_rate ?? null,
              }))}
            />
            <FigureTable
              title={words.levels}
              help={words.levelsHelp}
              head={words.level}
              rows={now.levels}
              keyOf={({ level }) => level}
              nameOf={nameOf}
              columns={[
                { label: words.orders, value: ({ total }) => total.orders, format: number },
                { label: words.cancelled, value: ({ total }) => total.cancelled, format: number, wide: true },
                { label: words.delivered, value: ({ total }) => total.delivered, format: number, wide: true },
                { label: words.cameBack, value: ({ total }) => total.returned, format: number, wide: true },
                { label: words.success, value: ({ total }) => total.success_rate, format: percent },
                {
                  label: words.successBefore,
                  value: ({ level }) => earlier.get(level)?.success_rate ?? null,
                  format: percent,
                  wide: true,
                },
                { label: words.deliveredRevenue, value: ({ total }) => total.delivered_revenue, format: money },
              ]}
            />
          </>
        )
      }}
    </Read>
  )
}
