import type { FastifyContextConfig, FastifyInstance, FastifySchema } from 'fastify'
import type { ResourceDocumentation } from './resource.ts'

export interface RouteEntry {
  method: string
  /** As registered: `/api/apps/v1/product/:id`. */
  url: string
  pattern: RegExp
  schema: FastifySchema
  config: FastifyContextConfig
  /** What a JSON body may have, where that differs from the rest. */
  bodyLimit: number | undefined
  /** Whose it is; health, metrics and the documents belong to no resource. */
  resource?: ResourceDocumentation
}

type RouteConfig = FastifyContextConfig & { readonly url?: string }

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route there is, for what must know them all: 405 replies, the documents, the sweeping tests. */
    routeTable: RouteEntry[]
  }
  interface FastifyRequest {
    /** What the route said of itself, with its address; nothing where there is no route. */
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
  // Fastify puts its own answer to this question together anew each time.
  app.addHook('onRequest', (request, _reply, done) => {
    request.route = (request.routeOptions.config as RouteConfig | undefined) ?? NO_ROUTE
    done()
  })
}
