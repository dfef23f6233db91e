import type { Config } from '../config/config.ts'
import type { Resource } from '../core/http/resource.ts'
import { indexRoute } from './index-routes.ts'

export const service: Resource<{ config: Config }> = {
  heading: 'Service',
  description: 'Name, version and links of this API.',
  routes: indexRoute,
}
