import { Download, Package, Printer, Truck } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useStore } from '../../api/store.tsx'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { CreateButton } from '../../components/CreateButton.tsx'
import { ListPage, type Matching } from '../../components/ListPage.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { apiQuery } from '../../components/list-query.ts'
import { loadable } from '../../components/loadable.tsx'
import { Money } from '../../components/Money.tsx'
import type { Column } from '../../components/Table.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useAddress } from '../../components/useAddress.ts'
import { When } from '../../components/When.tsx'
import { useMessages } from '../../messages/messages.ts'
import { DeliveryBadge } from './DeliveryBadge.tsx'
import { type Order, STATUS_TONES } from './labels.ts'
import { ORDERS } from './source.ts'
import { useOrdersTitle } from './title.ts'
import { useOrderWords } from './words.ts'

const ShipMany = loadable(() => import('./ShipMany.tsx'))
const ChangeMany = loadable(() => import('./ChangeMany.tsx'))

const capital = (text: string) => text.slice(0, 1).toLocaleUpperCase() + text.slice(1)

/** The file is made by the server, with the filters of the list. */
const ExportButton = () => {
  const words = useOrderWords()
  const { client } = useStore()
  const { params } = useAddress()
  const toast = useToast()
  const [received, setReceived] = useState<number>()
  const download = async () => {
    setReceived(0)
    try {
      const stream = await client.orders.export(apiQuery(params, [...ORDERS.parameters, 'search']))
      const parts: Uint8Array<ArrayBuffer>[] = []
      let bytes = 0
      const reader = (stream as ReadableStream<Uint8Array<ArrayBuffer>>).getReader()
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        parts.push(next.value)
        bytes += next.value.length
        setReceived(bytes)
      }
      const link = document.createElement('a')
      link.href = URL.createObjectURL(new Blob(parts, { type: 'text/csv' }))
      link.download = `orders-${new Date().toISOString().slice(0, 10)}.csv`
      link.click()
      setTimeout(() => URL.revokeObjectURL(link.href), 1_000)
      toast(words.exported)
    } catch (error) {
      toast((error as Error).message, { bad: true })
    } finally {
      setReceived(undefined)
    }
  }
  return (
    <Button icon={<Download />} busy={received !== undefined} onClick={download}>
      {received === undefined ? words.export : `${words.exporting} ${Math.round(received / 1024)} kB`}
    </Button>
  )
}

const OrdersPage = () => {
  const words = useOrderWords()
  const { controls } = useMessages()
  const title = useOrdersTitle()
  const { store, can } = useStore()
  const [, navigate] = useLocation()
  const [shipping, setShipping] = useState<{ orders: readonly Order[]; done: (failed: readonly Order[]) => void }>()
  const [changing, setChanging] = useState<{
    orders: readonly Order[]
    matching: Matching
    done: (failed: readonly Order[]) => void
  }>()

  const columns: Column<Order>[] = [
    {
      id: 'ref',
      label: words.order,
      cell: ({ ref, is_cancelled }) => (
        <>
          <Ltr>{ref}</Ltr> {is_cancelled && <Badge tone="bad">{words.cancelled}</Badge>}
        </>
      ),
      below: ({ customer_name, customer_email }) => <span dir="auto">{customer_name || customer_email}</span>,
    },
    {
      id: 'date',
      label: words.date,
      sort: 'date',
      wide: true,
      cell: ({ created_at }) => <When at={created_at} zone={store.time_zone} />,
    },
    {
      id: 'customer',
      label: words.customer,
      wide: true,
      cell: ({ customer_name, customer_email }) => (
        <span dir="auto">{customer_name || customer_email || words.noCustomer}</span>
      ),
    },
    {
      id: 'city',
      label: words.city,
      wide: true,
      optional: true,
      cell: ({ customer_city }) => <span dir="auto">{customer_city}</span>,
    },
    {
      id: 'payment',
      label: words.payment,
      sort: 'status',
      cell: ({ status }) => <Badge tone={STATUS_TONES[status]}>{words.status[status]}</Badge>,
    },
    {
      id: 'delivery',
      label: words.delivery,
      wide: true,
      cell: (order) => <DeliveryBadge order={order} />,
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

  const choices = <T extends Record<string, string>>(labels: T) =>
    Object.entries(labels).map(([value, label]) => ({ value, label }))

  return (
    <>
      <ListPage<Order>
        {...ORDERS}
        title={title}
        columns={columns}
        filters={[
          { id: 'status', label: words.payment, kind: 'choice', choices: choices(words.status) },
          { id: 'delivery_status', label: words.delivery, kind: 'choice', choices: choices(words.deliveryStatus) },
          {
            id: 'confirmation',
            label: words.desk.confirmation,
            kind: 'choice',
            choices: choices(words.confirmationState).map(({ value, label }) => ({ value, label: capital(label) })),
          },
          { id: 'level', label: words.desk.levelLabel, kind: 'choice', choices: choices(words.desk.level) },
          {
            id: 'is_cancelled',
            label: words.cancelled,
            kind: 'choice',
            choices: [
              { value: 'true', label: words.onlyCancelled },
              { value: 'false', label: words.notCancelled },
            ],
          },
          { id: 'from', label: words.since, kind: 'date' },
        ]}
        searchHint={words.searchHint}
        defaultSort={{ by: 'date', direction: 'DESC' }}
        views={[
          { name: words.views.all, query: '' },
          {
            name: words.views.unfulfilled,
            query: 'delivery_status=unfulfilled&exclude_status=abandoned&is_cancelled=false&is_archived=false',
          },
          { name: words.views.unpaid, query: 'is_archived=false&is_cancelled=false&status=pending' },
          { name: words.views.returns, query: 'return_status=unfulfilled,fulfilled,shipped' },
          { name: words.views.archived, query: 'is_archived=true' },
        ]}
        keyOf={({ id }) => id}
        nameOf={({ ref }) => ref}
        href={({ id }) => `/s/${store.id}/orders/${id}`}
        empty={{
          title: words.empty,
          help: words.emptyHelp,
          noMatch: words.noMatch,
          noMatchHelp: words.noMatchHelp,
          icon: <Package />,
        }}
        actions={
          <>
            {can('order:export') && <ExportButton />}
            {can('order:create') && (
              <CreateButton label={words.newOrder} onCreate={() => navigate(`/s/${store.id}/orders/new`)} />
            )}
          </>
        }
        bulk={(rows, select, matching) => (
          <>
            {can('order:update') && (
              <Button icon={<Truck className="pointing" />} onClick={() => setShipping({ orders: rows, done: select })}>
                {words.shipMany(rows.length)}
              </Button>
            )}
            {can('order:update') && (
              <Button onClick={() => setChanging({ orders: rows, matching, done: select })}>
                {controls.changeMany}
              </Button>
            )}
            <Button
              icon={<Printer />}
              onClick={() => {
                const match = new URLSearchParams(matching.query as Record<string, string>)
                const query = new URLSearchParams({ ids: rows.map(({ id }) => id).join(), match: String(match) })
                navigate(`/s/${store.id}/orders/print?${query}`)
              }}
            >
              {words.print}
            </Button>
          </>
        )}
      />
      {changing && <ChangeMany {...changing} onClose={() => setChanging(undefined)} />}
      {shipping && <ShipMany {...shipping} onClose={() => setShipping(undefined)} />}
    </>
  )
}

export default OrdersPage
