import type { Resource } from '../http/resource.ts'
import type { Db } from '../storage/database.ts'
import { domainRoutes } from './routes.ts'

export const domains: Resource<{ db: Db }> = {
  heading: 'Domains',
  description: 'Host names of the storefront. Links of orders and landing pages use the primary one.',
  routes: domainRoutes,
  examples: {
    bodies: () => ({ createDomain: { host: 'winter.dar-yasmine.example' }, updateDomain: { is_primary: true } }),
  },
}
