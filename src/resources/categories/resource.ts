import type { Resource } from '../../core/http/resource.ts'
import type { Db } from '../../core/storage/database.ts'
import { categoryBulk } from './bulk.ts'
import { categoryRoutes } from './routes.ts'
import { categoryKind } from './text.ts'

export const categories: Resource<{ db: Db }> = {
  heading: 'Products',
  routes: categoryRoutes,
  kinds: { category: categoryKind },
  events: { category: { permission: 'product:view', snapshot: { table: 'category', order: 10 } } },
  bulk: { category: categoryBulk },
  examples: { bodies: () => ({ createCategory: { name: 'Ceramics' }, updateCategory: { name: 'Pottery' } }) },
}
