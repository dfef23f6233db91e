import type { Resource } from '../http/resource.ts'
import type { Db } from '../storage/database.ts'
import { categoryRoutes } from './routes.ts'

export const categories: Resource<{ db: Db }> = {
  heading: 'Products',
  routes: categoryRoutes,
  examples: { rows: ({ listCategories }) => ({ category: listCategories?.data.categories[0] }) },
}
