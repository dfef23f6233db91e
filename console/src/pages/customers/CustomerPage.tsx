import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Ellipsis, Pencil, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { ApiError } from '../../../../client/src/errors.ts'
import { useStore } from '../../api/store.tsx'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { Empty } from '../../components/Empty.tsx'
import { CheckField } from '../../components/Field.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Menu, MenuItem } from '../../components/Menu.tsx'
import { Money } from '../../components/Money.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import { Table } from '../../components/Table.tsx'
import { useToast } from '../../components/Toast.tsx'
import { UnreadPage } from '../../components/UnreadPage.tsx'
import { When } from '../../components/When.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import { DeliveryBadge } from '../orders/DeliveryBadge.tsx'
import { type Order, STATUS_TONES } from '../orders/labels.ts'
import { dialled } from '../orders/phone-links.ts'
import { useOrdersTitle } from '../orders/title.ts'
import { useOrderWords } from '../orders/words.ts'
import { type Customer, CustomerForm } from './CustomerForm.tsx'
import styles from './CustomerPage.module.css'
import { useCustomersTitle } from './title.ts'
import { useCustomerWords } from './words.ts'

const SHOWN_ORDERS = 10

const useOrdersOf = (id: string, enabled: boolean) => {
  const { store, client } = useStore()
  return useQuery({
    queryKey: [store.id, 'orders', 'of-customer', id],
    enabled,
    queryFn: async ({ signal }) => {
      const count = async (delivery_status: 'delivered' | 'cancelled') =>
        (await client.orders.list({ customer_id: id, delivery_status: [delivery_status], page_size: 1 }, { signal }))
          .pagination.total ?? 0
      const [{ orders, pagination }, delivered, failed] = await Promise.all([
        client.orders.list({ customer_id: id, page_size: SHOWN_ORDERS }, { signal }),
        count('delivered'),
        count('cancelled'),
      ])
      return { orders, total: pagination.total ?? 0, delivered, failed }
    },
  })
}

const Figure = ({ label, value, note, href }: { label: string; value: ReactNode; note?: string; href?: string }) => {
  const content = (
    <>
      <span className={styles.label}>{label}</span>
      <strong>{value}</strong>
      {note && <small>{note}</small>}
    </>
  )
  return href ? <Link href={href}>{content}</Link> : <div>{content}</div>
}

const Orders = ({ orders }: { orders: readonly Order[] }) => {
  const words = useOrderWords()
  const customers = useCustomerWords()
  const ordersTitle = useOrdersTitle()
  const { store } = useStore()
  if (orders.length === 0) return <p className={styles.none}>{customers.noOrders}</p>
  return (
    <Table<Order>
      caption={ordersTitle}
      rows={orders}
      keyOf={({ id }) => id}
      nameOf={({ ref }) => ref}
      href={({ id }) => `/s/${store.id}/orders/${id}`}
      columns={[
        { id: 'ref', label: words.order, cell: ({ ref }) => <Ltr>{ref}</Ltr> },
        {
          id: 'date',
          label: words.date,
          wide: true,
          cell: ({ created_at }) => <When at={created_at} zone={store.time_zone} />,
        },
        {
          id: 'payment',
          label: words.payment,
          cell: ({ status, is_cancelled }) => (
            <>
              <Badge tone={STATUS_TONES[status]}>{words.status[status]}</Badge>{' '}
              {is_cancelled && <Badge tone="bad">{words.cancelled}</Badge>}
            </>
          ),
        },
        {
          id: 'delivery',
          label: words.delivery,
          wide: true,
          cell: (order) => <DeliveryBadge order={order} />,
        },
        {
          id: 'total',
          label: words.total,
          align: 'end',
          cell: ({ total, currency }) => <Money amount={total} currency={currency} />,
        },
      ]}
    />
  )
}

const Contact = ({ customer }: { customer: Customer }) => {
  const words = useCustomerWords()
  const { controls } = useMessages()
  const { email, phone, address, postal_code, city, country, subscription_status } = customer
  const lines = [address, [postal_code, city].filter(Boolean).join(' '), country?.name].filter(Boolean)
  return (
    <section className={styles.section}>
      <h2>{words.contact}</h2>
      <div className={styles.person}>
        <a href={`mailto:${email}`}>
          <Ltr>{email}</Ltr>
        </a>
        {phone && (
          <a href={dialled(phone)}>
            <Ltr>{phone}</Ltr>
          </a>
        )}
      </div>
      {lines.length > 0 && (
        <address className={styles.person}>
          {lines.map((line) => (
            <bdi key={line}>{line}</bdi>
          ))}
        </address>
      )}
      <p className={styles.label}>
        {controls.labelled(
          words.newsletter,
          subscription_status === 'subscribed' ? words.subscribed : words.notSubscribed,
        )}
      </p>
    </section>
  )
}

const DeleteCustomer = ({ customer, onClose }: { customer: Customer; onClose: () => void }) => {
  const words = useCustomerWords()
  const { store, client } = useStore()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const toast = useToast()
  const [erase, setErase] = useState(false)
  return (
    <Confirm
      title={words.delete}
      act={words.delete}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await client.customers.delete(customer.id, { erase }, { ifMatch: customer })
        navigate(`/s/${store.id}/customers`)
        queries.removeQueries({ queryKey: [store.id, 'customers', 'one', customer.id] })
        await queries.invalidateQueries({ queryKey: [store.id] })
        toast(words.deleted)
      }}
      more={
        <>
          <CheckField label={words.erase} checked={erase} onChange={setErase} />
          <p className={styles.label}>{words.eraseHelp}</p>
        </>
      }
    >
      {words.deleteHelp(customer.order_count)}
    </Confirm>
  )
}

const CustomerPage = () => {
  const { id = '' } = useParams<{ id: string }>()
  const words = useCustomerWords()
  const { controls } = useMessages()
  const title = useCustomersTitle()
  const { locale } = useWords()
  const { store, client, can } = useStore()
  const [act, setAct] = useState<'edit' | 'delete'>()
  const asked = useQuery({
    queryKey: [store.id, 'customers', 'one', id],
    queryFn: ({ signal }) => client.customers.get(id, { signal }),
  })
  const { data: customer, error } = asked
  const maySeeOrders = can('order:view')
  const { data: placed, error: ordersError } = useOrdersOf(id, maySeeOrders)
  const back = { href: `/s/${store.id}/customers`, label: title }
  if (!customer) {
    if (error instanceof ApiError && error.status === 404)
      return (
        <Empty isPage title={controls.notFound}>
          {controls.notFoundHelp}
        </Empty>
      )
    return <UnreadPage title={words.customer} back={back} query={asked} />
  }
  const number = (value: number) => numberFormat(locale).format(value)
  const ended = placed ? placed.delivered + placed.failed : 0
  const orders = maySeeOrders ? `/s/${store.id}/orders?customer_id=${id}` : undefined
  return (
    <Page
      title={<bdi>{customer.name || customer.email}</bdi>}
      name={customer.name || customer.email}
      back={back}
      badges={customer.subscription_status === 'subscribed' && <Badge tone="accent">{words.subscribed}</Badge>}
      actions={
        <>
          {can('customer:delete') && (
            <Menu trigger={<Button icon={<Ellipsis />} aria-label={controls.more} />}>
              <MenuItem icon={<Trash2 />} danger onSelect={() => setAct('delete')}>
                {words.delete}
              </MenuItem>
            </Menu>
          )}
          {can('customer:update') && (
            <Button icon={<Pencil />} onClick={() => setAct('edit')}>
              {controls.edit}
            </Button>
          )}
        </>
      }
    >
      <div className={styles.columns}>
        <Surface>
          <div className={styles.figures}>
            <Figure label={words.orders} value={number(customer.order_count)} {...(orders && { href: orders })} />
            <Figure
              label={words.spent}
              value={<Money amount={customer.amount_spent} currency={store.currency} />}
              {...(orders && { href: `${orders}&status=paid` })}
            />
            {placed && (
              <Figure
                label={words.success}
                value={
                  ended > 0
                    ? numberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }).format(
                        placed.delivered / ended,
                      )
                    : '–'
                }
                note={ended > 0 ? words.successOf(number(placed.delivered), number(ended)) : words.noDeliveries}
                href={`${orders}&delivery_status=delivered,cancelled`}
              />
            )}
            <Figure label={words.since} value={<When at={customer.created_at} zone={store.time_zone} day />} />
          </div>
          <Problem error={ordersError ?? undefined} />
          {placed && <Orders orders={placed.orders} />}
          {placed && placed.total > SHOWN_ORDERS && orders && (
            <p className={styles.none}>
              <Link href={orders}>
                {words.allOrders} ({number(placed.total)})
              </Link>
            </p>
          )}
        </Surface>
        <Surface>
          <Contact customer={customer} />
        </Surface>
      </div>
      {act === 'edit' && <CustomerForm customer={customer} onClose={() => setAct(undefined)} />}
      {act === 'delete' && <DeleteCustomer customer={customer} onClose={() => setAct(undefined)} />}
    </Page>
  )
}

export default CustomerPage
