import { useQuery } from '@tanstack/react-query'
import { ChevronRight, CircleCheck } from 'lucide-react'
import { Link } from 'wouter'
import { useStore } from '../../api/store.tsx'
import { Surface } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useWords } from '../../messages/messages.ts'
import { hoursAgo } from './days.ts'
import styles from './HomePage.module.css'
import { useHomeWords } from './words.ts'

const REFETCH_MS = 60_000
const OPEN = 'is_cancelled=false&is_archived=false'
const SHOWN_PRODUCTS = 5

interface Waiting {
  id: 'unshipped' | 'unpaid' | 'returns' | 'refunds' | 'reviews'
  list: 'orders' | 'reviews'
  /** The filters of the list that the number opens. */
  query: string
}

const waitingLists = (): Waiting[] => [
  {
    id: 'unshipped',
    list: 'orders',
    query: `exclude_status=abandoned&delivery_status=unfulfilled&${OPEN}&to=${hoursAgo(48)}`,
  },
  { id: 'unpaid', list: 'orders', query: `status=pending&${OPEN}&to=${hoursAgo(24)}` },
  { id: 'returns', list: 'orders', query: 'return_status=unfulfilled,fulfilled,shipped' },
  { id: 'refunds', list: 'orders', query: 'refund_status=pending' },
  { id: 'reviews', list: 'reviews', query: 'status=pending' },
]

/** What waits for somebody, each with the list behind its number. */
export const Attention = () => {
  const words = useHomeWords()
  const { locale } = useWords()
  const { store, client, can } = useStore()
  const lists = waitingLists().filter(({ list }) => can(list === 'orders' ? 'order:view' : 'review:view'))
  const { data, error } = useQuery({
    queryKey: [store.id, 'attention', lists],
    queryFn: ({ signal }) =>
      Promise.all(
        lists.map(async (waiting) => {
          const query = { ...Object.fromEntries(new URLSearchParams(waiting.query)), page_size: 1 }
          const { pagination } =
            waiting.list === 'orders'
              ? await client.orders.list(query, { signal })
              : await client.reviews.list(query, { signal })
          return { ...waiting, total: pagination.total ?? 0 }
        }),
      ),
    placeholderData: (before) => before,
    refetchInterval: REFETCH_MS,
  })
  if (lists.length === 0) return null
  const open = data?.filter(({ total }) => total > 0) ?? []
  return (
    <Surface>
      <section className={styles.section}>
        <h2>{words.attention}</h2>
        <Problem error={error ?? undefined} />
        {!data && !error && <Skeleton lines={4} />}
        {data && open.length === 0 && (
          <p className={styles.done}>
            <CircleCheck aria-hidden /> {words.allDone}
          </p>
        )}
        <ul className={styles.rows}>
          {open.map(({ id, list, query, total }) => (
            <li key={id}>
              <Link href={`/s/${store.id}/${list}?${query}`}>
                <span>{words[id]}</span>
                <strong>{numberFormat(locale).format(total)}</strong>
                <ChevronRight className="pointing" aria-hidden />
              </Link>
            </li>
          ))}
        </ul>
      </section>
    </Surface>
  )
}

export const OutOfStock = () => {
  const words = useHomeWords()
  const { locale } = useWords()
  const { store, client } = useStore()
  const { data, error } = useQuery({
    queryKey: [store.id, 'products', 'out-of-stock'],
    queryFn: ({ signal }) =>
      client.products.list({ out_of_stock: true, status: 'active', page_size: SHOWN_PRODUCTS }, { signal }),
    refetchInterval: REFETCH_MS,
  })
  const total = data?.pagination.total ?? 0
  return (
    <Surface>
      <section className={styles.section}>
        <header>
          <h2>{words.outOfStock}</h2>
          {total > 0 && (
            <Link href={`/s/${store.id}/products?out_of_stock=true&status=active`} className={styles.all}>
              {words.showAll} ({numberFormat(locale).format(total)})
            </Link>
          )}
        </header>
        <Problem error={error ?? undefined} />
        {!data && !error && <Skeleton lines={4} />}
        {data && total === 0 && (
          <p className={styles.done}>
            <CircleCheck aria-hidden /> {words.allInStock}
          </p>
        )}
        <ul className={styles.rows}>
          {data?.products.map(({ id, title, images }) => (
            <li key={id}>
              <Link href={`/s/${store.id}/products/${id}`}>
                {images[0]?.thumbnail ? (
                  <img src={images[0].thumbnail} alt="" loading="lazy" />
                ) : (
                  <span className={styles.noImage} />
                )}
                <span>
                  <bdi>{title}</bdi>
                </span>
                <ChevronRight className="pointing" aria-hidden />
              </Link>
            </li>
          ))}
        </ul>
      </section>
    </Surface>
  )
}
