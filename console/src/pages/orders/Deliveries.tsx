import { CircleCheck, Ellipsis, ExternalLink, Pencil, Split } from 'lucide-react'
import { useStore } from '../../api/store.tsx'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Menu, MenuItem } from '../../components/Menu.tsx'
import { Money } from '../../components/Money.tsx'
import { useMessages } from '../../messages/messages.ts'
import type { Act } from './Dialogs.tsx'
import { DELIVERY_TONES, type Delivery, type Line, mayEditLines, type Order, optionText } from './labels.ts'
import styles from './OrderPage.module.css'
import { useOrderWords } from './words.ts'

export const Lines = ({ lines, currency }: { lines: readonly Line[]; currency: string }) => (
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
          <Ltr>
            {line.quantity} × <Money amount={line.price} currency={currency} />
          </Ltr>
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
  onDelivered,
}: {
  order: Order
  delivery: Delivery
  number: number
  onAct: (act: Act) => void
  onDelivered: (delivery: Delivery) => void
}) => {
  const words = useOrderWords()
  const { controls } = useMessages()
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
              <Menu trigger={<Button kind="quiet" icon={<Ellipsis />} aria-label={controls.more} />}>
                <MenuItem icon={<Split />} onSelect={() => onAct({ kind: 'split', delivery })}>
                  {words.split}
                </MenuItem>
              </Menu>
            )}
            {mayEditLines(order) && (
              <Button kind="quiet" icon={<Pencil />} onClick={() => onAct({ kind: 'lines' })}>
                {words.desk.editItems}
              </Button>
            )}
            {status === 'shipped' && (
              <Button icon={<CircleCheck />} onClick={() => onDelivered(delivery)}>
                {words.desk.markDelivered}
              </Button>
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

/** What is sent, parcel by parcel, and what needs no parcel. */
export const Deliveries = ({
  order,
  onAct,
  onDelivered,
}: {
  order: Order
  onAct: (act: Act) => void
  onDelivered: (delivery: Delivery) => void
}) => {
  const words = useOrderWords()
  const { can } = useStore()
  const digital = order.variants.filter(({ is_digital }) => is_digital)
  return (
    <>
      {order.deliveries.map((delivery, index) => (
        <DeliverySection key={delivery.id} number={index + 1} {...{ order, delivery, onAct, onDelivered }} />
      ))}
      {digital.length > 0 && (
        <section className={styles.section}>
          <header>
            <h2>{words.digital}</h2>
            <span className={styles.push} />
            {order.deliveries.length === 0 && can('order:update') && mayEditLines(order) && (
              <Button kind="quiet" icon={<Pencil />} onClick={() => onAct({ kind: 'lines' })}>
                {words.desk.editItems}
              </Button>
            )}
          </header>
          <Lines lines={digital} currency={order.currency} />
        </section>
      )}
    </>
  )
}
