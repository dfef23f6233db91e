import { closestName } from '../../config/misspelt.ts'
import type { OpenApiDocument } from '../../core/openapi/document.ts'
import { type Arguments, mayUse, type Operation, parameterNames } from './operations.ts'
import { MAX_RESULT_BYTES, sizeOf } from './result-text.ts'
import type { ToolContext } from './tool-context.ts'
import { ToolError } from './tool-error.ts'

// biome-ignore lint/suspicious/noExplicitAny: parts of an OpenAPI document.
type Json = any

/** One line for each operation that this caller may use, by heading. */
const index = ({ operations, permissions, mode }: ToolContext) => {
  const lines: Record<string, string[]> = {}
  for (const operation of operations.values()) {
    if (!mayUse(operation, permissions) || (mode === 'read' && !operation.isRead)) continue
    const { summary } = operation.route.schema as { summary?: string }
    lines[operation.heading] ??= []
    lines[operation.heading]?.push(`${operation.id}: ${summary}`)
  }
  return { operations: lines, hint: 'describe with operation shows what one takes.' }
}

const NOISE = new Set(['x-extension', 'x-permission', 'examples', 'example', 'title'])

/** A schema with what it refers to in place of the references, as deep as a request nests. */
const inPlace = (value: Json, schemas: Json, depth = 0): Json => {
  if (Array.isArray(value)) return value.map((item) => inPlace(item, schemas, depth))
  if (value === null || typeof value !== 'object') return value
  if (typeof value.$ref === 'string') {
    const name = value.$ref.split('/').at(-1) as string
    return depth > 6 ? { type: name } : inPlace(schemas[name] ?? {}, schemas, depth + 1)
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !NOISE.has(key))
      .map(([key, inner]) => [key, inPlace(inner, schemas, depth + 1)]),
  )
}

const withoutDescriptions = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(withoutDescriptions)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => key !== 'description' || typeof inner !== 'string')
      .map(([key, inner]) => [key, withoutDescriptions(inner)]),
  )
}

/** The names that `fields` may begin with. */
const fieldsOf = (document: OpenApiDocument, described: Json): string[] => {
  const schemas = document.components.schemas as Json
  const success = Object.entries(described.responses as Json).find(([status]) => status.startsWith('2'))?.[1] as Json
  const data = success?.content?.['application/json']?.schema?.properties?.data?.properties ?? {}
  return Object.values(data as Json).flatMap((shape: Json) => {
    const target = shape.items ?? shape
    const name = target.$ref?.split('/').at(-1)
    if (name === 'Pagination') return []
    return Object.keys((name ? schemas[name] : target)?.properties ?? {})
  })
}

const describeOne = (context: ToolContext, operation: Operation) => {
  const document = context.document()
  const described = Object.values(document.paths)
    .flatMap((path) => Object.values(path as Json))
    .find((one: Json) => one.operationId === operation.id) as Json
  const names = parameterNames(operation)
  const own = new Set([...names.path, ...names.query])
  const parameters = (described.parameters ?? []).filter(({ name }: Json) => own.has(name))
  const body = described.requestBody?.content?.['application/json']
  const { permission } = operation.route.config
  const text = {
    operation: operation.id,
    tool: operation.isRead ? 'read' : 'plan',
    summary: described.summary,
    description: described.description,
    ...(permission && { permission, granted: context.permissions.has(permission) }),
    arguments: parameters.map(({ name, description, required, schema }: Json) => ({
      name,
      ...(required && { required }),
      ...(description && { description }),
      schema: inPlace(schema, {}),
    })),
    ...(body && { body_fields: inPlace(body.schema, document.components.schemas).properties ?? {} }),
    ...(body?.schema?.required && { required: body.schema.required }),
    ...(body?.example !== undefined && { example: body.example }),
    ...(operation.isRead && { fields: fieldsOf(document, described) }),
  }
  if (sizeOf(text) <= MAX_RESULT_BYTES) return text
  return { ...withoutDescriptions(text), description: described.description }
}

/** The operations, or what one of them takes. */
export const describe = async (context: ToolContext, args: Arguments) => {
  if (args.operation === undefined) return index(context)
  const operation = context.operations.get(String(args.operation))
  if (operation) return describeOne(context, operation)
  const meant = closestName(String(args.operation), [...context.operations.keys()])
  throw new ToolError(`There is no operation ${String(args.operation)} that assistants can use.`, {
    field: 'operation',
    ...(meant && { hint: `Did you mean ${meant}?` }),
  })
}
