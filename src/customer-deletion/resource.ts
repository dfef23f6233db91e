import type { Resource } from '../http/resource.ts'
import type { Db } from '../storage/database.ts'
import { customerDeletionRoutes } from './routes.ts'

/** Apart from the other routes of customers, because it changes orders, which refer to customers. */
export const customerDeletion: Resource<{ db: Db }> = { heading: 'Customers', routes: customerDeletionRoutes }
