import type { Resource } from '../http/resource.ts'
import type { Db } from '../storage/database.ts'
import { carrierRoutes } from './routes.ts'

export const carriers: Resource<{ db: Db }> = {
  heading: 'Shipping carriers',
  description: 'Companies that deliver orders.',
  routes: carrierRoutes,
  examples: {
    rows: ({ listShippingCarriers }) => ({ carrier: listShippingCarriers?.data.carriers[0] }),
    schemas: ({ carrier }) => ({ ShippingCarrier: carrier }),
  },
}
