import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { JsonSchema } from '../input/validation-messages.ts'

/** RFC 7240: `Prefer: dry-run`, alone or among other preferences. */
const PREFERENCE = /(?:^|,)\s*dry-run\s*(?:=\s*"?true"?\s*)?(?:[;,]|$)/i

const DRY_RUN = Type.Optional(Type.Boolean({ description: 'true: answer as usual, but change nothing.' }))

/** Whether the caller asks for a write to be validated and rolled back. */
export const isDryRun = ({ headers, query }: Pick<FastifyRequest, 'headers' | 'query'>): boolean =>
  (query as { dry_run?: boolean }).dry_run === true || PREFERENCE.test([headers.prefer ?? ''].flat().join())

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Adds the query parameter `dry_run` to every write. Register this before validation, which reads the schema, and after
 * the route table: the OpenAPI document adds the parameter itself (openapi/document.ts).
 */
export const acceptDryRuns = (app: FastifyInstance) => {
  app.addHook('onRoute', (route) => {
    if ([route.method].flat().some((method) => READS.has(method)) || route.config?.access === 'open') return
    const querystring = (route.schema?.querystring ?? { type: 'object' }) as JsonSchema
    const properties = { ...querystring.properties, dry_run: DRY_RUN }
    route.schema = { ...route.schema, querystring: { ...querystring, properties } }
  })
}
