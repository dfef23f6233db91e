import type { FastifyContextConfig } from 'fastify'
import { API_PREFIX } from '../../config/config.ts'
import { closestName } from '../../config/misspelt.ts'
import type { Api } from '../../core/http/api.ts'
import type { RouteEntry } from '../../core/http/route-table.ts'
import type { JsonSchema } from '../../core/input/validation-messages.ts'
import { openApiPath } from '../../core/openapi/operation.ts'
import { ToolError } from './tool-error.ts'

export type Arguments = Record<string, unknown>

/** An operation of the API that assistants can use. */
export interface Operation {
  id: string
  route: RouteEntry
  heading: string
  isRead: boolean
}

/** What an operation sends over HTTP. */
export interface Call {
  method: string
  url: string
  body?: Arguments | undefined
}

/** These act outside the store's data at once, so that they cannot be tried first, or they answer with a secret. */
const WITHOUT_PLAN = new Set([
  ...['createBulk', 'createSession', 'testWebhook', 'replayWebhook', 'payInvoice'],
  ...['createWebhook', 'rotateWebhook'],
])

const isJson = ({ config: { produces, ndjsonBody, fileParts } }: RouteEntry) =>
  produces === undefined && ndjsonBody === undefined && !(fileParts && 'file' in fileParts)

const isUsable = (route: RouteEntry) =>
  route.resource !== undefined &&
  route.method !== 'HEAD' &&
  route.url.startsWith(API_PREFIX) &&
  route.config.access !== 'open' &&
  isJson(route)

export const collectOperations = (app: Api): ReadonlyMap<string, Operation> =>
  new Map(
    app.routeTable.filter(isUsable).flatMap((route) => {
      const id = (route.schema as { operationId?: string }).operationId
      if (!id || WITHOUT_PLAN.has(id)) return []
      return [[id, { id, route, heading: route.resource?.heading ?? '', isRead: route.method === 'GET' }]]
    }),
  )

export type Operations = ReturnType<typeof collectOperations>

type Permission = FastifyContextConfig['permission']

export const mayUse = ({ route: { config } }: Operation, permissions: ReadonlySet<string>) =>
  config.permission === undefined || permissions.has(config.permission as NonNullable<Permission>)

/** Whether one of these permissions allows a write. */
export const mayWrite = (operations: Operations, permissions: ReadonlySet<string>) =>
  [...operations.values()].some((operation) => {
    const { permission } = operation.route.config
    return !operation.isRead && permission !== undefined && permissions.has(permission)
  })

export const findOperation = (operations: Operations, id: unknown, kind: 'read' | 'write'): Operation => {
  const known = [...operations.values()].filter(({ isRead }) => isRead === (kind === 'read')).map(({ id }) => id)
  const found = typeof id === 'string' ? operations.get(id) : undefined
  if (found && known.includes(found.id)) return found
  if (found)
    throw new ToolError(
      kind === 'read'
        ? `${found.id} changes something: pass it to the tool plan.`
        : `${found.id} changes nothing: pass it to the tool read.`,
      { field: 'operation' },
    )
  const meant = typeof id === 'string' ? closestName(id, known) : undefined
  throw new ToolError(`There is no operation ${String(id)} that assistants can use.`, {
    field: 'operation',
    hint: meant ? `Did you mean ${meant}?` : 'The tool describe lists them all.',
  })
}

const propertiesOf = (schema: unknown) => Object.keys((schema as JsonSchema | undefined)?.properties ?? {})

const pathNames = (url: string) => [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => name)

export const parameterNames = ({ route: { url, schema } }: Operation) => ({
  path: pathNames(url),
  query: propertiesOf(schema.querystring).filter((name) => name !== 'dry_run' && name !== 'fields'),
  body: propertiesOf(schema.body),
})

const asText = (name: string, value: unknown): string => {
  if (Array.isArray(value)) return value.map((item) => asText(name, item)).join()
  if (value === null || typeof value === 'object')
    throw new ToolError(`${name} must be text, a number, true, false, or a list of these.`, { field: name })
  return String(value)
}

/** Arguments by name: those of the path, then those of the query, then fields of the body. */
export const callOf = (operation: Operation, args: Arguments): Call => {
  const { route, isRead } = operation
  const names = parameterNames(operation)
  const rest = { ...args }
  const path = openApiPath(route.url).replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name]
    if (value === undefined || value === '')
      throw new ToolError(`${operation.id} needs the argument ${name}.`, {
        field: name,
        hint: `It takes ${[...names.path, ...names.query, ...names.body].join(', ')}.`,
      })
    delete rest[name]
    const text = asText(name, value)
    // As a segment of a path, these would name another operation.
    if (text === '.' || text === '..') throw new ToolError(`There is no ${name} ${text}.`, { field: name })
    return encodeURIComponent(text)
  })
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(rest)) {
    if (!isRead && (!names.query.includes(name) || names.body.includes(name))) continue
    query.set(name, asText(name, value))
    delete rest[name]
  }
  const text = query.toString()
  return {
    method: route.method,
    url: `${API_PREFIX}${path === '/' ? '' : path}${text ? `?${text}` : ''}`,
    body: isRead || !route.schema.body ? undefined : rest,
  }
}
