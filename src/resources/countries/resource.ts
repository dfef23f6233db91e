import type { Resource } from '../../core/http/resource.ts'
import type { Db } from '../../core/storage/database.ts'
import { countryRoutes } from './routes.ts'
import { countryKind } from './text.ts'

export const countries: Resource<{ db: Db }> = {
  heading: 'Countries',
  description: 'Countries with their ISO codes, calling codes and currencies.',
  routes: countryRoutes,
  kinds: { country: countryKind },
  examples: { schemas: ({ order }) => ({ Country: order.customer_country }) },
}
