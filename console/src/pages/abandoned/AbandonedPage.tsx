import { useQueryClient } from '@tanstack/react-query'
import { Archive, ArchiveRestore, MessageCircle, PackageCheck, PhoneMissed } from 'lucide-react'
import { useState } from 'react'
import { ApiError } from '../../../../client/src/errors.ts'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { describeError } from '../../components/describe-error.ts'
import { ListPage } from '../../components/ListPage.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Money } from '../../components/Money.tsx'
import { Newest } from '../../components/Newest.tsx'
import type { Column } from '../../components/Table.tsx'
import { useToast } from '../../components/Toast.tsx'
import { When } from '../../components/When.tsx'
import { useMessages } from '../../messages/messages.ts'
import { daysBefore, todayIn } from '../home/days.ts'
import type { Order } from '../orders/labels.ts'
import ContactDialog from './ContactDialog.tsx'
import { useAbandonedWords } from './words.ts'

const useArchive = () => {
  const words = useAbandonedWords()
  const messages = useMessages()
  const { store, client } = useStore()
  const queries = useQueryClient()
  const toast = useToast()
  const put = async (orders: readonly Order[], archived: boolean) => {
    try {
      for (const { id } of orders) await client.orders.update(id, { is_archived: archived })
      return true
    } catch (error) {
      toast(describeError(error, messages).message, { bad: true })
      return false
    } finally {
      await Promise.all([
        queries.invalidateQueries({ queryKey: [store.id, 'abandoned'] }),
        queries.invalidateQueries({ queryKey: [store.id, 'orders'] }),
      ])
    }
  }
  return {
    dismiss: async (orders: readonly Order[]) => {
      if (!(await put(orders, true))) return
      const undo = async () => {
        if (await put(orders, false)) toast(words.restored)
      }
      toast(words.dismissed(orders.length), { action: { label: words.undo, run: undo } })
    },
    restore: async (orders: readonly Order[]) => {
      if (await put(orders, false)) toast(words.restored)
    },
  }
}

/** The API refuses the status of an order if its units are not in stock. */
const lacksStock = (error: unknown) =>
  error instanceof ApiError && error.fields.status?.some((sentence) => /no longer in stock/.test(sentence))

/** Orders that were begun and not finished: who to call, and what became of it. */
const AbandonedPage = () => {
  const words = useAbandonedWords()
  const { shell } = useMessages()
  const { store, client, can } = useStore()
  const queries = useQueryClient()
  const toast = useToast()
  const { dismiss, restore } = useArchive()
  const [contacted, setContacted] = useState<Order>()
  const [converting, setConverting] = useState<string>()
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
        title={shell.abandoned}
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
        bulk={(rows, select) => (
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
          </>
        )}
      />
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
                  throw lacksStock(error) ? new Error(words.noStock) : error
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
