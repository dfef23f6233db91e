import { useQueries } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import { useAddress } from '../../components/useAddress.ts'
import { When } from '../../components/When.tsx'
import { useMessages } from '../../messages/messages.ts'
import { type Order, optionText } from './labels.ts'
import styles from './PrintPage.module.css'

const MAX_ORDERS = 100

const Sheet = ({ order }: { order: Order }) => {
  const { orders: words } = useMessages()
  const { store } = useStore()
  const lines = order.deliveries.flatMap(({ order_variants }) => order_variants)
  const address = [
    order.customer_name,
    order.customer_address,
    [order.customer_postal_code, order.customer_city].filter(Boolean).join(' '),
    order.customer_country?.name,
  ].filter(Boolean)
  return (
    <article className={styles.sheet}>
      <header>
        <h2>
          <Ltr>{order.ref}</Ltr>
        </h2>
        <When at={order.created_at} zone={store.time_zone} day />
      </header>
      <address>
        {address.map((line) => (
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
      <table>
        <caption className="hidden">{words.items}</caption>
        <thead>
          <tr>
            <th scope="col">{words.quantity}</th>
            <th scope="col">{words.items}</th>
            <th scope="col">SKU</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line may stand in two deliveries.
            <tr key={`${line.id}-${index}`}>
              <td>{line.quantity}</td>
              <td>
                <span dir="auto">{line.title}</span> <bdi>{optionText(line)}</bdi>
              </td>
              <td>
                <Ltr>{line.sku ?? ''}</Ltr>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </article>
  )
}

/** What goes into each parcel, one order a sheet. */
const PrintPage = () => {
  const { orders: words } = useMessages()
  const { store, client } = useStore()
  const { params } = useAddress()
  const ids = (params.get('ids') ?? '').split(',').filter(Boolean).slice(0, MAX_ORDERS)
  const answers = useQueries({
    queries: ids.map((id) => ({
      queryKey: [store.id, 'orders', 'one', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => client.orders.get(id, { signal }),
    })),
  })
  const failed = answers.find(({ error }) => error)
  return (
    <Page
      title={words.printTitle}
      back={{ href: `/s/${store.id}/orders`, label: words.title }}
      actions={
        <Button kind="primary" icon={<Printer />} onClick={() => window.print()}>
          {words.printNow}
        </Button>
      }
    >
      {failed && <Problem error={failed.error} />}
      <Surface>{answers.map(({ data }) => data && <Sheet key={data.id} order={data} />)}</Surface>
    </Page>
  )
}

export default PrintPage
