import type { Resource } from '../../core/http/resource.ts'
import type { Db } from '../../core/storage/database.ts'
import { stockRoutes } from './routes.ts'

type Variant = { id: string; product_id: string; sku: string; quantity: number; created_at: string }

const level = ({ id, product_id, sku, quantity }: Variant, delta: number) => ({
  variant_id: id,
  product_id,
  sku,
  quantity: quantity + delta,
  previous_quantity: quantity,
  errors: {},
})

const historyOf = ({ created_at, quantity }: Variant) => ({
  history: [
    {
      id: '0197a1b4-2c3d-7e4f-8a5b-6c7d8e9f0a1b',
      ...{ kind: 'adjustment', delta: -2, quantity: quantity - 2, reason: 'Broken in the storeroom', order: null },
      ...{ app_name: 'Stock counter', account_name: null, created_at },
    },
    {
      id: null,
      ...{ kind: 'opening', delta: quantity, quantity, reason: null, order: null },
      ...{ app_name: null, account_name: null, created_at },
    },
  ],
  pagination: { total: 2, per_page: 20, current_page: 1, last_page: 1, next_cursor: null },
})

export const stock: Resource<{ db: Db }> = {
  heading: 'Products',
  routes: stockRoutes,
  examples: {
    bodies: ({ product: { variants } }) => ({
      updateStock: {
        stock: [
          { variant_id: variants[0].id, delta: -2, reason: 'Broken in the storeroom' },
          { sku: variants[1].sku, quantity: variants[1].quantity + 20 },
        ],
      },
    }),
    replies: ({ product: { variants } }) => ({
      getStockHistory: { data: historyOf(variants[0]) },
      updateStock: { data: { stock: [level(variants[0], -2), level(variants[1], 20)] } },
    }),
    schemas: ({ product: { variants } }) => ({
      StockLevel: level(variants[0], -2),
      StockChange: historyOf(variants[0]).history[0],
    }),
  },
}
