import { Pencil } from 'lucide-react'
import { Link } from 'wouter'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { useMessages, useWords } from '../../messages/messages.ts'
import { countryName } from '../../messages/names.ts'
import type { Order } from './labels.ts'
import styles from './OrderPage.module.css'
import { telHref } from './phone-links.ts'
import { useOrderWords } from './words.ts'

export const Customer = ({ order, onEdit }: { order: Order; onEdit?: (() => void) | undefined }) => {
  const words = useOrderWords()
  const { controls } = useMessages()
  const { locale } = useWords()
  const { store } = useStore()
  const address = [
    order.customer_address,
    [order.customer_postal_code, order.customer_city].filter(Boolean).join(' '),
    order.customer_state,
    order.customer_country && countryName(locale, order.customer_country),
  ].filter(Boolean)
  return (
    <section className={styles.section}>
      <header>
        <h2>{words.customer}</h2>
        <span className={styles.push} />
        {onEdit && (
          <Button kind="quiet" icon={<Pencil />} onClick={onEdit} aria-keyshortcuts="e">
            {controls.edit}
          </Button>
        )}
      </header>
      <div className={styles.person}>
        <strong dir="auto">{order.customer_name || words.noCustomer}</strong>
        {order.customer_email && (
          <a href={`mailto:${order.customer_email}`}>
            <Ltr>{order.customer_email}</Ltr>
          </a>
        )}
        {order.customer_phone && (
          <a href={telHref(order)}>
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
