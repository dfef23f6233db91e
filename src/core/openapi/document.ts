import { API_PREFIX } from '../../config/config.ts'
import { ABOUT_FIELDS } from '../http/field-selection.ts'
import type { RouteEntry } from '../http/route-table.ts'
import { namedSchemas } from '../input/schemas.ts'
import { type DocumentExamples, openApiPath, operation } from './operation.ts'
import { type Json, publishedSchema, withExamples } from './published-schemas.ts'

interface DocumentOptions {
  baseUrl: string
  version: string
  description: string
  examples: DocumentExamples
  /** The webhooks that the service sends, and the parameters that they refer to. */
  sent: { webhooks: Record<string, Json>; parameters: Record<string, Json> }
  /** Named schemas that list what resources declare. They replace those of the same name. */
  declaredSchemas: Record<string, unknown>
}

const header = (name: string, description: string, schema: Json = { type: 'string' }) => ({
  name,
  in: 'header',
  description,
  required: false,
  schema,
})

/** A parameter that the original contract does not have. */
const extensionHeader = (...about: Parameters<typeof header>) => ({ ...header(...about), 'x-extension': true })

const parameters = {
  InstallId: header(
    'X-App-Install-Id',
    'The installation to act on. Required with a full access token; a restricted token already names its ' +
      'installation.',
    { type: 'string', format: 'uuid' },
  ),
  IfNoneMatch: extensionHeader('If-None-Match', 'An ETag you have. If the resource has not changed, the reply is 304.'),
  IfMatch: extensionHeader(
    'If-Match',
    'The ETag you read, several ETags, or `*`. If the resource has changed since, the reply is 412. ' +
      'Deliveries, returns and refunds use the ETag of their order. Weak ETags (`W/`) never match.',
  ),
  IdempotencyKey: extensionHeader(
    'Idempotency-Key',
    'Makes the request safe to retry within 24 hours. A reply of more than 256 kB, or beyond 16 MB per ' +
      'installation and day, is not stored: a retry still changes nothing, but returns the current state of ' +
      'the resource.',
    { type: 'string', minLength: 1, maxLength: 255 },
  ),
  Prefer: extensionHeader(
    'Prefer',
    '`dry-run`: the request is checked, carried out and answered as usual, then rolled back. The reply has ' +
      '`Preference-Applied: dry-run`. An `Idempotency-Key` is not used up.',
    { type: 'string', enum: ['dry-run'] },
  ),
  DryRun: {
    name: 'dry_run',
    in: 'query',
    description: '`true` is the same as `Prefer: dry-run`.',
    required: false,
    'x-extension': true,
    schema: { type: 'boolean' },
  },
  Fields: {
    name: 'fields',
    in: 'query',
    description: ABOUT_FIELDS.description,
    required: false,
    style: 'form',
    explode: false,
    'x-extension': true,
    schema: { type: 'array', items: { type: 'string' }, maxItems: ABOUT_FIELDS.maxItems },
  },
  Range: extensionHeader('Range', 'A byte range, such as `bytes=0-1023`.'),
}

const text = (description: string) => ({ description, schema: { type: 'string' } })
const count = (description: string) => ({ description, schema: { type: 'integer' } })

const headers = {
  RequestId: text('Id of this request in the server’s logs.'),
  ETag: text('Version of the resource; for a delivery, return or refund, the version of its order.'),
  IgnoredInput: text('Unknown fields and parameters, which were ignored, separated by commas.'),
  IdempotencyReplayed: text('`true` when this is the answer to an earlier request with the same key.'),
  PreferenceApplied: text('`dry-run` if nothing was changed.'),
  Authenticate: text('How to authenticate.'),
  RetryAfter: count('Seconds to wait before a retry.'),
  WebhookPaused: text(
    'Ids of webhooks of your installation that were paused, other than by your app, separated by commas.',
  ),
  RateLimit: count('Requests per minute, if the operator has set a limit.'),
  RateRemaining: count('Requests left in this minute.'),
  RateReset: count('Seconds until the next minute starts.'),
}

const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The token from `POST /auth/get-token`.',
  },
  basic: {
    type: 'http',
    scheme: 'basic',
    description: 'Only for `POST /auth/get-token`: client_id as user name, client_secret as password.',
  },
}

export const isDocumented = ({ method, url, config }: RouteEntry) =>
  `${url}/`.startsWith(`${API_PREFIX}/`) && method !== 'HEAD' && config.protocol === undefined

const resourceOf = ({ method, url, resource }: RouteEntry) => {
  if (!resource) throw new Error(`${method} ${url} belongs to no resource.`)
  return resource
}

/** The headings, in the order of the resources. */
const tagsOf = (routes: RouteEntry[]) => {
  const resources = [...new Set(routes.map(resourceOf))]
  return [...new Set(resources.map(({ heading }) => heading))].map((name) => {
    const owner = resources.find(({ heading, description }) => heading === name && description)
    if (!owner) throw new Error(`No resource describes the heading ${name}.`)
    return { name, description: owner.description }
  })
}

/** The names of all components that a part of the document refers to, directly or not. */
const referredTo = (part: unknown, schemas: Record<string, Json>, found = new Set<string>()) => {
  for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found.has(name)) continue
    found.add(name)
    referredTo(schemas[name] ?? {}, schemas, found)
  }
  return found
}

/** The OpenAPI 3.1 document, generated from the schemas that validate requests. */
export const openApiDocument = (routes: RouteEntry[], options: DocumentOptions) => {
  const { baseUrl, version, description, examples, sent, declaredSchemas } = options
  const documented = routes.filter(isDocumented)
  const paths: Record<string, Json> = {}
  for (const route of documented) {
    const path = openApiPath(route.url)
    const { heading } = resourceOf(route)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, heading, examples) }
  }
  const named = Object.fromEntries(
    Object.entries({ ...namedSchemas(), ...declaredSchemas }).map(([name, shape]) => [
      name,
      publishedSchema(shape) as Json,
    ]),
  )
  const used = referredTo([paths, sent.webhooks], named)
  const schemas = Object.fromEntries(
    Object.entries(named)
      .filter(([name]) => used.has(name))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, schema]) => [name, withExamples(schema, examples.schema(name))]),
  )
  return {
    openapi: '3.1.0',
    info: {
      title: 'Storefront Apps API',
      version,
      description,
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'Storefront Apps' },
    },
    servers: [{ url: baseUrl, description: 'This server' }],
    tags: tagsOf(documented),
    paths,
    webhooks: sent.webhooks,
    components: { securitySchemes, parameters: { ...parameters, ...sent.parameters }, headers, schemas },
  }
}

export type OpenApiDocument = ReturnType<typeof openApiDocument>
