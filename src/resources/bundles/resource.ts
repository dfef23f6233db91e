import type { Resource } from '../../core/http/resource.ts'
import type { Db } from '../../core/storage/database.ts'
import { bundleBulk } from './bulk.ts'
import { bundleRoutes } from './routes.ts'
import { bundleKind } from './text.ts'

export const bundles: Resource<{ db: Db }> = {
  heading: 'Bundles',
  description: 'Offers of several units of a product for one price.',
  routes: bundleRoutes,
  kinds: { bundle: bundleKind },
  events: { bundle: { permission: 'bundle:view', snapshot: { table: 'bundle', order: 70 } } },
  bulk: { bundle: bundleBulk },
  examples: {
    bodies: ({ product, bundle }) => ({
      createBundle: {
        product_id: product.id,
        name: 'The more, the cheaper',
        options: [
          { name: 'Two', quantity: 2, price: 45 },
          { name: 'Set of six', quantity: 6, price: 120 },
        ],
      },
      updateBundle: {
        status: 'active',
        options: [
          { ...bundle?.options[0], price: 42 },
          { name: 'Set of six', quantity: 6, price: 115 },
        ],
      },
    }),
  },
}
