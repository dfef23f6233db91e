import type { Resource } from '../../core/http/resource.ts'
import type { UploadServices } from '../files/save-uploads.ts'
import { productBulk } from './bulk.ts'
import { productRoutes } from './routes.ts'
import { imageUrlKind, productKind, stockKind, variantKind } from './text.ts'

const size = (value: string) => [{ order: 0, value }]

export const products: Resource<UploadServices> = {
  heading: 'Products',
  description: 'Products with their options, variants, pictures and stock, and their categories.',
  routes: productRoutes,
  kinds: { product: productKind, variant: variantKind, stock: stockKind, image_url: imageUrlKind },
  events: { product: { permission: 'product:view', snapshot: { table: 'product', order: 60 } } },
  bulk: { product: productBulk },
  examples: {
    queries: { listProducts: 'search=mug&page_size=1' },
    bodies: ({ product, category }) => ({
      createProduct: {
        title: 'Stoneware mug',
        description: 'Thrown by hand, glazed in brown.',
        status: 'active',
        category_id: category.id,
        options: [{ order: 0, name: 'Size', values: [...size('Small'), { order: 1, value: 'Large' }] }],
        variants: [
          { price: 24.5, compare_price: 0, sku: 'MUG-S', quantity: 12, image: null, file: null, values: size('Small') },
          { price: 29.9, compare_price: 35, sku: 'MUG-L', quantity: 8, image: null, file: null, values: size('Large') },
        ],
        properties: [{ name: 'Material', value: 'Stoneware' }],
      },
      updateProduct: { status: 'active', variants: [{ id: product.variants[0].id, price: 26.9 }] },
    }),
    schemas: ({ product }) => ({ Option: product.options[0], Variant: product.variants[0] }),
  },
}
