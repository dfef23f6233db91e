import type { Resource } from '../../core/http/resource.ts'
import type { Db } from '../../core/storage/database.ts'
import { customerBulk } from './bulk.ts'
import { customerRoutes } from './routes.ts'
import { customerKind } from './text.ts'

export const customers: Resource<{ db: Db }> = {
  heading: 'Customers',
  description: 'Customers of the store, with their order count and amount spent.',
  routes: customerRoutes,
  kinds: { customer: customerKind },
  events: { customer: { permission: 'customer:view', snapshot: { table: 'customer', order: 80 } } },
  bulk: { customer: customerBulk },
  examples: {
    queries: { listCustomers: 'order_by=order_count&page_size=1' },
    bodies: () => ({
      createCustomer: {
        email: 'yasmine@example.com',
        name: 'Yasmine Trabelsi',
        phone: '+216 20 765 432',
        city: 'Tunis',
        country_id: 'TN',
        subscription_status: 'subscribed',
      },
      updateCustomer: { city: 'Sfax', subscription_status: 'not_subscribed' },
    }),
  },
}
