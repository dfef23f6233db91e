import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { closestName } from '../../config/misspelt.ts'
import { invalid } from '../../errors.ts'
import { extension, namedSchemas } from '../input/schemas.ts'
import type { JsonSchema } from '../input/validation-messages.ts'
import type { EncodedBody } from './encoded-body.ts'
import { digest } from './encoded-body.ts'
import type { RouteEntry } from './route-table.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The only fields that the caller wants, as dotted paths. */
    fields: readonly string[] | undefined
  }
}

const MAX_FIELDS = 100
const MAX_PATH_LENGTH = 200

/** How the parameter is described, and how many fields it takes. */
export const ABOUT_FIELDS = {
  maxItems: MAX_FIELDS,
  description:
    'Only these fields of the resource, or of each resource of a list: `fields=id,title,default.price`. A dotted path ' +
    'reaches into objects, and into each element of an array. Paging is always included. An unknown field is refused.',
}

const FIELDS = extension(Type.Array(Type.String({ maxLength: MAX_PATH_LENGTH }), ABOUT_FIELDS))

/** What a reply says about paging. It is never left out. */
const PAGING = new Set(['pagination', 'next_cursor', 'has_more', 'more', 'behind'])

type Shape = JsonSchema & { $ref?: string; additionalProperties?: unknown }

const resolve = (shape: Shape, named: Record<string, TSchema>): Shape =>
  shape.$ref ? resolve((named[shape.$ref] ?? {}) as Shape, named) : shape

const dataOf = ({ schema }: Pick<RouteEntry, 'schema'>): Shape | undefined => {
  const reply = ((schema.response ?? {}) as Record<string, Shape>)[200]
  const properties = reply?.properties?.data?.properties
  return properties && Object.keys(properties).length > 0 ? reply?.properties?.data : undefined
}

/** Reads of the API whose reply is JSON. */
export const takesFields = (route: Pick<RouteEntry, 'method' | 'schema' | 'config'>) =>
  route.method === 'GET' &&
  route.config.produces === undefined &&
  !['open', 'account', 'operator'].includes(route.config.access ?? '') &&
  dataOf(route) !== undefined

/** The one resource or list of a reply; undefined if it shows several things, which paths then name first. */
const subjectOf = (keys: readonly string[]) => {
  const subjects = keys.filter((key) => !PAGING.has(key))
  return subjects.length === 1 ? subjects[0] : undefined
}

/** The shapes that a value may have: alternatives, and elements in place of their array. */
const alternatives = (given: Shape, named: Record<string, TSchema>): Shape[] => {
  const shape = resolve(given, named)
  if (shape.anyOf) return shape.anyOf.flatMap((one) => alternatives(one as Shape, named))
  return shape.items ? alternatives(shape.items as Shape, named) : [shape]
}

/** An object without declared properties has any, and so has one that declares the least of what it has. */
const hasAny = ({ properties, additionalProperties }: Shape) =>
  properties === undefined || additionalProperties === true

/** A fault of a path, or undefined. */
const faultIn = (path: string, shape: Shape, named: Record<string, TSchema>): string | undefined => {
  let shapes = alternatives(shape, named)
  const walked: string[] = []
  for (const name of path.split('.')) {
    const objects = shapes.filter(({ type }) => type === 'object' || type === undefined)
    if (objects.some(hasAny)) return undefined
    const known = [...new Set(objects.flatMap(({ properties }) => Object.keys(properties ?? {})))]
    if (!known.includes(name)) {
      const closest = closestName(name, known)
      const meant = closest && [...walked, closest].join('.')
      return `there is no field ${path}${meant ? `: did you mean ${meant}?` : ''}`
    }
    shapes = objects.flatMap(({ properties }) => (properties?.[name] ? alternatives(properties[name], named) : []))
    walked.push(name)
  }
  return undefined
}

/** Fields by name, each with its own; `true` for a whole value. */
type Selection = Map<string, Selection | true>

const selectionOf = (paths: readonly string[]): Selection => {
  const root: Selection = new Map()
  for (const path of paths) {
    let at = root
    const names = path.split('.')
    for (const [index, name] of names.entries()) {
      const known = at.get(name)
      if (known === true) break
      if (index === names.length - 1) at.set(name, true)
      else {
        const next: Selection = known ?? new Map()
        at.set(name, next)
        at = next
      }
    }
  }
  return root
}

const pick = (value: unknown, selection: Selection): unknown => {
  if (Array.isArray(value)) return value.map((item) => pick(item, selection))
  if (value === null || typeof value !== 'object') return value
  const picked: Record<string, unknown> = {}
  for (const [name, inner] of selection)
    if (Object.hasOwn(value, name)) {
      const own = (value as Record<string, unknown>)[name]
      picked[name] = inner === true ? own : pick(own, inner)
    }
  return picked
}

/** Keeps the version in front, so that If-Match accepts the tag: see versions.ts. */
const tagWith = (etag: string, fields: string) => etag.replace(/"$/, `~${digest(fields).slice(0, 8)}"`)

const select = ({ bytes, etag }: EncodedBody, fields: readonly string[], key: string): EncodedBody => {
  const { data } = JSON.parse(bytes.toString('utf8')) as { data: Record<string, unknown> }
  const subject = subjectOf(Object.keys(data))
  const selection = selectionOf(fields)
  const picked: Record<string, unknown> = subject
    ? { [subject]: pick(data[subject], selection) }
    : (pick(data, selection) as Record<string, unknown>)
  for (const name of Object.keys(data)) if (PAGING.has(name)) picked[name] = data[name]
  return { bytes: Buffer.from(JSON.stringify({ data: picked })), etag: tagWith(etag, key) }
}

/** Of one remembered reply. */
const MAX_SELECTIONS = 4

/** In bytes. Parsing a larger body would block the event loop. */
const MAX_PARSED = 4 * 1024 * 1024

/** The part of a body that the caller asked for. It is kept with the body, which may be a remembered one. */
export const selectFields = ({ route }: FastifyRequest, fields: readonly string[], body: EncodedBody): EncodedBody => {
  const faults = route.faultsInFields?.(fields) ?? []
  if (faults.length > 0) throw invalid({ fields: faults })
  const key = fields.join()
  const known = body.selections?.get(key)
  if (known) return known
  if (body.bytes.length > MAX_PARSED)
    throw invalid({ page_size: ['is too large: with `fields`, the whole reply may have 4 MB at most'] })
  const selected = select(body, fields, key)
  body.selections ??= new Map()
  if (body.selections.size < MAX_SELECTIONS) body.selections.set(key, selected)
  return selected
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by acceptFields. */
    faultsInFields?: (fields: readonly string[]) => string[]
  }
}

/** Adds the query parameter `fields` to every read. Register this before validation, which reads the schema. */
export const acceptFields = (app: FastifyInstance) => {
  app.decorateRequest('fields')
  app.addHook('onRoute', (route) => {
    const { config = {}, schema = {} } = route
    if (route.method !== 'GET' || !takesFields({ method: 'GET', config, schema })) return
    const querystring = (schema.querystring ?? { type: 'object' }) as JsonSchema
    if (querystring.properties?.fields) throw new Error(`${route.url} has a parameter \`fields\` of its own.`)
    route.schema = {
      ...schema,
      querystring: { ...querystring, properties: { ...querystring.properties, fields: FIELDS } },
    }
    const shape = dataOf({ schema }) as Shape
    const properties = shape.properties ?? {}
    const subject = subjectOf(Object.keys(properties))
    const root = subject ? (properties[subject] as Shape) : shape
    // A config may be shared by several routes.
    route.config = {
      ...config,
      faultsInFields: (fields) => {
        const named = namedSchemas()
        return fields.flatMap((path) => faultIn(path, root, named) ?? [])
      },
    }
  })
  // Handlers get the query without it: what they remember does not depend on it.
  app.addHook('preHandler', (request, _reply, done) => {
    const query = request.query as { fields?: string[] } | undefined
    if (query?.fields && request.route.faultsInFields) {
      const { fields, ...rest } = query
      request.fields = fields
      request.query = rest
    }
    done()
  })
}
