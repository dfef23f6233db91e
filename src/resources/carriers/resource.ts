import type { Resource } from '../../core/http/resource.ts'
import type { Db } from '../../core/storage/database.ts'
import { carrierRoutes } from './routes.ts'
import { carrierKind } from './text.ts'

export const carriers: Resource<{ db: Db }> = {
  heading: 'Shipping carriers',
  description: 'Companies that deliver orders.',
  routes: carrierRoutes,
  kinds: { shipping_carrier: carrierKind },
  events: { shipping_carrier: { permission: undefined, snapshot: { table: 'shipping_carrier', order: 30 } } },
  examples: {
    rows: ({ listShippingCarriers }) => ({ carrier: listShippingCarriers?.data.carriers[0] }),
    schemas: ({ carrier }) => ({ ShippingCarrier: carrier }),
    ids: ({ carrier }) => ({ getShippingCarrier: carrier.id, updateShippingCarrier: carrier.id }),
    bodies: () => ({
      createShippingCarrier: {
        name: 'Intigo',
        code: 'intigo',
        tracking_url: 'https://intigo.example/track?code={tracking_number}',
      },
      updateShippingCarrier: { status: 'active', tracking_url: null },
    }),
  },
}
