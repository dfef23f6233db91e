import type { Static } from 'typebox'
import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { LimitName } from './limit-names.ts'
import { findSubscription, listPlans, type Plan, type Subscription } from './queries.ts'
import type { PlanSchema, SubscriptionSchema } from './schema.ts'
import { countUse } from './use.ts'

export const planObject = ({ price, ...plan }: Plan): Static<typeof PlanSchema> => ({ ...plan, price: Number(price) })

const subscriptionObject = (subscription: Subscription): Static<typeof SubscriptionSchema> => ({
  plan_id: subscription.plan_id,
  period_start: subscription.period_start.toISOString(),
  period_end: subscription.period_end.toISOString(),
  next_plan_id: subscription.next_plan_id,
})

export const readUse = async (db: Db, store: StoreId, plan: Plan | undefined) => {
  const use: Partial<Record<LimitName, { used: number; limit: number }>> = {}
  for (const [name, limit] of Object.entries(plan?.limits ?? {}) as [LimitName, number][])
    if (name !== 'calls') use[name] = { used: await countUse(db, store, name), limit }
  return use
}

/** What `GET /plan` shows: the plans on offer and the one that the store has, and what it uses of it. */
export const readPlans = async (db: Db, store: StoreId) => {
  const [plans, subscription] = [await listPlans(db), await findSubscription(db, store)]
  const own = plans.find(({ id }) => id === subscription?.plan_id)
  return {
    plans: plans.filter(({ is_offered, id }) => is_offered || id === own?.id).map(planObject),
    subscription: subscription ? subscriptionObject(subscription) : null,
    use: await readUse(db, store, own),
  }
}
