import { Link } from 'wouter'
import { useStore } from '../../api/store.tsx'
import { Badge, type Tone } from '../../components/Badge.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { useMessages } from '../../messages/messages.ts'
import type { Order } from './labels.ts'
import styles from './OrderPage.module.css'

const TONES: Record<Order['signals']['level'], Tone> = { good: 'good', unknown: 'plain', careful: 'warn', bad: 'bad' }

/** What is known about the phone number and the order, and why. */
export const Signals = ({ order: { signals, confirmation } }: { order: Order }) => {
  const { orders: words } = useMessages()
  const { desk } = words
  const { store } = useStore()
  const counts = [
    [desk.delivered, signals.phone_delivered],
    [desk.returned, signals.phone_returned],
    [desk.open, signals.phone_open],
  ] as const
  return (
    <section className={styles.section}>
      <header>
        <h2>{desk.title}</h2>
        <Badge tone={TONES[signals.level]}>{desk.level[signals.level]}</Badge>
        {confirmation && (
          <Badge tone={confirmation.state === 'confirmed' ? 'good' : 'plain'}>
            {words.confirmationState[confirmation.state]}
          </Badge>
        )}
      </header>
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
    </section>
  )
}
