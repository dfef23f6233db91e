import type { Resource } from '../http/resource.ts'
import { permissionRoutes } from './routes.ts'

export const permissions: Resource<unknown> = {
  heading: 'Permissions',
  description: 'What an app can be granted.',
  routes: permissionRoutes,
  examples: { whole: ['listPermissions'] },
}
