import type { Resource } from '../../core/http/resource.ts'
import { permissionRoutes } from './routes.ts'

export const permissions: Resource<unknown> = {
  heading: 'Permissions',
  description: 'Permissions that a store can grant to an app.',
  routes: permissionRoutes,
  examples: { whole: ['listPermissions'] },
}
