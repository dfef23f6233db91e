import { type Db, transact } from '../../core/storage/database.ts'
import type { Billing } from '../invoices/create-invoice.ts'
import { findPlan, type Plan, takeDueSubscription } from './queries.ts'
import { renew } from './rules.ts'
import { applySwitch, recordSwitch } from './switch-plan.ts'

/** Per run of the job, so that a long outage does not become one long run. */
const MAX_RENEWALS = 1_000

/**
 * Begins the next period of subscriptions whose period has ended, and invoices it, in one transaction each: a period is
 * invoiced once, whatever is killed when. After an outage, each period that was missed is invoiced.
 */
export const renewSubscriptions = async (db: Db, billing: Billing): Promise<number> => {
  let renewed = 0
  const renewOne = () =>
    transact(db, async (db) => {
      const due = await takeDueSubscription(db)
      if (!due) return false
      const { now: _, ...subscription } = due
      const store = due.store_id
      const plan = (await findPlan(db, due.next_plan_id ?? due.plan_id)) as Plan
      await applySwitch(db, billing, store, plan, renew(subscription, plan, due.next_plan_id !== null))
      if (due.next_plan_id) await recordSwitch(db, store, plan.id)
      return true
    })
  while (renewed < MAX_RENEWALS && (await renewOne())) renewed++
  return renewed
}
