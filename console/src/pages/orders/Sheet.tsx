import { useStore } from '../../api/store.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Money } from '../../components/Money.tsx'
import { When } from '../../components/When.tsx'
import { useWords } from '../../messages/messages.ts'
import { countryName } from '../../messages/names.ts'
import { barsOf } from './code128.ts'
import { type Delivery, type Line, type Order, optionText } from './labels.ts'
import styles from './PrintPage.module.css'
import { isPaidAtTheDoor } from './payment.ts'
import { usePrintWords } from './print-words.ts'
import { useOrderWords } from './words.ts'

/** Around a bar code, for scanners. */
const QUIET = 10

/** The reference for a scanner. Without it, if it has letters that the code does not have. */
const BarCode = ({ text }: { text: string }) => {
  const code = barsOf(text)
  if (!code) return null
  return (
    <svg
      className={styles.code}
      viewBox={`${-QUIET} 0 ${code.width + 2 * QUIET} 40`}
      preserveAspectRatio="none"
      role="img"
      aria-label={text}
    >
      {code.bars.map(([at, width]) => (
        <rect key={at} x={at} y={0} width={width} height={40} />
      ))}
    </svg>
  )
}

const Lines = ({ lines, order, prices }: { lines: readonly Line[]; order: Order; prices: boolean }) => {
  const words = usePrintWords()
  return (
    <table>
      <caption className="hidden">{words.item}</caption>
      <thead>
        <tr>
          <th scope="col">{words.quantity}</th>
          <th scope="col">{words.item}</th>
          {prices && (
            <>
              <th scope="col">{words.unitPrice}</th>
              <th scope="col">{words.amount}</th>
            </>
          )}
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr key={line.id}>
            <td>{line.quantity}</td>
            <td>
              <bdi>{line.title}</bdi> <bdi>{optionText(line)}</bdi>
              {line.sku && (
                <small>
                  <Ltr>{line.sku}</Ltr>
                </small>
              )}
            </td>
            {prices && (
              <>
                <td>
                  <Money amount={line.price} currency={order.currency} />
                </td>
                <td>
                  <Money amount={Math.round(line.price * line.quantity * 1000) / 1000} currency={order.currency} />
                </td>
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const Totals = ({ order }: { order: Order }) => {
  const words = usePrintWords()
  const orders = useOrderWords()
  const rows: [string, number][] = [
    [orders.subtotal, order.subtotal],
    [orders.shipping, order.shipping_rate],
    [orders.discount, -order.discount],
    [orders.tip, order.tip],
    [orders.fee, order.fee],
  ]
  const due = order.status === 'paid' ? words.alreadyPaid : isPaidAtTheDoor(order) ? words.toPay : words.unpaid
  return (
    <dl className={styles.totals}>
      {rows.map(([label, amount], place) =>
        amount === 0 && place > 0 ? null : (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <Money amount={amount} currency={order.currency} />
            </dd>
          </div>
        ),
      )}
      <div className={styles.total}>
        <dt>{orders.total}</dt>
        <dd>
          <Money amount={order.total} currency={order.currency} />
        </dd>
      </div>
      {order.is_cancelled ? (
        <div>
          <dt>{words.cancelled}</dt>
        </div>
      ) : (
        <div>
          <dt>{due}</dt>
          <dd>
            <Money amount={order.total} currency={order.currency} />
          </dd>
        </div>
      )}
    </dl>
  )
}

export interface Sender {
  name: string
  /** Address of the picture. */
  logo?: string | undefined
  contact_address?: string | null
  contact_phone?: string | null
  contact_email?: string | null
}

const From = ({ sender }: { sender: Sender }) => (
  <address>
    {sender.logo && <img className={styles.logo} src={sender.logo} alt="" />}
    <strong>
      <bdi>{sender.name}</bdi>
    </strong>
    {sender.contact_address && (
      <span>
        <bdi>{sender.contact_address}</bdi>
      </span>
    )}
    {sender.contact_phone && (
      <span>
        <Ltr>{sender.contact_phone}</Ltr>
      </span>
    )}
    {sender.contact_email && (
      <span>
        <Ltr>{sender.contact_email}</Ltr>
      </span>
    )}
  </address>
)

const To = ({ order }: { order: Order }) => {
  const words = usePrintWords()
  const { locale } = useWords()
  const lines = [
    order.customer_address,
    [order.customer_postal_code, order.customer_city].filter(Boolean).join(' '),
    order.customer_country && countryName(locale, order.customer_country),
  ].filter(Boolean)
  return (
    <address>
      <small>{words.to}</small>
      <strong>
        <bdi>{order.customer_name}</bdi>
      </strong>
      {lines.map((line) => (
        <span key={line}>
          <bdi>{line}</bdi>
        </span>
      ))}
      {order.customer_phone && (
        <span>
          <Ltr>{order.customer_phone}</Ltr>
        </span>
      )}
    </address>
  )
}

interface SheetProps {
  order: Order
  sender: Sender
  kind: 'packing' | 'invoice'
  prices: boolean
  /** Of a packing list; without one, the order has nothing left to pack. */
  parcel?: Delivery | undefined
}

/** One page: who sends what to whom. */
export const Sheet = ({ order, sender, kind, prices, parcel }: SheetProps) => {
  const words = usePrintWords()
  const orders = useOrderWords()
  const { store } = useStore()
  const lines = kind === 'invoice' ? order.variants : parcel?.order_variants
  const place = parcel ? order.deliveries.indexOf(parcel) + 1 : 0
  return (
    <article className={styles.sheet}>
      <header>
        <div>
          <h2>
            {words[kind]} <Ltr>{order.ref}</Ltr>
            {place > 0 && order.deliveries.length > 1 && <> · {orders.deliveryNumber(String(place))}</>}
          </h2>
          <When at={order.created_at} zone={store.time_zone} day year />
        </div>
        <BarCode text={order.ref} />
      </header>
      <div className={styles.parties}>
        <From sender={sender} />
        <To order={order} />
      </div>
      {lines ? <Lines lines={lines} order={order} prices={prices} /> : <p>{orders.nothingToPack}</p>}
      {prices && <Totals order={order} />}
    </article>
  )
}
