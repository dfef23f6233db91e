import type { Resource } from '../../core/http/resource.ts'
import type { Db } from '../../core/storage/database.ts'
import { paymentMethodRoutes } from './routes.ts'
import { paymentMethodKind } from './text.ts'

export const paymentMethods: Resource<{ db: Db }> = {
  heading: 'Payment methods',
  description: 'How orders of the store are paid.',
  routes: paymentMethodRoutes,
  kinds: { payment_method: paymentMethodKind },
  events: { payment_method: { permission: 'payment_method:view', snapshot: { table: 'payment_method', order: 40 } } },
  examples: {
    bodies: () => ({ updatePaymentMethod: { name: 'Cash on delivery', status: 'active', payment_types: ['cod'] } }),
  },
}
