import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useStore } from '../../api/store.tsx'
import type { useClaim } from './useClaim.ts'

const LOOK_MS = 3_000

/** The orders that other people have in hand now. As soon as one of them is free, whoever waits for an order asks again. */
export const useClaims = ({ order, hasPassed, take }: ReturnType<typeof useClaim>) => {
  const { store, client, can } = useStore()
  const { data } = useQuery({
    queryKey: [store.id, 'claims'],
    enabled: can('order:view'),
    queryFn: ({ signal }) => client.orders.listClaims({ signal }),
    refetchInterval: LOOK_MS,
  })
  const others = data?.filter(({ is_own }) => !is_own) ?? []
  const held = others.map(({ order_id }) => order_id).join()
  const before = useRef('')
  const isWaiting = order === null && !hasPassed
  useEffect(() => {
    const isFreed = before.current.split(',').some((id) => id !== '' && !held.includes(id))
    before.current = held
    if (isFreed && isWaiting) void take()
  }, [held, isWaiting, take])
  return others
}
