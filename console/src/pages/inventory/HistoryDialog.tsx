import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { When } from '../../components/When.tsx'
import { useMessages } from '../../messages/messages.ts'
import styles from './Inventory.module.css'
import { useInventoryWords } from './words.ts'

const PAGE_SIZE = 50

const signed = (units: number) => (units > 0 ? `+${units}` : String(units))

/** What changed the stock of a variant, newest first, and what each change left. */
const HistoryDialog = ({ variant, name, onClose }: { variant: string; name: string; onClose: () => void }) => {
  const words = useInventoryWords()
  const { controls } = useMessages()
  const { store, client } = useStore()
  const query = useInfiniteQuery({
    queryKey: [store.id, 'products', 'stock history', variant],
    queryFn: ({ pageParam, signal }) =>
      client.stock.getStockHistory(
        variant,
        { page_size: PAGE_SIZE, ...(pageParam && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ pagination }) => pagination.next_cursor,
  })
  const entries = query.data?.pages.flatMap(({ history }) => history) ?? []
  return (
    <Dialog
      wide
      title={words.historyOf(name)}
      onClose={onClose}
      footer={<Button onClick={onClose}>{controls.close}</Button>}
    >
      <Loaded query={query}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the box scrolls by itself. */}
        <section className={styles.box} tabIndex={0} aria-label={words.history}>
          <table className={styles.table}>
            <caption className="hidden">{words.historyOf(name)}</caption>
            <thead>
              <tr>
                <th scope="col">{words.what}</th>
                <th scope="col">{words.change}</th>
                <th scope="col">{words.stock}</th>
                <th scope="col">{words.when}</th>
              </tr>
            </thead>
            <tbody>
              {entries.map((entry) => (
                <tr key={entry.id ?? 'opening'}>
                  <th scope="row">
                    {words.kinds[entry.kind]}{' '}
                    {entry.order && (
                      <Link href={`/s/${store.id}/orders/${entry.order.id}`}>
                        <Ltr>{entry.order.ref}</Ltr>
                      </Link>
                    )}
                    {entry.reason && <small dir="auto">{entry.reason}</small>}
                  </th>
                  <td>
                    <Ltr>{signed(entry.delta)}</Ltr>
                  </td>
                  <td>
                    <Ltr>{entry.quantity}</Ltr>
                  </td>
                  <td>
                    <When at={entry.created_at} zone={store.time_zone} />
                    <small>
                      <bdi>{[entry.app_name, entry.account_name].filter(Boolean).join(' · ')}</bdi>
                    </small>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
        {query.hasNextPage && (
          <Button busy={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
            {words.older}
          </Button>
        )}
      </Loaded>
    </Dialog>
  )
}

export default HistoryDialog
