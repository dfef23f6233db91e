import type { Config } from '../config/config.ts'
import type { Resource } from '../http/resource.ts'
import { indexRoute } from './index-routes.ts'

export const service: Resource<{ config: Config }> = {
  heading: 'Service',
  description: 'What answers here, and where its documents are.',
  routes: indexRoute,
}
