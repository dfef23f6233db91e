import { sql } from 'kysely'
import { thousandths } from '../../core/input/money.ts'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { invalid } from '../../errors.ts'
import { type Billing, createInvoice } from '../invoices/create-invoice.ts'
import { lockStore } from '../stores/queries.ts'
import type { LimitName } from './limit-names.ts'
import { planLimitError } from './limits.ts'
import { findPlan, findSubscription, lockSubscription, type Plan, writeSubscription } from './queries.ts'
import { roundTo, type Switch, subscribe, switchPlan } from './rules.ts'
import { countUse, forgetOrders } from './use.ts'

const refuseIfTooSmall = async (db: Tx, store: StoreId, { limits }: Plan) => {
  const exceeded: { name: LimitName; limit: number; used: number }[] = []
  for (const [name, limit] of Object.entries(limits) as [LimitName, number][]) {
    const used = await countUse(db, store, name)
    if (used > limit) exceeded.push({ name, limit, used })
  }
  if (exceeded.length > 0) throw planLimitError(exceeded)
}

/** Stores what was decided, and invoices what is to be paid for it. Returns the id of the invoice, if there is one. */
export const applySwitch = async (db: Tx, billing: Billing, store: StoreId, plan: Plan, decided: Switch) => {
  const { subscription, effectiveAt, lines } = decided
  await writeSubscription(db, subscription)
  if (subscription.plan_id === plan.id && plan.limits.orders === undefined) await forgetOrders(db, store)
  return createInvoice(db, billing, {
    store,
    lines,
    currency: plan.currency,
    round: (amount) => roundTo(plan.currency, amount),
    from: effectiveAt,
    to: subscription.period_end,
  })
}

export const recordSwitch = (db: Tx, store: StoreId, plan: string) =>
  db
    .insertInto('change')
    .values({ store_id: store, kind: 'plan', resource_id: plan, op: 'n', action: 'switched' })
    .execute()

/** Switches a store to a plan, at once or at the end of its period. Returns what that means. */
export const choosePlan = async (
  db: Tx,
  billing: Billing,
  store: StoreId,
  planId: string,
  { onlyOffered = true }: { onlyOffered?: boolean } = {},
) => {
  const plan = await findPlan(db, planId)
  if (!plan || (onlyOffered && !plan.is_offered)) throw invalid({ plan_id: ['must be the id of a plan on offer'] })
  // Two first subscriptions of a store must not race: there is no row to lock yet.
  await lockStore(db, store)
  const current = await lockSubscription(db, store)
  await refuseIfTooSmall(db, store, plan)
  const { now } = (await sql<{ now: Date }>`select now() as now`.execute(db)).rows[0] as { now: Date }
  const subscription = current && (await findSubscription(db, store))
  const decided = subscription ? switchPlan(subscription, current as Plan, plan, now) : subscribe(store, plan, now)
  const invoice = await applySwitch(db, billing, store, plan, decided)
  if (decided.subscription.plan_id !== subscription?.plan_id) await recordSwitch(db, store, plan.id)
  const amount = decided.lines.reduce((sum, line) => sum + thousandths(line.amount), 0n)
  return {
    plan_id: plan.id,
    effective_at: decided.effectiveAt.toISOString(),
    amount: Number(amount) / 1000,
    currency: plan.currency,
    invoice_id: invoice ?? null,
  }
}
