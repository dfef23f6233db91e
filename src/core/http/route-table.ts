import type { FastifyContextConfig, FastifyInstance, FastifySchema } from 'fastify'
import type { ResourceDocumentation } from './resource.ts'

export interface RouteEntry {
  method: string
  /** As registered: `/api/apps/v1/product/:id`. */
  url: string
  pattern: RegExp
  schema: FastifySchema
  config: FastifyContextConfig
  /** Maximum size of a JSON body, where it differs from the default. */
  bodyLimit: number | undefined
  /** The owner; health, metrics and documentation routes have none. */
  resource?: ResourceDocumentation
}

type RouteConfig = FastifyContextConfig & { readonly url?: string }

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route, for 405 replies, the OpenAPI document and tests that visit all routes. */
    routeTable: RouteEntry[]
  }
  interface FastifyRequest {
    /** The config and URL of the route; empty if no route matches. */
    route: RouteConfig
  }
}

const NO_ROUTE: RouteConfig = Object.freeze({})

const patternOf = (url: string) =>
  new RegExp(
    `^${url
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replace(/:[A-Za-z_]+/g, '[^/]+')
      .replace(/\/\\\*$/, '/.*')}/?$`,
  )

export const collectRoutes = (app: FastifyInstance) => {
  const table: RouteEntry[] = []
  app.decorate('routeTable', table)
  app.addHook('onRoute', ({ method, url, schema = {}, config = {}, bodyLimit }) => {
    for (const name of [method].flat())
      table.push({ method: name, url, pattern: patternOf(url), schema, config, bodyLimit })
  })
  app.decorateRequest('route')
  // `request.routeOptions` builds a new object on each access.
  app.addHook('onRequest', (request, _reply, done) => {
    request.route = (request.routeOptions.config as RouteConfig | undefined) ?? NO_ROUTE
    done()
  })
}
