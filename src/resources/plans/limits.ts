import type { FastifyRequest } from 'fastify'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { ApiError } from '../../errors.ts'
import type { LimitName, Limits } from './limit-names.ts'
import { lockSubscription } from './queries.ts'
import { countUse, recordOrders } from './use.ts'

/** A store, and the limits of its plan as the access check found them. */
export interface Tenant {
  store: StoreId
  limits: Limits | undefined
}

export const tenantOf = ({ store, caller }: FastifyRequest): Tenant => ({ store, limits: caller.installation?.limits })

const WORDS: Record<LimitName, string> = {
  products: 'products',
  orders: 'orders a month',
  storage: 'bytes of storage',
  people: 'people',
  apps: 'apps',
  webhooks: 'webhooks',
  calls: 'calls a minute',
}

export const planLimitError = (exceeded: readonly { name: LimitName; limit: number; used: number }[]) => {
  const sentences = exceeded.map(
    ({ name, limit, used }) => `The plan allows ${limit} ${WORDS[name]}, and ${used} are in use.`,
  )
  const fields = exceeded.map(({ name, limit, used }) => [name, [`limit: ${limit}`, `used: ${used}`]])
  return new ApiError('plan_limit', sentences.join(' '), { fields: Object.fromEntries(fields) })
}

const NEAR = 0.8

/** Tells the apps of the store that a limit is near or reached, at the moment when it is. */
const announce = async (
  db: Tx,
  store: StoreId,
  plan: string,
  name: LimitName,
  limit: number,
  use: [number, number],
) => {
  const [before, after] = use
  const crosses = (mark: number) => before < mark && after >= mark
  const action = crosses(limit) ? 'limit_reached' : crosses(limit * NEAR) ? 'limit_near' : undefined
  if (!action) return
  await db
    .insertInto('change')
    .values({ store_id: store, kind: 'plan', resource_id: plan, op: 'u', action, changed: [name] })
    .execute()
}

/**
 * Refuses what the plan of the store has no room for. The creations of a store whose plan has this limit wait for each
 * other, so that it holds exactly.
 */
export const takeRoom = async (
  db: Tx,
  store: StoreId,
  name: LimitName,
  countAdded: () => Promise<number> | number = () => 1,
): Promise<void> => {
  const plan = await lockSubscription(db, store)
  const limit = plan?.limits[name]
  if (plan === undefined || limit === undefined) return
  const added = await countAdded()
  const used = await countUse(db, store, name)
  if (added > 0 && used + added > limit) throw planLimitError([{ name, limit, used }])
  if (name === 'orders') await recordOrders(db, store, used + added)
  await announce(db, store, plan.id, name, limit, [used, used + added])
}

/** The same for requests of apps. It costs nothing if the plan has no such limit, as the access check found it. */
export const requireRoom = async (
  db: Tx,
  { store, limits }: Tenant,
  name: LimitName,
  countAdded?: () => Promise<number> | number,
): Promise<void> => {
  if (limits?.[name] !== undefined) await takeRoom(db, store, name, countAdded)
}
