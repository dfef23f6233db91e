import { useQuery } from '@tanstack/react-query'
import { useStore } from '../../api/store.tsx'
import { base } from '../../base-url.ts'
import { Ltr } from '../../components/Ltr.tsx'
import { useSettled } from '../../components/useSettled.ts'
import { useEditWords } from './edit-words.ts'
import styles from './OrderForm.module.css'
import { useOrderWords } from './words.ts'

const MIN_DIGITS = 6

/** What became of earlier orders of a phone number, as soon as it is typed. */
export const KnownPhone = ({ phone }: { phone: string }) => {
  const words = useEditWords()
  const orders = useOrderWords()
  const { desk } = orders
  const { store, client, can } = useStore()
  const settled = useSettled(phone.trim())
  const isWhole = (settled.match(/\p{Nd}/gu) ?? []).length >= MIN_DIGITS
  const { data } = useQuery({
    queryKey: [store.id, 'orders', 'phone', settled],
    enabled: can('order:view') && isWhole,
    queryFn: async ({ signal }) =>
      (await client.orders.list({ phone: settled, page_size: 1, total: false }, { signal })).orders,
  })
  if (!isWhole || !data) return null
  const [last] = data
  if (!last) return <p className={styles.known}>{words.noOrdersOfPhone}</p>
  const { phone_delivered, phone_returned, phone_open } = last.signals
  return (
    <p className={styles.known} role="status">
      {desk.delivered}: <Ltr>{phone_delivered}</Ltr> · {desk.returned}: <Ltr>{phone_returned}</Ltr> · {desk.open}:{' '}
      <Ltr>{phone_open}</Ltr> ·{' '}
      <a href={`${base}/s/${store.id}/orders/${last.id}`} target="_blank" rel="noreferrer">
        {words.lastOrder} <Ltr>{last.ref}</Ltr>
      </a>
    </p>
  )
}
