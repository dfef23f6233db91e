import { useQuery } from '@tanstack/react-query'
import { Archive, Ellipsis, ExternalLink, Printer, Split, Truck, Undo2, Wallet, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { ApiError } from '../../../../client/src/errors.ts'
import { useStore } from '../../api/store.tsx'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { Empty } from '../../components/Empty.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Menu, MenuItem, MenuLine } from '../../components/Menu.tsx'
import { Money } from '../../components/Money.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import { useToast } from '../../components/Toast.tsx'
import { When } from '../../components/When.tsx'
import { useMessages } from '../../messages/messages.ts'
import { DeliveryDialog, RefundDialog, ReturnDialog, SplitDialog, useRenewOrder } from './acts.tsx'
import {
  DELIVERY_TONES,
  type Delivery,
  type Line,
  type Order,
  openDelivery,
  optionText,
  STATUS_TONES,
} from './labels.ts'
import styles from './OrderPage.module.css'

type Act = { kind: 'return' | 'refund' | 'cancel' } | { kind: 'delivery' | 'split'; delivery: Delivery }

const Lines = ({ lines, currency }: { lines: readonly Line[]; currency: string }) => (
  <ul className={styles.lines}>
    {lines.map((line) => (
      <li key={line.id}>
        {line.image_url ? <img src={line.image_url} alt="" loading="lazy" /> : <span className={styles.noImage} />}
        <div className={styles.what}>
          <span dir="auto">{line.title}</span>
          <small>
            <bdi>{optionText(line)}</bdi> {line.sku && <Ltr>{line.sku}</Ltr>}
          </small>
        </div>
        <span className={styles.times}>
          <bdi>
            {line.quantity} × <Money amount={line.price} currency={currency} />
          </bdi>
        </span>
        <span className={styles.sum}>
          <Money amount={line.price * line.quantity} currency={currency} />
        </span>
      </li>
    ))}
  </ul>
)

const DeliverySection = ({
  order,
  delivery,
  number,
  onAct,
}: {
  order: Order
  delivery: Delivery
  number: number
  onAct: (act: Act) => void
}) => {
  const { orders: words, common } = useMessages()
  const { can } = useStore()
  const { status, tracking_number, tracking_link, shipping_carrier, order_variants } = delivery
  const units = order_variants.reduce((sum, { quantity }) => sum + quantity, 0)
  const mayChange = can('order:update') && !order.is_cancelled
  return (
    <section className={styles.section}>
      <header>
        <h2>{words.deliveryNumber(String(number))}</h2>
        <Badge tone={DELIVERY_TONES[status]}>{words.deliveryStatus[status]}</Badge>
        <span className={styles.push} />
        {mayChange && (
          <>
            {status === 'unfulfilled' && units > 1 && (
              <Menu trigger={<Button kind="quiet" icon={<Ellipsis />} aria-label={common.more} />}>
                <MenuItem icon={<Split />} onSelect={() => onAct({ kind: 'split', delivery })}>
                  {words.split}
                </MenuItem>
              </Menu>
            )}
            <Button onClick={() => onAct({ kind: 'delivery', delivery })}>
              {status === 'unfulfilled' || status === 'fulfilled' ? words.ship : words.updateDelivery}
            </Button>
          </>
        )}
      </header>
      {(shipping_carrier || tracking_number) && (
        <p className={styles.tracking}>
          {shipping_carrier && <span dir="auto">{shipping_carrier.name}</span>}
          {tracking_number && <Ltr>{tracking_number}</Ltr>}
          {tracking_link && (
            <a href={tracking_link} target="_blank" rel="noreferrer noopener">
              {words.track} <ExternalLink aria-hidden />
            </a>
          )}
        </p>
      )}
      <Lines lines={order_variants} currency={order.currency} />
    </section>
  )
}

const Amounts = ({ order }: { order: Order }) => {
  const { orders: words } = useMessages()
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

const Returns = ({ order, onRefunded }: { order: Order; onRefunded: (id: string) => void }) => {
  const { orders: words } = useMessages()
  const { store, can } = useStore()
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
                  <bdi>{quantity} ×</bdi> <span dir="auto">{order_variant.title}</span>
                  {restock && <small> · {words.restock}</small>}
                </p>
              ))}
              {reason && (
                <p className={styles.note} dir="auto">
                  {reason}
                </p>
              )}
              <small>
                <When at={created_at} zone={store.time_zone} />
              </small>
            </div>
            {delivery && <Badge tone={DELIVERY_TONES[delivery.status]}>{words.deliveryStatus[delivery.status]}</Badge>}
          </li>
        ))}
        {order.refunds.map(({ id, created_at, reason, amount, status }) => (
          <li key={id}>
            <div>
              <p>
                {words.refund} <Money amount={amount} currency={order.currency} />
              </p>
              {reason && (
                <p className={styles.note} dir="auto">
                  {reason}
                </p>
              )}
              <small>
                <When at={created_at} zone={store.time_zone} />
              </small>
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

const Customer = ({ order }: { order: Order }) => {
  const { orders: words } = useMessages()
  const { store } = useStore()
  const address = [
    order.customer_address,
    [order.customer_postal_code, order.customer_city].filter(Boolean).join(' '),
    order.customer_state,
    order.customer_country?.name,
  ].filter(Boolean)
  return (
    <section className={styles.section}>
      <h2>{words.customer}</h2>
      <div className={styles.person}>
        <strong dir="auto">{order.customer_name || words.noCustomer}</strong>
        {order.customer_email && (
          <a href={`mailto:${order.customer_email}`}>
            <Ltr>{order.customer_email}</Ltr>
          </a>
        )}
        {order.customer_phone && (
          <a href={`tel:${order.customer_phone.replace(/[^+\d]/g, '')}`}>
            <Ltr>{order.customer_phone}</Ltr>
          </a>
        )}
        {order.customer_id && (
          <Link href={`/s/${store.id}/orders?customer_id=${order.customer_id}`} className={styles.more}>
            {words.otherOrders}
          </Link>
        )}
      </div>
      {address.length > 0 && (
        <>
          <h3>{words.address}</h3>
          <address className={styles.address}>
            {address.map((line) => (
              <span key={line} dir="auto">
                {line}
              </span>
            ))}
          </address>
        </>
      )}
    </section>
  )
}

type Entry = Order['history'][number]

const useEventText = () => {
  const { orders: words } = useMessages()
  const status = (labels: Record<string, string>, key: string) => labels[key] ?? key
  return ({ subject, from, to }: Entry): string => {
    if (subject === 'status') return from === null ? words.event.placed : words.event.status(status(words.status, to))
    if (subject === 'is_cancelled') return to === 'true' ? words.event.cancelled : words.event.uncancelled
    if (subject === 'is_archived') return to === 'true' ? words.event.archived : words.event.unarchived
    if (subject === 'refund') return words.event.refund(status(words.refundStatus, to))
    return words.event[subject](status(words.deliveryStatus, to))
  }
}

const History = ({ order }: { order: Order }) => {
  const { orders: words } = useMessages()
  const { store } = useStore()
  const text = useEventText()
  return (
    <section className={styles.section}>
      <h2>{words.history}</h2>
      <ol className={styles.history}>
        {[...order.history].reverse().map((entry) => (
          <li key={entry.id}>
            <p>{text(entry)}</p>
            <small>
              <When at={entry.created_at} zone={store.time_zone} /> ·{' '}
              <bdi>{[entry.app_name, entry.account_name].filter(Boolean).join(' · ')}</bdi>
            </small>
          </li>
        ))}
      </ol>
    </section>
  )
}

const Dialogs = ({ order, act, onClose }: { order: Order; act: Act; onClose: () => void }) => {
  const { orders: words } = useMessages()
  const { client } = useStore()
  const renew = useRenewOrder()
  if (act.kind === 'delivery') return <DeliveryDialog delivery={act.delivery} onClose={onClose} />
  if (act.kind === 'split') return <SplitDialog order={order} delivery={act.delivery} onClose={onClose} />
  if (act.kind === 'return') return <ReturnDialog order={order} onClose={onClose} />
  if (act.kind === 'refund') return <RefundDialog order={order} onClose={onClose} />
  return (
    <Confirm
      title={words.cancelAsk(order.ref)}
      act={words.cancelOrder}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await client.orders.update(order.id, { is_cancelled: true })
        await renew()
      }}
    >
      {words.cancelHelp}
    </Confirm>
  )
}

const OrderPage = () => {
  const { id = '' } = useParams<{ id: string }>()
  const { orders: words, common } = useMessages()
  const { store, client, can } = useStore()
  const [, navigate] = useLocation()
  const [act, setAct] = useState<Act>()
  const renew = useRenewOrder()
  const toast = useToast()
  const { data: order, error } = useQuery({
    queryKey: [store.id, 'orders', 'one', id],
    queryFn: ({ signal }) => client.orders.get(id, { signal }),
    refetchInterval: 30_000,
  })
  const back = { href: `/s/${store.id}/orders`, label: words.title }
  if (!order) {
    if (error instanceof ApiError && error.status === 404)
      return <Empty title={common.notFound}>{common.notFoundHelp}</Empty>
    return error ? (
      <Page title={words.order} back={back}>
        <Problem error={error} />
      </Page>
    ) : null
  }

  const change = async (changes: Parameters<typeof client.orders.update>[1], done: string, undo?: typeof changes) => {
    try {
      await client.orders.update(order.id, changes)
      await renew()
      toast(done, undo && { action: { label: words.undo, run: () => change(undo, common.yes) } })
    } catch (error) {
      toast((error as ApiError).reason ?? (error as Error).message, { bad: true })
    }
  }
  const open = openDelivery(order)
  const mayUpdate = can('order:update')
  const badges: ReactNode = (
    <>
      {order.is_cancelled ? (
        <Badge tone="bad">{words.cancelled}</Badge>
      ) : (
        <Badge tone={STATUS_TONES[order.status]}>{words.status[order.status]}</Badge>
      )}
      {order.is_archived && <Badge>{words.archived}</Badge>}
    </>
  )
  const digital = order.variants.filter(({ is_digital }) => is_digital)
  return (
    <Page
      title={<Ltr>{order.ref}</Ltr>}
      name={order.ref}
      back={back}
      badges={badges}
      actions={
        <>
          <Button icon={<Printer />} onClick={() => navigate(`/s/${store.id}/orders/print?ids=${order.id}`)}>
            {words.print}
          </Button>
          {mayUpdate && (
            <Menu trigger={<Button icon={<Ellipsis />} aria-label={common.more} />}>
              {order.status !== 'paid' && (
                <MenuItem icon={<Wallet />} onSelect={() => change({ status: 'paid' }, words.markedPaid)}>
                  {words.markPaid}
                </MenuItem>
              )}
              <MenuItem icon={<Undo2 />} onSelect={() => setAct({ kind: 'return' })}>
                {words.return}
              </MenuItem>
              <MenuItem icon={<Wallet />} onSelect={() => setAct({ kind: 'refund' })}>
                {words.refund}
              </MenuItem>
              <MenuLine />
              <MenuItem
                icon={<Archive />}
                onSelect={() =>
                  order.is_archived
                    ? change({ is_archived: false }, words.unarchiveDone)
                    : change({ is_archived: true }, words.archiveDone, { is_archived: false })
                }
              >
                {order.is_archived ? words.unarchive : words.archive}
              </MenuItem>
              {order.is_cancelled ? (
                <MenuItem icon={<X />} onSelect={() => change({ is_cancelled: false }, words.uncancelDone)}>
                  {words.uncancel}
                </MenuItem>
              ) : (
                <MenuItem icon={<X />} danger onSelect={() => setAct({ kind: 'cancel' })}>
                  {words.cancelOrder}
                </MenuItem>
              )}
            </Menu>
          )}
          {mayUpdate && open && (
            <Button
              kind="primary"
              icon={<Truck className="pointing" />}
              onClick={() => setAct({ kind: 'delivery', delivery: open })}
            >
              {words.ship}
            </Button>
          )}
        </>
      }
    >
      <p className={styles.date}>
        <When at={order.created_at} zone={store.time_zone} /> · {words.count(order.quantity)}
      </p>
      <div className={styles.columns}>
        <Surface>
          {order.deliveries.map((delivery, index) => (
            <DeliverySection key={delivery.id} order={order} delivery={delivery} number={index + 1} onAct={setAct} />
          ))}
          {digital.length > 0 && (
            <section className={styles.section}>
              <header>
                <h2>{words.digital}</h2>
              </header>
              <Lines lines={digital} currency={order.currency} />
            </section>
          )}
          <Amounts order={order} />
          <Returns
            order={order}
            onRefunded={async (id) => {
              await client.orders
                .updateRefund(id, { status: 'refunded' })
                .catch((error) => toast(error.message, { bad: true }))
              await renew()
            }}
          />
        </Surface>
        <Surface>
          <Customer order={order} />
          <History order={order} />
        </Surface>
      </div>
      {act && <Dialogs order={order} act={act} onClose={() => setAct(undefined)} />}
    </Page>
  )
}

export default OrderPage
