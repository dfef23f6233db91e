import { API_PREFIX } from '../../config/config.ts'
import { NDJSON } from '../http/error-replies.ts'
import { takesFields } from '../http/field-selection.ts'
import { MAX_JSON_BYTES } from '../http/json-bodies.ts'
import type { RouteEntry } from '../http/route-table.ts'
import { MAX_MARKS } from '../input/normalize-text.ts'
import { MAX_JSON_KEYS, MAX_JSON_LEVELS, MAX_JSON_VALUES } from '../input/parse-json.ts'
import type { JsonSchema } from '../input/validation-messages.ts'
import { errorResponses, takesIfMatch } from './error-responses.ts'
import { dateBound, type Json, publishedSchema } from './published-schemas.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** File parts a multipart body may have beside `metadata` (or instead of it), with a sentence each. */
    fileParts?: Record<string, string>
    /** Speaks a protocol of its own, and is no operation of the API. */
    protocol?: string
    /** Content type of the reply if it is not JSON. */
    produces?: string
    /** Also answers as a stream of server-sent events. */
    streams?: boolean
    /** For a route whose permission depends on the request: a description, and an example. */
    permissionBy?: { sentence: string; example: string }
  }
}

/** Examples for an operation. */
export interface DocumentExamples {
  reply: (route: RouteEntry) => unknown
  body: (operationId: string) => unknown
  parameter: (route: RouteEntry, name: string) => unknown
  /** Of a named schema. */
  schema: (name: string) => unknown
}

export const openApiPath = (url: string) => url.slice(API_PREFIX.length).replace(/:([A-Za-z_]+)/g, '{$1}') || '/'

/** `listProducts`, `deleteFile`: a verb and a noun, which generated clients use as the name of the method. */
export const operationIdOf = ({ method, url, schema }: RouteEntry) => {
  const { operationId } = schema as { operationId?: string }
  if (!operationId) throw new Error(`${method} ${url} must declare an operationId in its schema.`)
  return operationId
}

const parametersIn = (location: 'path' | 'query', schema: Json | undefined, example: (name: string) => unknown) =>
  Object.entries((schema?.properties ?? {}) as Record<string, Json>).map(([name, shape]) => {
    const { description, 'x-extension': extension, ...rest } = shape
    const required = location === 'path' || (schema?.required as string[] | undefined)?.includes(name)
    const isDate = rest.format === 'date-bound'
    const about = isDate ? dateBound(shape) : (description as string | undefined)
    return {
      name,
      in: location,
      ...(about && { description: about }),
      required: Boolean(required && rest.default === undefined),
      ...(rest.type === 'array' && { style: 'form', explode: false }),
      ...(extension !== undefined && { 'x-extension': true }),
      schema: isDate ? { type: 'string' } : publishedSchema(rest),
      ...(example(name) !== undefined && { example: example(name) }),
    }
  })

/** A streamed text, which has no ETag. */
const isStreamed = (produces = '') => ['text/csv', 'application/x-ndjson'].includes(produces)

const hasTag = ({ method, config }: RouteEntry) => method === 'GET' && !isStreamed(config.produces)

/** A write replies with the ETag of the new version, except for a deletion. */
const answersResource = ({ method, config, schema }: RouteEntry) => {
  const [answer] = Object.values((schema.response ?? {}) as Record<string, JsonSchema>)
  const shown = Object.keys(answer?.properties?.data?.properties ?? {})
  return method !== 'GET' && config.access !== 'open' && shown.length > 0
}

const takesKey = ({ method, config }: RouteEntry) => method !== 'GET' && config.access !== 'open'

const isInParts = ({ schema }: RouteEntry) => '206' in ((schema.response ?? {}) as Json)

const headerParameters = (route: RouteEntry) => {
  const { config } = route
  const names = [
    (config.permission || config.sometimes || config.access === 'installation') && 'InstallId',
    takesFields(route) && 'Fields',
    hasTag(route) && 'IfNoneMatch',
    isInParts(route) && 'Range',
    takesKey(route) && 'DryRun',
    takesKey(route) && 'IdempotencyKey',
    takesKey(route) && 'Prefer',
    takesIfMatch(route) && 'IfMatch',
  ]
  return names.filter(Boolean).map((name) => ({ $ref: `#/components/parameters/${name}` }))
}

const asForm = (schema: Json, fileParts: Record<string, string>, example: unknown) => {
  const files = Object.entries(fileParts).map(([name, description]) => {
    const part = { type: 'string', format: 'binary' }
    return [name, name.endsWith('[]') ? { type: 'array', items: part, description } : { ...part, description }]
  })
  const plain = 'file' in fileParts
  const fields = plain ? (schema.properties as Json) : { metadata: schema }
  return {
    schema: {
      type: 'object',
      required: plain ? ['file'] : ['metadata'],
      properties: { ...(publishedSchema(fields) as Json), ...Object.fromEntries(files) },
    },
    ...(!plain && { encoding: { metadata: { contentType: 'application/json' } } }),
    ...(example !== undefined && { example: plain ? example : { metadata: example } }),
  }
}

const kilobytes = (bytes: number) => `${(bytes / 1024).toLocaleString('en')} kB`

const requestBody = ({ schema, config: { fileParts, ndjsonBody }, bodyLimit }: RouteEntry, example: unknown) => {
  if (ndjsonBody) {
    const content = { schema: { type: 'string' }, ...(example !== undefined && { example }) }
    return { description: ndjsonBody, required: false, content: { [NDJSON]: content } }
  }
  const body = schema.body as Json | undefined
  if (!body) return undefined
  const shown = { schema: publishedSchema(body), ...(example !== undefined && { example }) }
  // In the original contract, bodies with files are always forms.
  const json = { 'application/json': { ...(fileParts && { 'x-extension': true }), ...shown } }
  const form = fileParts && { 'multipart/form-data': asForm(body, fileParts, example) }
  const required = Boolean((body.required as string[] | undefined)?.length) || fileParts !== undefined
  const limits =
    `At most ${kilobytes(bodyLimit ?? MAX_JSON_BYTES)} of ${fileParts ? 'text' : 'JSON'}, ` +
    `${MAX_JSON_VALUES.toLocaleString('en')} values, ${MAX_JSON_KEYS.toLocaleString('en')} different keys and ` +
    `${MAX_JSON_LEVELS} levels; at most ${MAX_MARKS} combining marks in a row.`
  return { description: limits, required, content: { ...form, ...(fileParts && 'file' in fileParts ? {} : json) } }
}

const headerRefs = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, key]) => [name, { $ref: `#/components/headers/${key}` }]))

const MEANS: Record<string, string> = { 200: 'OK.', 201: 'Created.', 202: 'Accepted.', 206: 'The requested range.' }

const contentOf = (route: RouteEntry, schema: unknown, example: unknown) => {
  const { produces, streams } = route.config
  const shape = isStreamed(produces) ? { type: 'string' } : publishedSchema(schema)
  return {
    [produces ?? 'application/json']: { schema: shape, ...(example !== undefined && { example }) },
    ...(streams && { 'text/event-stream': { schema: { type: 'string' } } }),
  }
}

const successResponses = (route: RouteEntry, example: unknown) => {
  const { schema, config } = route
  const documented = Object.entries((schema.response ?? {}) as Json).filter(([status]) => /^2\d\d$/.test(status))
  const headers = headerRefs({
    'X-Request-Id': 'RequestId',
    ...((hasTag(route) || answersResource(route)) && { ETag: 'ETag' }),
    ...(takesKey(route) && {
      'Idempotency-Replayed': 'IdempotencyReplayed',
      'Preference-Applied': 'PreferenceApplied',
    }),
    'X-Ignored-Input': 'IgnoredInput',
    ...((config.permission || config.access === 'installation') && { 'X-Webhook-Paused': 'WebhookPaused' }),
    ...(config.permission && {
      'X-RateLimit-Limit': 'RateLimit',
      'X-RateLimit-Remaining': 'RateRemaining',
      'X-RateLimit-Reset': 'RateReset',
    }),
  })
  const successes = documented.map(([status, schema]) => [
    status,
    { description: MEANS[status], headers, content: contentOf(route, schema, example) },
  ])
  return {
    ...Object.fromEntries(successes),
    ...(hasTag(route) && { 304: { description: 'Not modified.', headers: headerRefs({ ETag: 'ETag' }) } }),
    ...(isInParts(route) && { 416: { description: 'The range is outside of the file.' } }),
  }
}

const securityOf = ({ config }: RouteEntry) => {
  if (config.authenticates) return [{}, { basic: [] }]
  if (config.sometimes && config.access === 'open') return [{}, { bearer: [] }]
  return config.access === 'open' ? [] : [{ bearer: [] }]
}

const ACCESS: Record<string, string> = {
  open: 'Needs no token.',
  app: 'Needs a token, but no permission and no installation.',
  installation: 'Needs a token, but no permission.',
}

const accessDescription = ({ config }: RouteEntry) => {
  if (config.permissionBy) return config.permissionBy.sentence
  if (config.permission) return `Needs the permission \`${config.permission}\`.`
  return config.sometimes ? undefined : ACCESS[config.access ?? '']
}

export const operation = (route: RouteEntry, tag: string, examples: DocumentExamples) => {
  const { schema, config } = route
  const id = operationIdOf(route)
  const { summary, description } = schema as { summary?: string; description?: string }
  const body = requestBody(route, examples.body(id))
  const example = (name: string) => examples.parameter(route, name)
  const parameters = [
    ...parametersIn('path', schema.params as Json | undefined, example),
    ...parametersIn('query', schema.querystring as Json | undefined, example),
    ...headerParameters(route),
  ]
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: [description, accessDescription(route)].filter(Boolean).join('\n\n'),
    ...(config.permission && { 'x-permission': config.permission }),
    ...(config.extension && { 'x-extension': true }),
    security: securityOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: { ...successResponses(route, examples.reply(route)), ...errorResponses(route) },
  }
}
