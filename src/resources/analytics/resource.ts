import type { Resource } from '../../core/http/resource.ts'
import type { Db } from '../../core/storage/database.ts'
import { analyticRoutes } from './routes.ts'

/** The demo store sold until 1 November 2026. */
const OCTOBER = 'from=2026-10-01&to=2026-10-31&interval=week'

export const analytics: Resource<{ db: Db }> = {
  heading: 'Analytics',
  description:
    'Figures of the store, exact at any time: sales, products, customers, delivery, landing pages and stock.',
  routes: analyticRoutes,
  examples: {
    queries: {
      getSalesAnalytics: OCTOBER,
      getProductAnalytics: `${OCTOBER}&limit=2`,
      getCustomerAnalytics: OCTOBER,
      getDeliveryAnalytics: OCTOBER,
      getLandingPageAnalytics: `${OCTOBER}&limit=2`,
      getLevelAnalytics: OCTOBER,
      getStockAnalytics: `from=2026-10-01&to=2026-10-31&cover=60&limit=2`,
    },
    schemas: (
      _rows,
      {
        getSalesAnalytics: sales,
        getProductAnalytics: products,
        getLandingPageAnalytics: pages,
        getLevelAnalytics: levels,
        getStockAnalytics: stock,
      },
    ) => ({
      AnalyticPeriod: sales?.data.period,
      SalesAnalytics: sales?.data.sales[0],
      ProductAnalytics: products?.data.products[0],
      LandingPageAnalytics: pages?.data.landing_pages[0],
      LevelAnalytics: levels?.data.levels[0],
      StockAnalytics: stock?.data.low[0] ?? stock?.data.out_of_stock[0],
    }),
  },
}
