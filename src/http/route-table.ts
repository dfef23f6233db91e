import type { FastifyContextConfig, FastifyInstance, FastifySchema } from 'fastify'

export interface RouteEntry {
  method: string
  /** As registered: `/api/apps/v1/product/:id`. */
  url: string
  pattern: RegExp
  schema: FastifySchema
  config: FastifyContextConfig
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route there is, for what must know them all: 405 replies, the documents, the sweeping tests. */
    routeTable: RouteEntry[]
  }
}

const patternOf = (url: string) =>
  new RegExp(`^${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[A-Za-z_]+/g, '[^/]+')}/?$`)

export const collectRoutes = (app: FastifyInstance) => {
  const table: RouteEntry[] = []
  app.decorate('routeTable', table)
  app.addHook('onRoute', ({ method, url, schema = {}, config = {} }) => {
    for (const name of [method].flat()) table.push({ method: name, url, pattern: patternOf(url), schema, config })
  })
}
