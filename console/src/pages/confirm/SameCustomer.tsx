import { useQuery } from '@tanstack/react-query'
import { Merge } from 'lucide-react'
import { Link } from 'wouter'
import { useStore } from '../../api/store.tsx'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Money } from '../../components/Money.tsx'
import { Problem } from '../../components/Problem.tsx'
import { useCreate } from '../../components/useCreate.ts'
import { When } from '../../components/When.tsx'
import { DeliveryBadge } from '../orders/DeliveryBadge.tsx'
import type { Order } from '../orders/labels.ts'
import orderStyles from '../orders/OrderPage.module.css'
import { useOrderWords } from '../orders/words.ts'
import styles from './Confirm.module.css'
import { useConfirmWords } from './words.ts'

const SHOWN = 5
const DUPLICATE_MS = 48 * 3_600_000

/** The other orders of the phone number, or of the customer if there is none: the newest first. */
const useSameCustomer = (order: Order) => {
  const { store, client, can } = useStore()
  const { phone } = order.signals
  const filter = phone ? { phone } : { customer_id: order.customer_id ?? '' }
  return useQuery({
    queryKey: [store.id, 'orders', 'same', order.id, filter],
    enabled: can('order:view') && Boolean(phone || order.customer_id),
    queryFn: async ({ signal }) => {
      const { orders } = await client.orders.list({ ...filter, page_size: 20, total: false }, { signal })
      return orders.filter(({ id }) => id !== order.id)
    },
  })
}

/** Unpaid, not sent, ordered at nearly the same time, and with a product in common: what can be merged. */
const duplicatesOf = (order: Order, others: readonly Order[]) => {
  if (!order.signals.reasons.some(({ code }) => code === 'duplicate')) return []
  const products = new Set(order.variants.map(({ variant }) => variant?.product_id))
  const at = Date.parse(order.created_at)
  return others.filter(
    ({ status, is_cancelled, is_archived, created_at, deliveries, variants }) =>
      status === 'pending' &&
      !is_cancelled &&
      !is_archived &&
      Math.abs(Date.parse(created_at) - at) <= DUPLICATE_MS &&
      deliveries.every(({ status }) => status === 'unfulfilled' || status === 'cancelled') &&
      variants.some(({ variant }) => variant && products.has(variant.product_id)),
  )
}

/** The order that may be the same one, the older and the newer of the two, and how to make one of them. */
export const useDuplicate = (order: Order) => {
  const { client } = useStore()
  const same = useSameCustomer(order)
  const [duplicate] = duplicatesOf(order, same.data ?? [])
  const [older, newer] =
    duplicate && duplicate.created_at < order.created_at ? [duplicate, order] : [order, duplicate ?? order]
  const merge = useCreate((body: { into: string; order_id: string }, options) =>
    client.orders.merge(body.into, { order_id: body.order_id }, options),
  )
  return { same, duplicate, older, newer, merge: () => merge({ into: older.id, order_id: newer.id }) }
}

const OneOfTwo = ({ title, order }: { title: string; order: Order }) => {
  const { store } = useStore()
  return (
    <div>
      <h3>{title}</h3>
      <p>
        <Link href={`/s/${store.id}/orders/${order.id}`}>
          <Ltr>{order.ref}</Ltr>
        </Link>{' '}
        · <When at={order.created_at} zone={store.time_zone} />
      </p>
      <ul>
        {order.variants.map(({ id, quantity, title }) => (
          <li key={id}>
            <Ltr>{quantity} ×</Ltr> <bdi>{title}</bdi>
          </li>
        ))}
      </ul>
      <p dir="auto">{[order.customer_address, order.customer_city].filter(Boolean).join(', ')}</p>
      <p>
        <strong>
          <Money amount={order.total} currency={order.currency} />
        </strong>
      </p>
    </div>
  )
}

/** This order and the other one, side by side. */
export const Duplicate = ({
  order,
  other,
  hasKey = false,
  onMerge,
}: {
  order: Order
  other: Order
  /** `m` merges, too. */
  hasKey?: boolean
  onMerge: () => void
}) => {
  const words = useConfirmWords()
  return (
    <section className={orderStyles.section}>
      <header>
        <h2>{words.duplicates}</h2>
        <span className={orderStyles.push} />
        <Button icon={<Merge />} {...(hasKey && { 'aria-keyshortcuts': 'm' })} onClick={onMerge}>
          {words.merge}{' '}
          {hasKey && (
            <kbd className={styles.key} aria-hidden>
              m
            </kbd>
          )}
        </Button>
      </header>
      <div className={styles.pair}>
        <OneOfTwo title={words.thisOrder} order={order} />
        <OneOfTwo title={words.otherOrder} order={other} />
      </div>
    </section>
  )
}

export const OtherOrders = ({ query }: { query: ReturnType<typeof useSameCustomer> }) => {
  const words = useConfirmWords()
  const orderWords = useOrderWords()
  const { store } = useStore()
  const { data, error, fetchStatus } = query
  if (!data && !error && fetchStatus === 'idle') return null
  return (
    <section className={orderStyles.section}>
      <h2>{words.others}</h2>
      <Problem error={data ? undefined : (error ?? undefined)} />
      {data?.length === 0 && <p className={orderStyles.note}>{words.noOthers}</p>}
      {data && data.length > 0 && (
        <ul className={styles.others}>
          {data.slice(0, SHOWN).map((other) => (
            <li key={other.id}>
              <Link href={`/s/${store.id}/orders/${other.id}`}>
                <Ltr>{other.ref}</Ltr>
              </Link>
              <Money amount={other.total} currency={other.currency} />
              <small>
                <When at={other.created_at} zone={store.time_zone} day />
              </small>
              {other.is_cancelled ? <Badge tone="bad">{orderWords.cancelled}</Badge> : <DeliveryBadge order={other} />}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
