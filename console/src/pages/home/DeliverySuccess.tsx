import { keepPreviousData, useQuery } from '@tanstack/react-query'
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

const SHOWN_PLACES = 6

interface Place {
  key: string
  name: string
  rate: number | null
  deliveries: number
  /** The orders behind the number. */
  href?: string | undefined
}

const Places = ({ title, places }: { title: string; places: readonly Place[] }) => {
  const words = useHomeWords()
  const { locale } = useWords()
  const { can } = useStore()
  const percent = (rate: number | null) =>
    rate === null ? '–' : numberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }).format(rate)
  return (
    <div className={styles.places}>
      <h3>{title}</h3>
      <ul>
        {places.slice(0, SHOWN_PLACES).map(({ key, name, rate, deliveries, href }) => {
          const content = (
            <>
              <bdi>{name}</bdi>
              <small>{words.parcels(deliveries)}</small>
              <strong>{percent(rate)}</strong>
              <meter min={0} max={1} value={rate ?? 0} aria-label={`${title}: ${name}`} />
            </>
          )
          return (
            <li key={key}>{href && can('order:view') ? <Link href={href}>{content}</Link> : <div>{content}</div>}</li>
          )
        })}
      </ul>
    </div>
  )
}

export const DeliverySuccess = ({ days }: { days: number }) => {
  const words = useHomeWords()
  const { locale } = useWords()
  const { store, client } = useStore()
  const today = todayIn(store.time_zone)
  const from = daysBefore(today, days - 1)
  const { data, error } = useQuery({
    queryKey: [store.id, 'analytic', 'delivery', from, today],
    queryFn: ({ signal }) => client.analytic.getDeliveryAnalytics({ from, to: today }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  })
  const orders = `/s/${store.id}/orders?from=${data?.period.from ?? ''}`
  const rate = data?.total.success_rate ?? null
  return (
    <Surface>
      <section className={styles.section}>
        <header>
          <h2>{words.delivery}</h2>
          {rate !== null && (
            <strong className={styles.rate}>
              {numberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }).format(rate)}
            </strong>
          )}
        </header>
        <p className={styles.help}>{words.deliveryHelp}</p>
        <Problem error={error ?? undefined} />
        {!data && !error && <Skeleton lines={4} />}
        {data && data.total.deliveries === 0 && <p className={styles.help}>{words.noParcels}</p>}
        {data && data.total.deliveries > 0 && (
          <div className={styles.split}>
            <Places
              title={words.carriers}
              places={data.carriers.map(({ carrier_id, name, success_rate, deliveries }) => ({
                key: carrier_id ?? '',
                name: name ?? words.noCarrier,
                rate: success_rate,
                deliveries,
                href: carrier_id ? `${orders}&carrier_id=${carrier_id}` : undefined,
              }))}
            />
            <Places
              title={words.cities}
              places={data.cities.map(({ city, success_rate, deliveries }) => ({
                key: city ?? '',
                name: city ?? words.noCity,
                rate: success_rate,
                deliveries,
                href: city ? `${orders}&search=${encodeURIComponent(city)}` : undefined,
              }))}
            />
          </div>
        )}
      </section>
    </Surface>
  )
}
