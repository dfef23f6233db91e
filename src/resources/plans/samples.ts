import type { SeedContext, Seeded } from '../../../tests/support/samples.ts'
import { transact } from '../../core/storage/database.ts'
import { createPlan } from './manage-plans.ts'
import { choosePlan } from './switch-plan.ts'

/** A plan without limits, so that nothing else is refused. */
export const seed = async ({ api, known }: SeedContext) => {
  const plan = await createPlan(api.db, { name: `Plan of ${known.store ?? api.store.id}`, price: 10, currency: 'TND' })
  const { invoice_id } = await transact(api.db, (db) => choosePlan(db, api.config, api.store.id, plan.id))
  return { plan: { id: plan.id }, invoice: { id: invoice_id } }
}

export const samples = ({ plan, invoice }: Seeded) => [
  { route: 'GET /plan' },
  { route: 'POST /plan/switch', body: { plan_id: plan.id } },
  { route: 'GET /invoice' },
  { route: 'GET /invoice/:id', params: { id: invoice.id } },
  { route: 'POST /invoice/:id/pay', params: { id: invoice.id } },
]
