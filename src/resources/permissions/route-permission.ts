import type {} from 'fastify'
import type { Permission } from './catalogue.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The permission an installation needs to call this route. */
    permission?: Permission
    /** For a route that needs a permission in some cases only: that permission. */
    sometimes?: Permission
  }
}
