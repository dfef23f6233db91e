import type { Json } from '../record.ts'

/** An order as a client last saw it: enough to choose a next write. */
export interface KnownOrder {
  id: string
  lines: { id: string; quantity: number }[]
  deliveries: string[]
  refunds: string[]
}

interface Version {
  etag: string
  /** The write that was answered with it. */
  from: number
}

/** What the clients of a run know together. */
export const createPool = () => ({
  customers: [] as string[],
  products: [] as { id: string; variants: string[] }[],
  orders: [] as KnownOrder[],
  plain: {} as Record<string, string[]>,
  carriers: [] as string[],
  versions: new Map<string, Version>(),
})

export type Pool = ReturnType<typeof createPool>

const RECENT = 40

/** The newest ones, so that writes meet. */
export const recent = <T>(list: readonly T[]): readonly T[] => list.slice(-RECENT)

export const knownOrder = (order: Json): KnownOrder => ({
  id: order.id,
  lines: order.variants.map(({ id, quantity }: Json) => ({ id, quantity })),
  deliveries: order.deliveries.map(({ id }: Json) => id),
  refunds: order.refunds.map(({ id }: Json) => id),
})
