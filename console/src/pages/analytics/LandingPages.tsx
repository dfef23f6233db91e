import { Link } from 'wouter'
import { useStore } from '../../api/store.tsx'
import { useAddress, withChanges } from '../../components/useAddress.ts'
import styles from './Analytics.module.css'
import { Charts, useFormats } from './Charts.tsx'
import { FigureTable } from './FigureTable.tsx'
import type { Period } from './period.ts'
import { Read, useBoth } from './Read.tsx'
import { useAnalyticsWords } from './words.ts'

const LIMIT = 100

/** One landing page over time: from its orders to delivered revenue. */
const OneLandingPage = ({ id, period }: { id: string; period: Period }) => {
  const words = useAnalyticsWords()
  const { store, can } = useStore()
  const { change } = useAddress()
  const { number, money, compact, percent } = useFormats(store.currency)
  const query = useBoth(`landing page ${id}`, period, (client, span, signal) =>
    client.analytic.getLandingPageAnalytics({ ...span, landing_page_id: id }, { signal }),
  )
  return (
    <Read query={query}>
      {({ now, before }) => (
        <>
          <div className={styles.heading}>
            <h2>{words.ofPage(now.landing_pages[0]?.title ?? before.landing_pages[0]?.title ?? '–')}</h2>
            {can('landing_page:view') && <Link href={`/s/${store.id}/landing-pages/${id}`}>{words.openPage}</Link>}
            <button type="button" onClick={() => change({ landing: undefined })}>
              {words.allPages}
            </button>
          </div>
          <Charts
            series={now.series}
            earlier={before.series}
            charts={[
              { title: words.orders, value: ({ orders }) => orders, format: number },
              { title: words.delivered, value: ({ delivered }) => delivered, format: number },
              {
                title: words.deliveredRate,
                value: ({ delivered_rate }) => delivered_rate,
                format: percent,
                most: 1,
                total: now.landing_pages[0]?.delivered_rate ?? null,
                totalBefore: before.landing_pages[0]?.delivered_rate ?? null,
              },
              {
                title: words.deliveredRevenue,
                value: ({ delivered_revenue }) => delivered_revenue,
                format: money,
                axis: compact,
              },
            ]}
          />
        </>
      )}
    </Read>
  )
}

export const LandingPages = ({ period }: { period: Period }) => {
  const words = useAnalyticsWords()
  const { store } = useStore()
  const { params, search } = useAddress()
  const landing = params.get('landing')
  const { number, money, percent } = useFormats(store.currency)
  const query = useBoth('landing-pages', period, (client, span, signal) =>
    client.analytic.getLandingPageAnalytics({ ...span, limit: LIMIT }, { signal }),
  )
  if (landing) return <OneLandingPage id={landing} period={period} />
  return (
    <Read query={query}>
      {({ now, before }) => {
        const earlier = new Map(before.landing_pages.map((row) => [row.landing_page_id, row]))
        const unknown = before.landing_pages.length < LIMIT ? 0 : null
        return (
          <FigureTable
            title={words.pages}
            limit={LIMIT}
            head={words.page}
            rows={now.landing_pages}
            keyOf={({ landing_page_id }) => landing_page_id}
            nameOf={({ title }) => title ?? '–'}
            href={({ landing_page_id }) =>
              `/s/${store.id}/analytics?${withChanges(search, { landing: landing_page_id })}`
            }
            columns={[
              { label: words.orders, value: ({ orders }) => orders, format: number },
              {
                label: words.before,
                value: ({ landing_page_id }) => earlier.get(landing_page_id)?.orders ?? unknown,
                format: number,
                wide: true,
              },
              { label: words.cancelled, value: ({ cancelled }) => cancelled, format: number, wide: true },
              { label: words.delivered, value: ({ delivered }) => delivered, format: number, wide: true },
              {
                label: words.deliveredRate,
                value: ({ delivered_rate }) => delivered_rate,
                format: percent,
                wide: true,
              },
              { label: words.deliveredRevenue, value: ({ delivered_revenue }) => delivered_revenue, format: money },
              { label: words.revenue, value: ({ revenue }) => revenue, format: money, wide: true },
            ]}
          />
        )
      }}
    </Read>
  )
}
