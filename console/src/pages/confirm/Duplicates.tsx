import { useState } from 'react'
import { useLocation } from 'wouter'
import { useStore } from '../../api/store.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useRenewOrder } from '../orders/actions.tsx'
import type { Order } from '../orders/labels.ts'
import { Duplicate, useDuplicate } from './SameCustomer.tsx'
import { useConfirmWords } from './words.ts'

/** On the page of an order: the other order that may be the same, and a button that makes one of both. */
const Duplicates = ({ order }: { order: Order }) => {
  const words = useConfirmWords()
  const { store } = useStore()
  const [, navigate] = useLocation()
  const toast = useToast()
  const renew = useRenewOrder()
  const { duplicate, older, newer, merge } = useDuplicate(order)
  const [isAsking, setAsking] = useState(false)
  if (!duplicate) return null
  return (
    <>
      <Duplicate order={order} other={duplicate} onMerge={() => setAsking(true)} />
      {isAsking && (
        <Confirm
          title={words.mergeAsk(newer.ref, older.ref)}
          act={words.merge}
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            await merge()
            toast(words.merged)
            await renew()
            navigate(`/s/${store.id}/orders/${older.id}`)
          }}
        >
          {words.mergeHelp}
        </Confirm>
      )}
    </>
  )
}

export default Duplicates
