import type { Resource } from '../../core/http/resource.ts'
import type { Db } from '../../core/storage/database.ts'
import { stockRoutes } from './routes.ts'

type Variant = { id: string; product_id: string; sku: string; quantity: number }

const level = ({ id, product_id, sku, quantity }: Variant, delta: number) => ({
  variant_id: id,
  product_id,
  sku,
  quantity: quantity + delta,
  previous_quantity: quantity,
  errors: {},
})

export const stock: Resource<{ db: Db }> = {
  heading: 'Products',
  routes: stockRoutes,
  examples: {
    bodies: ({ product: { variants } }) => ({
      updateStock: {
        stock: [
          { variant_id: variants[0].id, delta: -2 },
          { sku: variants[1].sku, quantity: variants[1].quantity + 20 },
        ],
      },
    }),
    replies: ({ product: { variants } }) => ({
      updateStock: { data: { stock: [level(variants[0], -2), level(variants[1], 20)] } },
    }),
    schemas: ({ product: { variants } }) => ({ StockLevel: level(variants[0], -2) }),
  },
}
