import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { JsonSchema } from '../input/validation-messages.ts'

/** RFC 7240: `Prefer: dry-run`, alone or among other preferences. */
const PREFERENCE = /(?:^|,)\s*dry-run\s*(?:=\s*"?true"?\s*)?(?:[;,]|$)/i

const DRY_RUN = Type.Optional(Type.Boolean({ description: 'true: answer as usual, but change nothing.' }))

/** Whether the caller wants to know what a write would do, without doing it. */
export const isDryRun = ({ headers, query }: Pick<FastifyRequest, 'headers' | 'query'>): boolean =>
  (query as { dry_run?: boolean }).dry_run === true || PREFERENCE.test([headers.prefer ?? ''].flat().join())

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Every write takes `dry_run` in its query. Register this before validation, which reads the schema, and after the
 * route table, whose schemas the documents show: there it is a parameter of all writes (openapi/document.ts).
 */
export const acceptDryRuns = (app: FastifyInstance) => {
  app.addHook('onRoute', (route) => {
    if ([route.method].flat().some((method) => READS.has(method)) || route.config?.access === 'open') return
    const given = (route.schema?.querystring ?? { type: 'object' }) as JsonSchema
    const properties = { ...given.properties, dry_run: DRY_RUN }
    route.schema = { ...route.schema, querystring: { ...given, properties } }
  })
}
