import { useCallback, useEffect, useRef, useState } from 'react'
import { useStore } from '../../api/store.tsx'
import type { Order } from '../orders/labels.ts'

/** A claim lasts three minutes. */
const RENEW_MS = 60_000
const LOOK_AGAIN_MS = 20_000

const MAX_PASSED = 500

export const isWaiting = ({ confirmation, is_cancelled, is_archived }: Order) =>
  !is_cancelled && !is_archived && ['waiting', 'no_answer', 'postponed'].includes(confirmation?.state ?? '')

interface Claimed {
  /** Undefined until the first reply; null if no order is left. */
  order?: Order | null
  /** Somebody has handled the order meanwhile, or has it now. */
  isLost?: boolean
  error?: unknown
}

let last: Promise<unknown> = Promise.resolve()

/** One after the other, of all visits of the page: a late renewal or release would undo what was taken since. */
const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
  const turn = last.then(act, act)
  last = turn.catch(() => {})
  return turn
}

/**
 * The order in hand, which nobody else gets as long as the page is open. A person has one order at a time, so of several tabs only
 * the one that was opened last has it.
 */
export const useClaim = () => {
  const { store, client } = useStore()
  const [claimed, setClaimed] = useState<Claimed>({})
  const [busy, setBusy] = useState(true)
  const [isElsewhere, setElsewhere] = useState(false)
  const isOpen = useRef(true)
  const tabs = useRef<BroadcastChannel>(undefined)
  const passed = useRef<string[]>([])

  /** Takes the named order if it still waits, else the most urgent one. */
  const take = useCallback(
    (named?: string) =>
      inTurn(async () => {
        if (!isOpen.current) return
        setBusy(true)
        try {
          const kept = named ? await client.orders.claim({ order_id: named }) : null
          const order = kept && isWaiting(kept) ? kept : await client.orders.claim({ exclude: passed.current })
          if (isOpen.current) setClaimed({ order })
        } catch (error) {
          if (isOpen.current) setClaimed({ error })
        }
        setBusy(false)
      }),
    [client],
  )

  const takeHere = useCallback(() => {
    isOpen.current = true
    setElsewhere(false)
    tabs.current?.postMessage('opened')
    return take()
  }, [take])

  useEffect(() => {
    const channel = new BroadcastChannel(`confirm ${store.id}`)
    tabs.current = channel
    channel.onmessage = () => {
      isOpen.current = false
      setElsewhere(true)
      setClaimed({})
    }
    void takeHere()
    return () => channel.close()
  }, [takeHere, store.id])

  const { order, isLost } = claimed
  const id = order?.id
  const inHand = useRef<string>(undefined)
  inHand.current = id
  // Who leaves the page gives the order back. If that fails, it is free after three minutes.
  useEffect(
    () => () => {
      void inTurn(async () => inHand.current && client.orders.claim({ order_id: inHand.current, release: true })).catch(
        () => {},
      )
    },
    [client],
  )
  useEffect(() => {
    if (!id || isLost) return
    const renew = async () => {
      const newest = await client.orders.claim({ order_id: id })
      setClaimed((shown) => {
        if (shown.order?.id !== id) return shown
        return newest && isWaiting(newest) ? { order: newest } : { ...shown, isLost: true }
      })
    }
    // If a renewal fails, the next one or the person's own act says so.
    const timer = setInterval(() => void inTurn(renew).catch(() => {}), RENEW_MS)
    return () => clearInterval(timer)
  }, [id, isLost, client])

  const isEmpty = order === null
  useEffect(() => {
    if (!isEmpty) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void take()
    }, LOOK_AGAIN_MS)
    return () => clearInterval(timer)
  }, [isEmpty, take])

  return {
    ...claimed,
    busy,
    take,
    /** Another tab was opened after this one. */
    isElsewhere,
    takeHere,
    show: (order: Order) => setClaimed({ order }),
    hasPassed: passed.current.length > 0,
    /** Leaves the order for later. */
    pass: () => {
      if (id) passed.current = [...passed.current.slice(1 - MAX_PASSED), id]
      return take()
    },
    /** Takes the order that was left last, if nobody else has it now. */
    goBack: () => take(passed.current.pop()),
    again: () => {
      passed.current = []
      return take()
    },
  }
}
