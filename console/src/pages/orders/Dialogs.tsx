import { useStore } from '../../api/store.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { loadable } from '../../components/loadable.tsx'
import { useToast } from '../../components/Toast.tsx'
import { DeliveryDialog, RefundDialog, ReturnDialog, SplitDialog, useAttempt, useRenewOrder } from './actions.tsx'
import type { Delivery, Order } from './labels.ts'
import { useOrderWords } from './words.ts'

const ShipMany = loadable(() => import('./ShipMany.tsx'))
const ContactDialog = loadable(() => import('./ContactDialog.tsx'))
const LinesDialog = loadable(() => import('./LinesDialog.tsx'))

/** What somebody is about to do with the order. */
export type Act =
  | { kind: 'return' | 'refund' | 'cancel' | 'parcels' | 'contact' | 'lines' }
  | { kind: 'delivery' | 'split'; delivery: Delivery }
  /** A return has arrived: by the id of its delivery. */
  | { kind: 'receive'; delivery: string }

/** The dialog of the act. */
export const Dialogs = ({ order, act, onClose }: { order: Order; act: Act; onClose: () => void }) => {
  const words = useOrderWords()
  const { client } = useStore()
  const renew = useRenewOrder()
  const attempt = useAttempt()
  const toast = useToast()
  if (act.kind === 'receive')
    return (
      <Confirm
        title={words.desk.receiveAsk}
        act={words.desk.receive}
        onClose={onClose}
        onConfirm={async () => {
          await attempt(() => client.orders.updateDelivery(act.delivery, { status: 'delivered' }, { ifMatch: order }))
          toast(words.desk.received)
          await renew()
        }}
      >
        {words.desk.receiveHelp}
      </Confirm>
    )
  if (act.kind === 'delivery') return <DeliveryDialog order={order} delivery={act.delivery} onClose={onClose} />
  if (act.kind === 'parcels') return <ShipMany orders={[order]} done={() => {}} onClose={onClose} />
  if (act.kind === 'contact') return <ContactDialog order={order} onClose={onClose} />
  if (act.kind === 'lines') return <LinesDialog order={order} onClose={onClose} />
  if (act.kind === 'split') return <SplitDialog order={order} delivery={act.delivery} onClose={onClose} />
  if (act.kind === 'return') return <ReturnDialog order={order} onClose={onClose} />
  if (act.kind === 'refund') return <RefundDialog order={order} onClose={onClose} />
  return (
    <Confirm
      title={words.cancelAsk(order.ref)}
      act={words.cancelOrder}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await attempt(() => client.orders.update(order.id, { is_cancelled: true }, { ifMatch: order }))
        await renew()
      }}
    >
      {words.cancelHelp}
    </Confirm>
  )
}
