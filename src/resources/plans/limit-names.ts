/** What a plan can limit. Storage is in bytes, orders are those of a month, calls those of a minute. */
export const LIMITS = ['products', 'orders', 'storage', 'people', 'apps', 'webhooks', 'calls'] as const
export type LimitName = (typeof LIMITS)[number]
/** A limit that is not there does not exist: the store may have any number. */
export type Limits = Partial<Record<LimitName, number>>
