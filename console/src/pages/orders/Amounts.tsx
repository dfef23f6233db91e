import { useStore } from '../../api/store.tsx'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Money } from '../../components/Money.tsx'
import { When } from '../../components/When.tsx'
import { DELIVERY_TONES, type Order, STATUS_TONES } from './labels.ts'
import styles from './OrderPage.module.css'
import { useOrderWords } from './words.ts'

export const Amounts = ({ order }: { order: Order }) => {
  const words = useOrderWords()
  const { store } = useStore()
  const rows: [string, number, string?][] = [
    [words.subtotal, order.subtotal],
    [words.shipping, order.shipping_rate, order.shipping_name ?? ''],
    [words.discount, -order.discount, order.discount_code ?? ''],
    [words.tip, order.tip],
    [words.fee, order.fee],
  ]
  return (
    <section className={styles.section}>
      <header>
        <h2>{words.summary}</h2>
        <Badge tone={STATUS_TONES[order.status]}>{words.status[order.status]}</Badge>
      </header>
      <dl className={styles.amounts}>
        {rows.map(([label, amount, note], index) =>
          amount === 0 && index > 0 ? null : (
            <div key={label}>
              <dt>
                {label} {note && <bdi className={styles.note}>{note}</bdi>}
              </dt>
              <dd>
                <Money amount={amount} currency={order.currency} />
              </dd>
            </div>
          ),
        )}
        <div className={styles.total}>
          <dt>{words.total}</dt>
          <dd>
            <Money amount={order.total} currency={order.currency} />
          </dd>
        </div>
        {order.payment_method && (
          <div>
            <dt>{words.paymentMethod}</dt>
            <dd dir="auto">{order.payment_method.name}</dd>
          </div>
        )}
        {order.paid_at && (
          <div>
            <dt>{words.paidAt}</dt>
            <dd>
              <When at={order.paid_at} zone={store.time_zone} />
            </dd>
          </div>
        )}
      </dl>
    </section>
  )
}

/** Why a return or a refund was made, and when. */
const ReasonAndTime = ({ reason, at }: { reason: string | null; at: string }) => {
  const { store } = useStore()
  return (
    <>
      {reason && (
        <p className={styles.note} dir="auto">
          {reason}
        </p>
      )}
      <small>
        <When at={at} zone={store.time_zone} />
      </small>
    </>
  )
}

/** Returns and refunds. */
interface ReturnsProps {
  order: Order
  onRefunded: (id: string) => void
  /** The delivery of a return has arrived. */
  onReceived: (delivery: string) => void
}

export const Returns = ({ order, onRefunded, onReceived }: ReturnsProps) => {
  const words = useOrderWords()
  const { can } = useStore()
  if (order.returns.length + order.refunds.length === 0) return null
  return (
    <section className={styles.section}>
      <header>
        <h2>{order.returns.length > 0 ? words.returns : words.refunds}</h2>
      </header>
      <ul className={styles.events}>
        {order.returns.map(({ id, created_at, reason, return_variants, delivery }) => (
          <li key={id}>
            <div>
              {return_variants.map(({ id, quantity, order_variant, restock }) => (
                <p key={id}>
                  <Ltr>{quantity} ×</Ltr> <span dir="auto">{order_variant.title}</span>
                  {restock && <small> · {words.restock}</small>}
                </p>
              ))}
              <ReasonAndTime reason={reason} at={created_at} />
            </div>
            {delivery && delivery.status !== 'delivered' && delivery.status !== 'cancelled' && can('order:update') && (
              <Button onClick={() => onReceived(delivery.id)}>{words.desk.receive}</Button>
            )}
            {delivery && <Badge tone={DELIVERY_TONES[delivery.status]}>{words.deliveryStatus[delivery.status]}</Badge>}
          </li>
        ))}
        {order.refunds.map(({ id, created_at, reason, amount, status }) => (
          <li key={id}>
            <div>
              <p>
                {words.refundMade} <Money amount={amount} currency={order.currency} />
              </p>
              <ReasonAndTime reason={reason} at={created_at} />
            </div>
            {status === 'pending' && can('order:update') && (
              <Button onClick={() => onRefunded(id)}>{words.markRefunded}</Button>
            )}
            <Badge tone={status === 'refunded' ? 'good' : 'warn'}>{words.refundStatus[status]}</Badge>
          </li>
        ))}
      </ul>
    </section>
  )
}
