/** Parts of an OpenAPI document that are read here. */
interface Schema {
  type?: string | string[]
  format?: string
  enum?: unknown[]
  items?: Schema
  default?: unknown
  properties?: Record<string, Schema>
  description?: string
}

interface DocumentParameter {
  $ref?: string
  name: string
  in: string
  description?: string
  required?: boolean
  example?: unknown
  schema?: Schema
}

interface DocumentOperation {
  operationId: string
  tags?: string[]
  summary?: string
  description?: string
  'x-permission'?: string
  security?: Record<string, unknown>[]
  parameters?: DocumentParameter[]
  requestBody?: { required?: boolean; content: Record<string, { schema?: Schema; example?: unknown }> }
  responses?: Record<string, { content?: Record<string, unknown> }>
}

export interface OpenApi {
  tags?: { name: string }[]
  paths: Record<string, Record<string, DocumentOperation>>
  components: { parameters: Record<string, DocumentParameter> }
}

export type Place = 'path' | 'query' | 'header'

export interface Parameter {
  name: string
  place: Place
  about: string
  isRequired: boolean
  kind: 'text' | 'number' | 'boolean' | 'list'
  /** Values that it may have, if these are known. */
  choices: readonly string[]
  /** What is sent if nothing is. */
  usual: string
  example: string
}

export interface FilePart {
  /** `images[]` takes many. */
  name: string
  about: string
}

export interface RequestBody {
  kind: 'json' | 'lines'
  /** As it is edited first. */
  example: string
  isRequired: boolean
  /** Files beside it: then it is sent as a form. */
  files: readonly FilePart[]
  /** A form of plain fields, which cannot be sent without a file. */
  isPlainForm: boolean
}

export interface Operation {
  id: string
  method: string
  /** With `{id}`, below the base of the API. */
  path: string
  tag: string
  summary: string
  about: string
  permission: string | undefined
  /** Sent with a token. */
  takesToken: boolean
  isWrite: boolean
  canDryRun: boolean
  parameters: readonly Parameter[]
  body: RequestBody | undefined
  /** The reply is JSON, and not a file or a stream of lines. */
  answersJson: boolean
}

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'multipart/form-data'
const LINES_TYPE = 'application/x-ndjson'
const DRY_RUN = ['dry_run', 'Prefer']
/** The token names its installation, and the switch of the page says whether it is a dry run. */
const LEFT_OUT = new Set([...DRY_RUN, 'X-App-Install-Id'])
const PLACES = new Set(['path', 'query', 'header'])

const asText = (value: unknown) => (value === undefined ? '' : [value].flat().map(String).join())

const kindOf = ({ type }: Schema): Parameter['kind'] => {
  if (type === 'array') return 'list'
  if (type === 'boolean') return 'boolean'
  return type === 'integer' || type === 'number' ? 'number' : 'text'
}

const describeParameter = ({ name, in: place, description, required, example, schema = {} }: DocumentParameter) => {
  const kind = kindOf(schema)
  return {
    name,
    place: place as Place,
    about: description ?? '',
    isRequired: required === true,
    kind,
    choices: kind === 'boolean' ? ['true', 'false'] : (schema.enum ?? schema.items?.enum ?? []).map(String),
    usual: asText(schema.default),
    example: asText(example),
  }
}

const pretty = (value: unknown) => JSON.stringify(value, null, 2)

const isFile = ({ format, items }: Schema) => format === 'binary' || items?.format === 'binary'

const describeBody = ({ requestBody }: DocumentOperation): RequestBody | undefined => {
  if (!requestBody) return undefined
  const { content, required: isRequired = false } = requestBody
  const [json, form, lines] = [content[JSON_TYPE], content[FORM_TYPE], content[LINES_TYPE]]
  if (lines) {
    const example = typeof lines.example === 'string' ? lines.example : ''
    return { kind: 'lines', example, isRequired, files: [], isPlainForm: false }
  }
  const parts = Object.entries(form?.schema?.properties ?? {}).filter(([, schema]) => isFile(schema))
  const files = parts.map(([name, { description }]) => ({ name, about: description ?? '' }))
  const names = new Set(files.map(({ name }) => name))
  const example = json
    ? json.example
    : Object.fromEntries(Object.entries((form?.example ?? {}) as object).filter(([name]) => !names.has(name)))
  return { kind: 'json', example: pretty(example ?? {}), isRequired, files, isPlainForm: !json }
}

const describeOperation = (method: string, path: string, given: DocumentOperation, document: OpenApi): Operation => {
  const parameters = (given.parameters ?? []).map((one) =>
    one.$ref ? (document.components.parameters[one.$ref.split('/').at(-1) ?? ''] as DocumentParameter) : one,
  )
  const success = Object.entries(given.responses ?? {}).find(([status]) => status.startsWith('2'))?.[1]
  return {
    id: given.operationId,
    method: method.toUpperCase(),
    path,
    tag: given.tags?.[0] ?? '',
    summary: given.summary ?? '',
    about: given.description ?? '',
    permission: given['x-permission'],
    takesToken: (given.security ?? []).some((scheme) => 'bearer' in scheme),
    isWrite: method !== 'get',
    canDryRun: parameters.some(({ name }) => name === 'Prefer'),
    parameters: parameters.filter((one) => PLACES.has(one.in) && !LEFT_OUT.has(one.name)).map(describeParameter),
    body: describeBody(given),
    answersJson: success?.content === undefined || JSON_TYPE in success.content,
  }
}

/** Every operation, in the order of the document. */
export const operationsOf = (document: OpenApi): Operation[] => {
  const found = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, given]) => describeOperation(method, path, given, document)),
  )
  const places = new Map(document.tags?.map(({ name }, place) => [name, place]))
  return found.sort((one, other) => (places.get(one.tag) ?? 0) - (places.get(other.tag) ?? 0))
}

/** `POST /product/{id}/update`: the operation in an address. */
export const nameOf = ({ method, path }: Pick<Operation, 'method' | 'path'>) => `${method} ${path}`

/** The same of a line of the log, whose route is `/api/apps/v1/product/:id/update`. */
export const nameOfRoute = (method: string, route: string) =>
  nameOf({
    method: method === 'HEAD' ? 'GET' : method,
    path: route.replace(/^.*?\/api\/apps\/v1(?=\/|$)/, '').replace(/:(\w+)/g, '{$1}') || '/',
  })

/** Those that have every word, in groups as in the document. */
export const findOperations = (operations: readonly Operation[], search: string) => {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const groups = new Map<string, Operation[]>()
  for (const one of operations) {
    const text = [one.id, one.method, one.path, one.tag, one.summary, one.permission].join(' ').toLowerCase()
    if (!words.every((word) => text.includes(word))) continue
    groups.set(one.tag, [...(groups.get(one.tag) ?? []), one])
  }
  return [...groups]
}
