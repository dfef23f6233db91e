import { ApiError } from '../../errors.ts'
import type { StoreId } from '../storage/store-id.ts'

/** Limits how many long replies of a kind a store may have at once, so that its stalled readers do not affect other stores. */
export const createStoreSlots = (most: number, kind: string) => {
  const open = new Map<StoreId, number>()
  /** Takes a slot. What it returns gives it back. */
  return (store: StoreId) => {
    const others = open.get(store) ?? 0
    if (others >= most)
      throw new ApiError('rate_limited', `${most} ${kind} of this store are already running.`, { retryAfter: 5 })
    open.set(store, others + 1)
    return () => {
      const left = (open.get(store) ?? 1) - 1
      if (left > 0) open.set(store, left)
      else open.delete(store)
    }
  }
}
