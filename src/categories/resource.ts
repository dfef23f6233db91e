import type { Resource } from '../http/resource.ts'
import type { Db } from '../storage/database.ts'
import { categoryRoutes } from './routes.ts'

export const categories: Resource<{ db: Db }> = {
  heading: 'Products',
  routes: categoryRoutes,
  examples: { bodies: () => ({ createCategory: { name: 'Ceramics' }, updateCategory: { name: 'Pottery' } }) },
}
