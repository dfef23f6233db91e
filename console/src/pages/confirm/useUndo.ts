import { useRef } from 'react'
import { useStore } from '../../api/store.tsx'
import { describeError } from '../../components/describe-error.ts'
import { useToast } from '../../components/Toast.tsx'
import { useMessages } from '../../messages/messages.ts'
import { useRenewOrder } from '../orders/actions.tsx'
import type { Order } from '../orders/labels.ts'
import { useOrderWords } from '../orders/words.ts'
import type { Result } from './dialogs.tsx'
import { useConfirmWords } from './words.ts'

interface Done {
  order: Order
  result: Result
}

/** Says what was recorded, and takes it back: then the order waits again, and is the one in hand. */
export const useUndo = (take: (order: string) => Promise<unknown>) => {
  const words = useConfirmWords()
  const messages = useMessages()
  const orders = useOrderWords()
  const { client } = useStore()
  const toast = useToast()
  const renew = useRenewOrder()
  const last = useRef<Done>(undefined)

  const undo = async (done: Done) => {
    const { order, result } = done
    if (last.current === done) last.current = undefined
    try {
      if (result.cancel) await client.orders.update(order.id, { is_cancelled: false })
      await client.orders.confirm(order.id, { result: 'waiting' })
    } catch (error) {
      last.current ??= done
      return toast(describeError(error, messages).message, { bad: true })
    }
    toast(words.undone(order.ref))
    void renew()
    await take(order.id)
  }

  return {
    done: (order: Order, result: Result) => {
      const done = { order, result }
      last.current = done
      toast(words.done[result.result](order.ref), {
        action: { label: orders.undo, run: () => undo(done) },
      })
    },
    undoLast: () => {
      if (last.current) void undo(last.current)
    },
  }
}
