import { useQueryClient } from '@tanstack/react-query'
import { Archive, ArchiveRestore, MessageCircle, PackageCheck, PencilLine, PhoneMissed } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { ApiError } from '../../../../client/src/errors.ts'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { describeError, isConflict } from '../../components/describe-error.ts'
import { ListPage } from '../../components/ListPage.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { loadable } from '../../components/loadable.tsx'
import { Money } from '../../components/Money.tsx'
import { Newest } from '../../components/Newest.tsx'
import type { Column } from '../../components/Table.tsx'
import { useToast } from '../../components/Toast.tsx'
import { When } from '../../components/When.tsx'
import { useMessages } from '../../messages/messages.ts'
import { daysBefore, todayIn } from '../home/days.ts'
import type { Order } from '../orders/labels.ts'
import ContactDialog from './ContactDialog.tsx'
import { useAbandonedTitle } from './title.ts'
import { useAbandonedWords } from './words.ts'

const ChangeMany = loadable(() => import('../orders/ChangeMany.tsx'))

const useArchive = () => {
  const words = useAbandonedWords()
  const messages = useMessages()
  const { store, client } = useStore()
  const queries = useQueryClient()
  const toast = useToast()
  /** Those that are done can be taken back; from the first one without an answer on, it can be tried again. */
  const put = async (orders: readonly Order[], archived: boolean): Promise<void> => {
    const done: Order[] = []
    let failed: unknown
    try {
      for (const order of orders) {
        await client.orders.update(order.id, { is_archived: archived })
        done.push(order)
      }
    } catch (error) {
      failed = error
    }
    await Promise.all([
      queries.invalidateQueries({ queryKey: [store.id, 'abandoned'] }),
      queries.invalidateQueries({ queryKey: [store.id, 'orders'] }),
    ])
    if (done.length > 0 && archived)
      toast(words.dismissed(done.length), { action: { label: words.undo, run: () => put(done, false) } })
    else if (done.length > 0) toast(words.restored)
    if (failed === undefined) return
    const retry = () => put(orders.slice(done.length), archived)
    const action = { label: messages.controls.retry, run: retry }
    toast(describeError(failed, messages).message, { bad: true, action })
  }
  return {
    dismiss: (orders: readonly Order[]) => put(orders, true),
    restore: (orders: readonly Order[]) => put(orders, false),
  }
}

/** The API refuses the status of an order if its units are not in stock. */
const lacksStock = (error: unknown) =>
  error instanceof ApiError && error.fields.status?.some((sentence) => /no longer in stock/.test(sentence))

/** Orders that were begun and not finished: who to call, and what became of it. */
const AbandonedPage = () => {
  const words = useAbandonedWords()
  const { controls } = useMessages()
  const title = useAbandonedTitle()
  const { store, client, can } = useStore()
  const queries = useQueryClient()
  const toast = useToast()
  const { dismiss, restore } = useArchive()
  const [contacted, setContacted] = useState<Order>()
  const [converting, setConverting] = useState<string>()
  const [changing, setChanging] = useState<Pick<ComponentProps<typeof ChangeMany>, 'orders' | 'matching' | 'done'>>()
  const nameOf = ({ customer_name, customer_email, ref }: Order) => customer_name || customer_email || ref
  const columns: Column<Order>[] = [
    {
      id: 'ref',
      label: words.customer,
      cell: (order) => <bdi>{nameOf(order)}</bdi>,
      below: ({ customer_phone, customer_email }) => <Ltr>{customer_phone || customer_email || ''}</Ltr>,
    },
    {
      id: 'phone',
      label: words.phone,
      wide: true,
      cell: ({ customer_phone }) => (customer_phone ? <Ltr>{customer_phone}</Ltr> : '–'),
    },
    {
      id: 'date',
      label: words.when,
      sort: 'date',
      wide: true,
      cell: ({ created_at }) => <When at={created_at} zone={store.time_zone} />,
    },
    { id: 'items', label: words.items, sort: 'quantity', align: 'end', wide: true, cell: ({ quantity }) => quantity },
    {
      id: 'total',
      label: words.total,
      sort: 'total',
      align: 'end',
      cell: ({ total, currency }) => <Money amount={total} currency={currency} />,
    },
  ]
  return (
    <>
      <ListPage<Order>
        list="abandoned"
        title={title}
        columns={columns}
        parameters={['is_archived', 'from']}
        filters={[]}
        searchHint={words.searchHint}
        defaultSort={{ by: 'date', direction: 'DESC' }}
        views={[
          { name: words.all, query: '' },
          { name: words.recent, query: `from=${daysBefore(todayIn(store.time_zone), 6)}` },
          { name: words.dismissedView, query: 'is_archived=true' },
        ]}
        load={async (client, query, signal) => {
          const { orders, pagination } = await client.orders.list(
            { is_archived: false, ...query, status: 'abandoned' },
            { signal },
          )
          return { rows: orders, pagination }
        }}
        keyOf={({ id }) => id}
        nameOf={nameOf}
        href={({ id }) => `/s/${store.id}/orders/${id}`}
        empty={{
          title: words.empty,
          help: words.emptyHelp,
          noMatch: words.noMatch,
          noMatchHelp: words.noMatchHelp,
          icon: <PhoneMissed />,
        }}
        bulk={(rows, select, matching) => (
          <>
            {rows.length === 1 && (
              <>
                <Button icon={<MessageCircle />} onClick={() => setContacted(rows[0])}>
                  {words.contact}
                </Button>
                {can('order:update') && (
                  <Button
                    icon={<PackageCheck />}
                    onClick={() => {
                      setConverting(rows[0]?.id)
                      select([])
                    }}
                  >
                    {words.convert}
                  </Button>
                )}
              </>
            )}
            {can('order:update') &&
              (rows.every(({ is_archived }) => is_archived) ? (
                <Button icon={<ArchiveRestore />} onClick={() => restore(rows).then(() => select([]))}>
                  {words.restore}
                </Button>
              ) : (
                <Button icon={<Archive />} onClick={() => dismiss(rows).then(() => select([]))}>
                  {words.dismiss}
                </Button>
              ))}
            {can('order:update') && (
              <Button
                icon={<PencilLine />}
                onClick={() =>
                  setChanging({
                    orders: rows,
                    // As `load` asks for them.
                    matching: { ...matching, query: { is_archived: false, ...matching.query, status: 'abandoned' } },
                    done: select,
                  })
                }
              >
                {controls.changeMany}
              </Button>
            )}
          </>
        )}
      />
      {changing && (
        <ChangeMany
          {...changing}
          list="abandoned"
          offered={changing.orders.every(({ is_archived }) => is_archived) ? ['unarchive'] : ['archive']}
          onClose={() => setChanging(undefined)}
        />
      )}
      {contacted && <ContactDialog order={contacted} onClose={() => setContacted(undefined)} />}
      {converting && (
        <Newest name="abandoned" id={converting} get={(id) => client.orders.get(id)}>
          {(order) => (
            <Confirm
              title={words.convertAsk(order.ref)}
              act={words.convert}
              onClose={() => setConverting(undefined)}
              onConfirm={async () => {
                try {
                  await client.orders.update(order.id, { status: 'pending', is_archived: false }, { ifMatch: order })
                } catch (error) {
                  if (lacksStock(error)) throw new Error(words.noStock)
                  // An attempt without an answer may have done it.
                  if (!isConflict(error) || (await client.orders.get(order.id)).status === 'abandoned') throw error
                }
                await Promise.all([
                  queries.invalidateQueries({ queryKey: [store.id, 'abandoned'] }),
                  queries.invalidateQueries({ queryKey: [store.id, 'orders'] }),
                ])
                toast(words.converted)
              }}
            >
              {words.convertHelp}
            </Confirm>
          )}
        </Newest>
      )}
    </>
  )
}

export default AbandonedPage
