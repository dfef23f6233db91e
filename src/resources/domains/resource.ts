import type { Resource } from '../../core/http/resource.ts'
import type { Db } from '../../core/storage/database.ts'
import { storeDomainKind } from '../stores/text.ts'
import { domainRoutes } from './routes.ts'
import { domainKind } from './text.ts'

export const domains: Resource<{ db: Db }> = {
  heading: 'Domains',
  description: 'Host names of the storefront. Links of orders and landing pages use the primary one.',
  routes: domainRoutes,
  kinds: { domain: domainKind, store_domain: storeDomainKind },
  events: { domain: { permission: 'domain:view', snapshot: { table: 'domain', order: 45 } } },
  examples: {
    bodies: () => ({ createDomain: { host: 'winter.dar-yasmine.example' }, updateDomain: { is_primary: true } }),
  },
}
