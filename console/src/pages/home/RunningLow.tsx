import { useQuery } from '@tanstack/react-query'
import { ChevronRight, CircleCheck } from 'lucide-react'
import { Link } from 'wouter'
import { useStore } from '../../api/store.tsx'
import { Surface } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useWords } from '../../messages/messages.ts'
import { daysBefore, todayIn } from './days.ts'
import styles from './HomePage.module.css'
import { useHomeWords } from './words.ts'

const SHOWN = 5

/** Products that will be out of stock soon, at the pace at which they are ordered: those that run out first come first. */
export const RunningLow = ({ days }: { days: number }) => {
  const words = useHomeWords()
  const { locale } = useWords()
  const { store, client } = useStore()
  const today = todayIn(store.time_zone)
  const { data, error } = useQuery({
    queryKey: [store.id, 'analytic', 'stock', today, days],
    queryFn: ({ signal }) =>
      client.analytic.getStockAnalytics({ from: daysBefore(today, days - 1), to: today, limit: SHOWN }, { signal }),
    placeholderData: (before) => before,
    staleTime: 60_000,
  })
  const low = data?.total.low ?? 0
  return (
    <Surface>
      <section className={styles.section}>
        <header>
          <h2>{words.low}</h2>
          {low > SHOWN && (
            <span className={styles.muted}>{words.firstOf(String(SHOWN), numberFormat(locale).format(low))}</span>
          )}
        </header>
        <Problem error={error ?? undefined} />
        {!data && !error && <Skeleton lines={4} />}
        {data && low === 0 && (
          <p className={styles.done}>
            <CircleCheck aria-hidden /> {words.noneLow}
          </p>
        )}
        <ul className={styles.rows}>
          {data?.low.map(({ product_id, title, days_of_cover }) => (
            <li key={product_id}>
              <Link href={`/s/${store.id}/products/${product_id}`}>
                <span>
                  <bdi>{title}</bdi>
                </span>
                <strong>{words.cover(Math.max(1, Math.floor(days_of_cover ?? 0)))}</strong>
                <ChevronRight className="pointing" aria-hidden />
              </Link>
            </li>
          ))}
        </ul>
      </section>
    </Surface>
  )
}
