import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useStore } from '../../api/store.tsx'
import { Badge, type Tone } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { Empty } from '../../components/Empty.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { Money } from '../../components/Money.tsx'
import { Surface } from '../../components/Page.tsx'
import { When } from '../../components/When.tsx'
import { useMessages } from '../../messages/messages.ts'
import styles from '../plan/Plan.module.css'
import { type PlanWords, usePlanWords } from '../plan/words.ts'

type Status = keyof PlanWords['statuses']

const TONES: Record<Status, Tone> = { open: 'accent', paid: 'good', void: 'plain', overdue: 'bad' }

export const InvoiceStatus = ({ status }: { status: Status }) => {
  const words = usePlanWords()
  return <Badge tone={TONES[status]}>{words.statuses[status]}</Badge>
}

const PER_PAGE = 20

/** The invoices of the store, the newest first. */
export const InvoiceRows = () => {
  const words = usePlanWords()
  const { controls } = useMessages()
  const { store, client } = useStore()
  const query = useInfiniteQuery({
    queryKey: [store.id, 'invoices'],
    queryFn: ({ pageParam, signal }) => client.invoices.list({ page: pageParam, page_size: PER_PAGE }, { signal }),
    initialPageParam: 1,
    getNextPageParam: (last, pages) => (last.invoices.length === PER_PAGE ? pages.length + 1 : undefined),
  })
  const invoices = query.data?.pages.flatMap((page) => page.invoices)
  return (
    <section className={styles.section}>
      <h2>{words.invoices}</h2>
      <Surface>
        <Loaded query={query}>
          {invoices?.length === 0 && <Empty title={words.noInvoices}>{words.noInvoicesHelp}</Empty>}
          <ul className={styles.rows}>
            {invoices?.map((invoice) => (
              <li key={invoice.id}>
                <div>
                  <Link href={`/s/${store.id}/invoices/${invoice.id}`}>{words.invoice(String(invoice.number))}</Link>
                  <small>
                    <When at={invoice.created_at} zone={store.time_zone} day />
                  </small>
                </div>
                <Money amount={invoice.total} currency={invoice.currency} />
                <InvoiceStatus status={invoice.status} />
              </li>
            ))}
          </ul>
        </Loaded>
      </Surface>
      {query.hasNextPage && (
        <p>
          <Button busy={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
            {controls.next}
          </Button>
        </p>
      )}
    </section>
  )
}
