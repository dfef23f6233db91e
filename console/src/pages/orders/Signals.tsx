import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useStore } from '../../api/store.tsx'
import { Badge, type Tone } from '../../components/Badge.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import type { Order } from './labels.ts'
import styles from './OrderPage.module.css'
import { useSettings } from './useSettings.ts'
import { useOrderWords } from './words.ts'

const TONES: Record<Order['signals']['level'], Tone> = { good: 'good', unknown: 'plain', careful: 'warn', bad: 'bad' }

const LevelBadge = ({ order: { signals } }: { order: Order }) => {
  const words = useOrderWords()
  return <Badge tone={TONES[signals.level]}>{words.desk.level[signals.level]}</Badge>
}

const ConfirmationBadge = ({ order: { confirmation } }: { order: Order }) => {
  const words = useOrderWords()
  return (
    confirmation && (
      <Badge tone={confirmation.state === 'confirmed' ? 'good' : 'plain'}>
        {words.confirmationState[confirmation.state]}
      </Badge>
    )
  )
}

/** What other stores know of the number, if this one shares what it knows. */
const useElsewhere = (phone: string | null) => {
  const { store, client, can } = useStore()
  const isShared = useSettings().data?.order_desk.share_phone_counts === true
  const { data } = useQuery({
    queryKey: [store.id, 'phone', phone],
    enabled: isShared && phone !== null && can('order:view'),
    queryFn: ({ signal }) => client.phone.getPhoneNumber(phone ?? '', { signal }),
    staleTime: 10 * 60_000,
    retry: false,
  })
  return data?.elsewhere
}

/** The reasons for the level, and what became of earlier orders of the phone number. */
const Facts = ({ order: { signals } }: { order: Order }) => {
  const words = useOrderWords()
  const { desk } = words
  const { store } = useStore()
  const elsewhere = useElsewhere(signals.phone)
  const counts = [
    [desk.delivered, signals.phone_delivered],
    [desk.returned, signals.phone_returned],
    [desk.open, signals.phone_open],
    ...(elsewhere
      ? ([
          [desk.elsewhereDelivered, elsewhere.delivered],
          [desk.elsewhereReturned, elsewhere.returned],
        ] as const)
      : []),
  ] as const
  return (
    <>
      <ul>
        {signals.reasons.map(({ code }) => (
          <li key={code}>{desk.reasons[code]}</li>
        ))}
        {signals.reasons.length === 0 && <li className={styles.note}>{desk.noReason}</li>}
      </ul>
      {signals.phone && (
        <dl className={styles.amounts}>
          {counts.map(([label, count]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <Ltr>{count}</Ltr>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {signals.first_order && <p className={styles.note}>{desk.first}</p>}
      {signals.duplicate_of && (
        <p className={styles.person}>
          <Link href={`/s/${store.id}/orders/${signals.duplicate_of}`}>{desk.duplicateOf}</Link>
        </p>
      )}
    </>
  )
}

/** What is known about the phone number and the order, and why: for those who call. */
export const Signals = ({ order }: { order: Order }) => {
  const words = useOrderWords()
  return (
    <section className={styles.section}>
      <header>
        <h2>{words.desk.title}</h2>
        <LevelBadge order={order} />
        <ConfirmationBadge order={order} />
      </header>
      <Facts order={order} />
    </section>
  )
}

/** The same as a line that can be opened. */
export const SignalLine = ({ order }: { order: Order }) => {
  const words = useOrderWords()
  const { desk } = words
  const [first] = order.signals.reasons
  const text = first ? desk.reasons[first.code] : order.signals.first_order ? desk.first : desk.noReason
  return (
    <details className={styles.signals}>
      <summary>
        <LevelBadge order={order} />
        <ConfirmationBadge order={order} />
        <span>{text}</span>
        <span className={styles.why}>{desk.why}</span>
      </summary>
      <div>
        <Facts order={order} />
      </div>
    </details>
  )
}
