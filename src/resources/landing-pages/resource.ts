import type { Resource } from '../../core/http/resource.ts'
import type { Db } from '../../core/storage/database.ts'
import { landingPageBulk } from './bulk.ts'
import { landingPageRoutes } from './routes.ts'
import { landingPageKind } from './text.ts'

export const landingPages: Resource<{ db: Db }> = {
  heading: 'Landing pages',
  description: 'Pages that sell a single product.',
  routes: landingPageRoutes,
  kinds: { landing_page: landingPageKind },
  events: { landing_page: { permission: 'landing_page:view', snapshot: { table: 'landing_page', order: 100 } } },
  bulk: { landing_page: landingPageBulk },
  examples: {
    bodies: ({ product }) => ({
      createLandingPage: {
        title: 'Mugs for the winter',
        product_id: product.id,
        meta_description: 'Thrown by hand in Nabeul.',
        lang: 'en',
        cod_type: 'popup',
      },
      updateLandingPage: { title: 'Mugs for the spring' },
    }),
  },
}
