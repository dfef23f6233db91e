import type { Resource } from '../../core/http/resource.ts'
import { PLACEHOLDERS } from './placeholders.ts'
import { type AuthServices, authRoutes } from './routes.ts'

const { client_id, client_secret, install_id } = PLACEHOLDERS

export const auth: Resource<AuthServices> = {
  heading: 'Authentication',
  description: 'Exchange credentials for tokens.',
  routes: authRoutes,
  examples: {
    bodies: () => ({ getToken: { client_id, client_secret, install_id, ttl: 3600 } }),
    schemas: (_rows, { getCurrentApp }) => ({ App: getCurrentApp?.data.app }),
  },
}
