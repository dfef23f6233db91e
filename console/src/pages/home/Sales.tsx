import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { useStore } from '../../api/store.tsx'
import { Chart } from '../../components/Chart.tsx'
import { SelectField } from '../../components/Field.tsx'
import { formatMoney, Money } from '../../components/Money.tsx'
import { Surface } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useWords } from '../../messages/messages.ts'
import { daysBefore, formatDay, formatDays, todayIn } from './days.ts'
import styles from './HomePage.module.css'
import { useHomeWords } from './words.ts'

const REFETCH_MS = 60_000
const WEEK_MS = 7 * 86_400_000

/** Both periods in one answer: the days that are shown, and as many before them. */
const useSales = (days: number) => {
  const { store, client } = useStore()
  const today = todayIn(store.time_zone)
  const periods = useQuery({
    queryKey: [store.id, 'analytic', 'sales', today, days],
    queryFn: ({ signal }) =>
      client.analytic.getSalesAnalytics({ from: daysBefore(today, 2 * days - 1), to: today }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  })
  // The same weekday, up to the same time: a morning is not compared with a whole day.
  const weekAgo = useQuery({
    queryKey: [store.id, 'analytic', 'week-ago', today],
    queryFn: ({ signal }) =>
      client.analytic.getSalesAnalytics(
        { from: daysBefore(today, 7), to: new Date(Date.now() - WEEK_MS).toISOString() },
        { signal },
      ),
    refetchInterval: REFETCH_MS,
  })
  return { today, periods, weekAgo }
}

const Figure = ({
  label,
  value,
  before,
  href,
}: {
  label: string
  value: ReactNode
  before: string | undefined
  href: string
}) => {
  const { can } = useStore()
  const content = (
    <>
      <span className={styles.label}>{label}</span>
      <strong>{value}</strong>
      <small>{before ?? '\u00a0'}</small>
    </>
  )
  return can('order:view') ? <Link href={href}>{content}</Link> : <div>{content}</div>
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

export const Sales = ({ days }: { days: number }) => {
  const words = useHomeWords()
  const { locale } = useWords()
  const { store } = useStore()
  const { today, periods, weekAgo } = useSales(days)
  const [chosen, setChosen] = useState<string>()
  const all = periods.data?.sales ?? []
  const sales = all.find(({ currency }) => currency === chosen) ?? all[0]
  if (!sales)
    return periods.error ? (
      <Problem error={periods.error} />
    ) : (
      <div className={styles.waiting}>
        <Skeleton lines={8} />
      </div>
    )
  const { currency, series } = sales
  const now = series.at(-1)
  const then = weekAgo.data?.sales.find((one) => one.currency === currency)?.total
  const weekday = formatDay(locale, today, { weekday: 'long' })
  const number = (value: number) => numberFormat(locale).format(value)
  const money = (value: number) => formatMoney(locale, value, currency)
  const round = (value: number) => numberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }).format(value)
  const against = (value: string | undefined) => (value === undefined ? undefined : words.before(weekday, value))
  const orders = `/s/${store.id}/orders?from=${now?.start}`

  const shown = series.slice(-days)
  const earlier = series.slice(0, -days).slice(-days)
  const stamps = shown.map(({ label }) => label)
  const labels = formatDays(locale, stamps)
  const period = `/s/${store.id}/orders?from=${shown[0]?.start}`
  const change = (now: number, before: number) =>
    before > 0
      ? words.change(
          numberFormat(locale, {
            style: 'percent',
            maximumFractionDigits: 0,
            signDisplay: 'exceptZero',
          }).format(now / before - 1),
        )
      : ''
  const chart = (
    title: string,
    figure: (day: (typeof series)[number]) => number,
    format: (value: number) => string,
    href: string,
    axis?: (value: number) => string,
  ) => {
    const values = shown.map(figure)
    const before = earlier.map(figure)
    return (
      <Chart
        title={title}
        labels={labels}
        stamps={stamps}
        format={format}
        axis={axis}
        headline={
          <>
            <Link href={href}>
              <strong>{format(sum(values))}</strong>
            </Link>{' '}
            <span>{change(sum(values), sum(before))}</span>
          </>
        }
        series={[
          { label: words.thisPeriod, values },
          { label: words.earlierPeriod, values: before, dashed: true },
        ]}
      />
    )
  }
  return (
    <>
      <Surface>
        <section className={styles.today} aria-label={words.today}>
          <header>
            <h2>{words.todayIs(formatDay(locale, today, { weekday: 'long', day: 'numeric', month: 'long' }))}</h2>
            {all.length > 1 && (
              <SelectField
                label={words.currency}
                hideLabel
                value={currency}
                choices={all.map(({ currency }) => ({ value: currency, label: currency }))}
                onChange={({ target }) => setChosen(target.value)}
              />
            )}
          </header>
          <div className={styles.figures}>
            <Figure
              label={words.orders}
              value={number(now?.orders ?? 0)}
              before={against(then && number(then.orders))}
              href={orders}
            />
            <Figure
              label={words.paid}
              value={number(now?.paid ?? 0)}
              before={against(then && number(then.paid))}
              href={`${orders}&status=paid`}
            />
            <Figure
              label={words.revenue}
              value={<Money amount={now?.revenue ?? 0} currency={currency} />}
              before={against(then && money(then.revenue))}
              href={`${orders}&status=paid`}
            />
            <Figure
              label={words.average}
              value={
                now?.average_order === null || !now ? '–' : <Money amount={now.average_order} currency={currency} />
              }
              before={against(then?.average_order == null ? undefined : money(then.average_order))}
              href={`${orders}&status=paid&order_by=total`}
            />
          </div>
        </section>
      </Surface>
      <Surface>
        <div className={styles.charts}>
          {chart(words.ordersPerDay, ({ orders }) => orders, number, period)}
          {chart(words.revenuePerDay, ({ revenue }) => revenue, money, `${period}&status=paid`, round)}
        </div>
      </Surface>
    </>
  )
}
