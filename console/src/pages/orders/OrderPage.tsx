import { useQuery } from '@tanstack/react-query'
import { Printer, Truck } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { ApiError } from '../../../../client/src/errors.ts'
import { useStore } from '../../api/store.tsx'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { describeError } from '../../components/describe-error.ts'
import { Empty } from '../../components/Empty.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { loadable } from '../../components/loadable.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { usePageKeys } from '../../components/page-keys.ts'
import { useToast } from '../../components/Toast.tsx'
import { UnreadPage } from '../../components/UnreadPage.tsx'
import { useHotkeys } from '../../components/useHotkeys.ts'
import { When } from '../../components/When.tsx'
import { useMessages } from '../../messages/messages.ts'
import { Amounts, Returns } from './Amounts.tsx'
import { useAttempt, useRenewOrder } from './actions.tsx'
import { Customer } from './Customer.tsx'
import { Deliveries } from './Deliveries.tsx'
import { type Act, Dialogs } from './Dialogs.tsx'
import { History } from './History.tsx'
import { type Delivery, isPartlyShipped, mayEditContact, openDeliveries, STATUS_TONES } from './labels.ts'
import { OrderMenu } from './OrderMenu.tsx'
import styles from './OrderPage.module.css'
import { SignalLine } from './Signals.tsx'
import { useOrdersTitle } from './title.ts'
import { useOrderWords } from './words.ts'

const Duplicates = loadable(() => import('../confirm/Duplicates.tsx'))

const OrderPage = () => {
  const { id = '' } = useParams<{ id: string }>()
  const messages = useMessages()
  const words = useOrderWords()
  const { controls } = messages
  const title = useOrdersTitle()
  const { store, client, can } = useStore()
  const [, navigate] = useLocation()
  const [act, setAct] = useState<Act>()
  const renew = useRenewOrder()
  const attempt = useAttempt()
  const toast = useToast()
  const asked = useQuery({
    queryKey: [store.id, 'orders', 'one', id],
    queryFn: ({ signal }) => client.orders.get(id, { signal }),
    refetchInterval: 30_000,
  })
  const { data: order, error } = asked
  const mayUpdate = can('order:update')
  const editContact = mayUpdate && order && mayEditContact(order) ? () => setAct({ kind: 'contact' }) : undefined
  useHotkeys({ e: () => editContact?.() })
  usePageKeys(editContact ? [['e', controls.labelled(controls.edit, words.customer)]] : [])
  const back = { href: `/s/${store.id}/orders`, label: title }
  if (!order) {
    if (error instanceof ApiError && error.status === 404)
      return (
        <Empty isPage title={controls.notFound}>
          {controls.notFoundHelp}
        </Empty>
      )
    return <UnreadPage title={words.order} back={back} query={asked} />
  }

  const open = openDeliveries(order)
  const [first] = open
  const setDelivery = async (
    { id }: Delivery,
    status: Delivery['status'],
    done: string,
    undo?: { status: Delivery['status']; done: string },
    from: object = order,
  ) => {
    try {
      const delivery = await attempt(() => client.orders.updateDelivery(id, { status }, { ifMatch: from }))
      const revert = () => undo && setDelivery(delivery, undo.status, undo.done, undefined, delivery)
      toast(done, undo && { action: { label: words.undo, run: revert } })
    } catch (error) {
      toast(describeError(error, messages).message, { bad: true })
    }
    await renew()
  }
  const setRefund = async (id: string, status: 'refunded' | 'pending', from: object = order) => {
    try {
      const refund = await attempt(() => client.orders.updateRefund(id, { status }, { ifMatch: from }))
      if (status === 'pending') toast(words.refundStatus.pending)
      else toast(words.refunded, { action: { label: words.undo, run: () => void setRefund(id, 'pending', refund) } })
    } catch (error) {
      toast(describeError(error, messages).message, { bad: true })
    }
    await renew()
  }
  const badges: ReactNode = (
    <>
      {order.is_cancelled && <Badge tone="bad">{words.cancelled}</Badge>}
      <Badge tone={STATUS_TONES[order.status]}>{words.status[order.status]}</Badge>
      {isPartlyShipped(order) && <Badge tone="warn">{words.partlyShipped}</Badge>}
      {order.is_archived && <Badge>{words.archived}</Badge>}
    </>
  )
  return (
    <Page
      title={<Ltr>{order.ref}</Ltr>}
      name={order.ref}
      back={back}
      badges={badges}
      actions={
        <>
          <Button icon={<Printer />} onClick={() => navigate(`/s/${store.id}/orders/print?ids=${order.id}`)}>
            {words.print}
          </Button>
          {mayUpdate && <OrderMenu order={order} onAct={setAct} />}
          {mayUpdate && first && (
            <Button
              kind="primary"
              icon={<Truck className="pointing" />}
              onClick={() => setAct(open.length > 1 ? { kind: 'parcels' } : { kind: 'delivery', delivery: first })}
            >
              {open.length > 1 ? words.shipParcels(open.length) : words.ship}
            </Button>
          )}
        </>
      }
    >
      <p className={styles.date}>
        <When at={order.created_at} zone={store.time_zone} /> · {words.count(order.quantity)}
      </p>
      <SignalLine order={order} />
      <div className={styles.columns}>
        <Surface>
          {mayUpdate && <Duplicates order={order} />}
          <Deliveries
            order={order}
            onAct={setAct}
            onDelivered={(delivery) =>
              setDelivery(delivery, 'delivered', words.desk.markedDelivered, {
                status: 'shipped',
                done: words.desk.markedShipped,
              })
            }
          />
          <Amounts order={order} />
          <Returns
            order={order}
            onReceived={(delivery) => setAct({ kind: 'receive', delivery })}
            onRefunded={(id) => setRefund(id, 'refunded')}
          />
        </Surface>
        <Surface>
          <Customer order={order} onEdit={editContact} />
          <History order={order} />
        </Surface>
      </div>
      {act && <Dialogs order={order} act={act} onClose={() => setAct(undefined)} />}
    </Page>
  )
}

export default OrderPage
