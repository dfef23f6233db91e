import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import Format from 'typebox/format'
import { Settings } from 'typebox/system'
import { notFound, ValidationErrors } from '../../errors.ts'
import { isDateBound } from './date-bounds.ts'
import { readLeniently } from './lenient-values.ts'
import { hasTooManyMarks, normalizeText, TOO_MANY_MARKS } from './normalize-text.ts'
import { CHARACTERS_PER_TURN, INEXACT_NUMBER } from './parse-json.ts'
import { parseQuery } from './query-values.ts'
import { type JsonSchema, validationMessage } from './validation-messages.ts'

// Limits the work for hostile bodies with millions of errors.
Settings.Set({ maxErrors: 100 })
Format.Set('date-bound', isDateBound)

const IGNORED_HEADER_BYTES = 1024
/** More than the header has room for. */
const MAX_IGNORED = 1_000

export interface CheckResult {
  errors: ValidationErrors
  ignored: string[]
}

/** Validates a value and collects all errors. Unknown fields are removed and reported. */
export type Checker = (value: unknown, into: CheckResult, at?: string) => void

const join = (...keys: (string | number)[]) => keys.filter((key) => key !== '').join('.')

const textFault = (text: string) => {
  if (text.includes('\0')) return 'must not contain the NUL character'
  return text.isWellFormed() ? undefined : 'must be well-formed Unicode'
}

interface Inspection extends CheckResult {
  /** See `nullMeansAbsent` of JsonSchema. */
  nullMeansAbsent: boolean
}

/**
 * Checks what JSON Schema cannot express: unknown fields, text that PostgreSQL cannot store, too many decimals. Returns
 * the normalised value: lower-case ids, NFC text. Values of a wrong type are left for the schema to refuse.
 */
const inspect = (shape: JsonSchema, given: unknown, at: string, into: Inspection): unknown => {
  const value = readLeniently(shape, given)
  if (typeof value === 'string') return inspectText(shape, value, at, into)
  if (typeof value === 'number') {
    const { decimals } = shapeOf(shape, 'number') ?? {}
    // Numbers that a double cannot hold were parsed as Infinity.
    if (!Number.isFinite(value)) into.errors.add(at, INEXACT_NUMBER)
    else if (decimals !== undefined && Number(value.toFixed(decimals)) !== value)
      into.errors.add(at, validationMessage(shape))
    return isUnixTime(shapeOf(shape, 'string') ?? {}, value) ? String(value) : value
  }
  if (Array.isArray(value)) {
    const list = shapeOf(shape, 'array')
    if (list) inspectList(list, value, at, into)
  } else if (value !== null && typeof value === 'object') {
    const object = shapeOf(shape, 'object')
    if (object) inspectObject(object, value as Record<string, unknown>, at, into)
  }
  return value
}

/** Longer than any id, date or address. */
const MAX_FORMATTED_LENGTH = 2_048

const maxLengthOf = ({ maxLength, format, pattern }: JsonSchema) =>
  maxLength ?? (format !== undefined || pattern !== undefined ? MAX_FORMATTED_LENGTH : Number.POSITIVE_INFINITY)

/** NFC has at least a third of the characters, each of at most two units. */
const MAX_COMPOSED = 6

/** Counts characters, as JSON Schema does, not UTF-16 units. */
const isLongerThan = (text: string, max: number) =>
  text.length > max && (text.length > 2 * max || [...text].length > max)

/**
 * The length is checked first: everything after it, such as normalisation and the patterns of the schema, works on text of
 * bounded length. Text that is refused is cut, so that the schema need not look at the rest.
 */
const inspectText = (shape: JsonSchema, text: string, at: string, into: Inspection) => {
  const own = shapeOf(shape, 'string') ?? {}
  const maxLength = maxLengthOf(own)
  const refuse = (message: string) => {
    into.errors.add(at, message)
    return text.slice(0, maxLength)
  }
  if (text.length > MAX_COMPOSED * maxLength) return refuse(validationMessage(shape))
  const fault = textFault(text)
  if (fault) into.errors.add(at, fault)
  // `meta_data` stays as sent.
  if (own.type !== 'string') return text
  if (hasTooManyMarks(text)) return refuse(TOO_MANY_MARKS)
  const stored = normalized(own, text)
  return isLongerThan(stored, maxLength) ? refuse(validationMessage(shape)) : stored
}

/** Text fields are normalised to NFC. Verbatim text stays as sent. */
const normalized = ({ format, verbatim }: JsonSchema, text: string) => {
  if (format === 'uuid') return text.toLowerCase()
  return verbatim ? text : normalizeText(text)
}

const isUnixTime = ({ format }: JsonSchema, value: number) => format === 'date-bound' && Number.isInteger(value)

const inspectList = (shape: JsonSchema, list: unknown[], at: string, into: Inspection) => {
  const { items = {}, maxItems = Number.POSITIVE_INFINITY } = shape
  if (list.length > maxItems) {
    into.errors.add(at, validationMessage(shape))
    // The list is refused anyway, so the rest need not be checked.
    list.length = maxItems
  }
  for (const [index, item] of list.entries()) {
    if (into.errors.full) return
    list[index] = inspect(items, item, join(at, index), into)
  }
}

const inspectObject = (shape: JsonSchema, value: Record<string, unknown>, at: string, into: Inspection) => {
  const { properties, maxBytes = Number.POSITIVE_INFINITY } = shape
  if (maxBytes < Number.POSITIVE_INFINITY && Buffer.byteLength(JSON.stringify(value)) > maxBytes)
    return into.errors.add(at, validationMessage(shape))
  for (const key of Object.keys(value)) {
    const known = properties ? (Object.hasOwn(properties, key) ? properties[key] : undefined) : {}
    if (known && properties && into.nullMeansAbsent && isAbsent(shape, key, value[key])) {
      delete value[key]
    } else if (known) {
      const kept = inspect(known, value[key], join(at, key), into)
      // Assigns only keys of the schema, never a caller's own key such as `__proto__`.
      if (kept !== value[key]) value[key] = kept
    } else {
      if (into.ignored.length < MAX_IGNORED) into.ignored.push(join(at, key))
      delete value[key]
    }
    const fault = properties ? undefined : textFault(key)
    if (fault) into.errors.add(join(at, 'key'), fault)
  }
}

/** For an enum such as `status`, null is an error and not an absent value. */
const isAbsent = ({ properties = {}, required }: JsonSchema, key: string, value: unknown) =>
  value === null &&
  !required?.includes(key) &&
  !properties[key]?.enum &&
  !shapeOf(properties[key] as JsonSchema, 'null')

/** The part of the schema for values of this type, if there is one. */
const shapeOf = (shape: JsonSchema, type: string): JsonSchema | undefined => {
  if (shape.anyOf) return shape.anyOf.find((option) => shapeOf(option, type))
  const numeric = type === 'number' && shape.type === 'integer'
  return shape.type === undefined || shape.type === type || numeric ? shape : undefined
}

/** The schema at a pointer such as `#/properties/variants/items`, but not inside a union. */
const shapeAt = (schema: JsonSchema, pointer: string): JsonSchema => {
  let shape: unknown = schema
  for (const key of pointer.split('/').slice(1)) {
    if (key === 'anyOf') break
    shape = (shape as Record<string, unknown>)[key.replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  return shape as JsonSchema
}

const dotted = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')

const compiledSchemas = new WeakMap<TSchema, ReturnType<typeof Compile>>()

/** Compiles a schema when it is first needed, and once: many routes share the same path, query or body. */
const compileOnce = (schema: TSchema) => {
  const compiled = compiledSchemas.get(schema) ?? Compile(schema)
  compiledSchemas.set(schema, compiled)
  return compiled
}

export const createChecker = (schema: TSchema): Checker => {
  const shape = schema as JsonSchema
  const nullMeansAbsent = shape.nullMeansAbsent ?? false
  return (value, into, at = '') => {
    inspect(shape, value, at, { ...into, nullMeansAbsent })
    const compiled = compileOnce(schema)
    if (compiled.Check(value)) return
    for (const error of compiled.Errors(value)) {
      const field = dotted(error.instancePath)
      if (error.keyword === 'required') {
        const { requiredProperties } = error.params as { requiredProperties: string[] }
        for (const name of requiredProperties) into.errors.add(join(at, field, name), 'is required')
      } else if (error.keyword !== 'anyOf') {
        into.errors.add(join(at, field) || 'body', validationMessage(shapeAt(shape, error.schemaPath)))
      }
    }
  }
}

/** The `X-Ignored-Input` header. */
const ignoredHeader = (paths: string[]) => {
  let header = ''
  for (const path of paths) {
    // encodeURI throws on lone surrogates.
    const encoded = encodeURI(path.toWellFormed())
    const next = header ? `${header}, ${encoded}` : encoded
    if (next.length > IGNORED_HEADER_BYTES) break
    header = next
  }
  return header
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set if the handler reads the body itself (multipart). */
    bodyInHandler?: boolean
    /** Whether the resource that the last id of the path names exists. A 404 comes before the errors of an update. */
    exists?: (store: FastifyRequest['store'], id: string) => Promise<boolean>
    /** Name of the resource in the path, for the message of a 404. */
    subject?: string
  }
}

/** A missing resource is reported before the errors of its update. */
export const requireSubject = async ({ route, store, params }: FastifyRequest) => {
  const { exists, subject = 'resource' } = route
  const id = Object.values(params as Record<string, string>).at(-1)
  if (exists && id !== undefined && !(await exists(store, id))) throw notFound(subject)
}

const NO_QUERY = { type: 'object', properties: {} } as unknown as TSchema

/** The check of a route's path, query and body. Throws if the path is invalid; returns all other errors. */
const createRequestCheck = (route: RouteOptions, subject: string) => {
  const { params, querystring, body } = (route.schema ?? {}) as Record<string, TSchema | undefined>
  const paramsShape = (params ?? {}) as JsonSchema
  const checkQuery = createChecker(querystring ?? NO_QUERY)
  const queryShape = (querystring ?? {}) as JsonSchema
  const checkBody = body && !route.config?.bodyInHandler ? createChecker(body) : undefined

  return (request: FastifyRequest): ValidationErrors => {
    if (params) {
      if (!compileOnce(params).Check(request.params)) throw notFound(subject)
      inspect(paramsShape, request.params, '', { errors: new ValidationErrors(), ignored: [], nullMeansAbsent: false })
    }
    const found: CheckResult = { errors: new ValidationErrors(), ignored: [] }
    const queryResult: CheckResult = { errors: new ValidationErrors(), ignored: found.ignored }
    request.query = parseQuery(queryShape, request.query as Record<string, unknown>, queryResult.errors)
    checkQuery(request.query, queryResult)
    // Errors name the parameter as sent, without an index.
    for (const [field, messages] of Object.entries(queryResult.errors.fields))
      for (const message of messages) found.errors.add(field.replace(/\.\d+$/, ''), message)
    if (checkBody) {
      request.body ??= {}
      checkBody(request.body, found)
    }
    request.ignoredInput = found.ignored
    return found.errors
  }
}

/** The handler of a large body gets a turn of the event loop of its own. */
const isLarge = ({ headers }: FastifyRequest) =>
  Number(headers['content-length'] ?? 0) >= CHARACTERS_PER_TURN || headers['transfer-encoding'] !== undefined

/**
 * Replaces Fastify's validation, which stops at the first invalid part and does not report dropped fields. Query and
 * body are validated together, and a malformed id in the path is a 404.
 */
export const validateRequests = (app: FastifyInstance) => {
  app.addHook('onRoute', (route) => {
    const subject = route.config?.subject ?? 'resource'
    const check = createRequestCheck(route, subject)
    const refuse = async (request: FastifyRequest, errors: ValidationErrors) => {
      await requireSubject(request)
      errors.throwIfAny()
    }
    // A callback, because a promise per request would be wasted when there is nothing to wait for.
    const validate = (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void) => {
      try {
        const errors = check(request)
        if (errors.any) refuse(request, errors).catch(done)
        else if (isLarge(request)) setImmediate(done)
        else done()
      } catch (error) {
        done(error as Error)
      }
    }
    const existing = route.preValidation
    route.preValidation = [validate, ...(Array.isArray(existing) ? existing : existing ? [existing] : [])]
  })

  app.decorateRequest('ignoredInput')
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.ignoredInput && request.ignoredInput.length > 0)
      reply.header('X-Ignored-Input', ignoredHeader(request.ignoredInput))
    done(null, payload)
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Unknown fields and parameters of this request. */
    ignoredInput: string[] | undefined
  }
}
