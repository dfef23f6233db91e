import type { Config } from '../../config/config.ts'
import type { Resource } from '../../core/http/resource.ts'
import type { Db } from '../../core/storage/database.ts'
import { planRoutes } from './routes.ts'

const ID = '0192f0c1-4b20-7d11-8a0e-3c5b9e7d4f77'
const INVOICE = '0192f0c1-4b20-7d11-8a0e-3c5b9e7d4f78'

const PLAN = {
  id: ID,
  name: 'Pro',
  price: 49,
  currency: 'TND',
  period: 'month',
  limits: { products: 5000, people: 10 },
  is_offered: true,
}

const SUBSCRIPTION = {
  plan_id: ID,
  period_start: '2026-11-01T09:30:12.482Z',
  period_end: '2026-12-01T09:30:12.482Z',
  next_plan_id: null,
}

const SWITCH = {
  plan_id: ID,
  effective_at: '2026-11-16T09:30:12.482Z',
  amount: 24.5,
  currency: 'TND',
  invoice_id: INVOICE,
}

export const plans: Resource<{ db: Db; config: Config }> = {
  heading: 'Plans and invoices',
  description: 'The plan of the store, its limits, and the invoices for it. Without any plan, nothing is limited.',
  routes: planRoutes,
  // Events of plans have no data: a plan is not of a store.
  kinds: { plan: { render: async () => new Map() } },
  events: { plan: { permission: undefined, actions: ['switched', 'limit_near', 'limit_reached'] } },
  examples: {
    bodies: () => ({ switchPlan: { plan_id: ID } }),
    replies: () => ({
      listPlans: {
        data: { plans: [PLAN], subscription: SUBSCRIPTION, use: { products: { used: 480, limit: 5000 } } },
      },
      switchPlan: { data: { plan_switch: SWITCH } },
    }),
    schemas: () => ({ Plan: PLAN, Subscription: SUBSCRIPTION, PlanSwitch: SWITCH }),
  },
}
