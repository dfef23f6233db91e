import type { Resource } from '../http/resource.ts'
import type { Db } from '../storage/database.ts'
import { customerRoutes } from './routes.ts'

export const customers: Resource<{ db: Db }> = {
  heading: 'Customers',
  description: 'Customers of the store, with their order count and amount spent.',
  routes: customerRoutes,
  examples: {
    queries: { listCustomers: 'order_by=order_count&page_size=1' },
    bodies: () => ({
      createCustomer: {
        email: 'amina@example.com',
        name: 'Amina Ben Salah',
        phone: '+216 20 123 456',
        city: 'Tunis',
        country_id: 'TN',
        subscription_status: 'subscribed',
      },
      updateCustomer: { city: 'Sfax', subscription_status: 'not_subscribed' },
    }),
  },
}
