import type { Resource } from '../../core/http/resource.ts'
import type { Db } from '../../core/storage/database.ts'
import type { SharedPhones } from '../shared-phones/shared-phones.ts'
import { customerDeletionRoutes } from './routes.ts'

/** A slice of its own to avoid an import cycle: it changes orders, which import customers. */
export const customerDeletion: Resource<{ db: Db; sharedPhones: SharedPhones }> = {
  heading: 'Customers',
  routes: customerDeletionRoutes,
}
