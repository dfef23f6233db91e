import { Archive, Ellipsis, Undo2, Wallet, X } from 'lucide-react'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { describeError } from '../../components/describe-error.ts'
import { Menu, MenuItem, MenuLine } from '../../components/Menu.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useMessages } from '../../messages/messages.ts'
import { useAttempt, useRenewOrder } from './actions.tsx'
import type { Act } from './Dialogs.tsx'
import type { Order } from './labels.ts'
import { useOrderWords } from './words.ts'

/** What can be done with the whole order. */
export const OrderMenu = ({ order, onAct }: { order: Order; onAct: (act: Act) => void }) => {
  const messages = useMessages()
  const words = useOrderWords()
  const { controls } = messages
  const { client } = useStore()
  const renew = useRenewOrder()
  const attempt = useAttempt()
  const toast = useToast()
  type Changes = Parameters<typeof client.orders.update>[1]
  const change = async (changes: Changes, done: string, undo?: { changes: Changes; done: string }, from = order) => {
    try {
      const saved = await attempt(() => client.orders.update(order.id, changes, { ifMatch: from }))
      await renew()
      const revert = () => undo && change(undo.changes, undo.done, undefined, saved)
      toast(done, undo && { action: { label: words.undo, run: revert } })
    } catch (error) {
      toast(describeError(error, messages).message, { bad: true })
    }
  }
  return (
    <Menu trigger={<Button icon={<Ellipsis />} aria-label={controls.more} />}>
      {order.status !== 'paid' && (
        <MenuItem
          icon={<Wallet />}
          onSelect={() =>
            change({ status: 'paid' }, words.markedPaid, {
              changes: { status: order.status },
              done: words.markedUnpaid,
            })
          }
        >
          {words.markPaid}
        </MenuItem>
      )}
      <MenuItem icon={<Undo2 />} onSelect={() => onAct({ kind: 'return' })}>
        {words.return}
      </MenuItem>
      <MenuItem icon={<Wallet />} onSelect={() => onAct({ kind: 'refund' })}>
        {words.refund}
      </MenuItem>
      <MenuLine />
      <MenuItem
        icon={<Archive />}
        onSelect={() =>
          order.is_archived
            ? change({ is_archived: false }, words.unarchiveDone)
            : change({ is_archived: true }, words.archiveDone, {
                changes: { is_archived: false },
                done: words.unarchiveDone,
              })
        }
      >
        {order.is_archived ? words.unarchive : words.archive}
      </MenuItem>
      {order.is_cancelled ? (
        <MenuItem icon={<X />} onSelect={() => change({ is_cancelled: false }, words.uncancelDone)}>
          {words.uncancel}
        </MenuItem>
      ) : (
        <MenuItem icon={<X />} danger onSelect={() => onAct({ kind: 'cancel' })}>
          {words.cancelOrder}
        </MenuItem>
      )}
    </Menu>
  )
}
