import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import Format from 'typebox/format'
import System from 'typebox/system'
import { notFound, ValidationErrors } from '../errors.ts'
import { isDateBound } from './date-bounds.ts'
import { INEXACT_NUMBER } from './json-text.ts'
import { readLeniently } from './lenient-values.ts'
import { parseQuery } from './query-values.ts'
import { type JsonSchema, validationMessage } from './validation-messages.ts'

// Bounded, since a hostile body can have a fault at each of a million places.
System.Settings.Set({ maxErrors: 100 })
Format.Set('date-bound', isDateBound)

const IGNORED_HEADER_BYTES = 1024

export interface CheckResult {
  errors: ValidationErrors
  ignored: string[]
}

/** Checks values of one shape: faults go to `faults`, fields the shape does not know are removed and named. */
export type Checker = (value: unknown, into: CheckResult, at?: string) => void

const join = (...keys: (string | number)[]) => keys.filter((key) => key !== '').join('.')

const textFault = (text: string) => {
  if (text.includes('\0')) return 'must not contain the NUL character'
  return text.isWellFormed() ? undefined : 'must be well-formed Unicode'
}

interface Combing extends CheckResult {
  /** Whether null for a field that has to have another value, but need not be there, counts as not given. */
  nullMeansAbsent: boolean
}

/**
 * What a schema alone cannot say: unknown fields, text PostgreSQL cannot hold, more decimals than money has. Returns the
 * value as it is to be kept, so that one id, one text, one number and one moment have one spelling behind this point.
 * A value of a wrong type is not looked into: its schema refuses it as it is.
 */
const inspect = (shape: JsonSchema, given: unknown, at: string, into: Combing): unknown => {
  const value = readLeniently(shape, given)
  if (typeof value === 'string') {
    const fault = textFault(value)
    if (fault) into.errors.add(at, fault)
    return normalized(shapeOf(shape, 'string') ?? {}, value)
  }
  if (typeof value === 'number') {
    const { decimals } = shapeOf(shape, 'number') ?? {}
    // What no double holds is read as Infinity.
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

/** Text is composed (NFC) where the schema knows it as text; what an app keeps for itself stays as it was sent. */
const normalized = ({ type, format, verbatim }: JsonSchema, text: string) => {
  if (format === 'uuid') return text.toLowerCase()
  return type === 'string' && !verbatim ? text.normalize('NFC') : text
}

const isUnixTime = ({ format }: JsonSchema, value: number) => format === 'date-bound' && Number.isInteger(value)

const inspectList = (shape: JsonSchema, list: unknown[], at: string, into: Combing) => {
  const { items = {}, maxItems = Number.POSITIVE_INFINITY } = shape
  if (list.length > maxItems) {
    into.errors.add(at, validationMessage(shape))
    // Refused as it is, a list of a million entries need not be looked through.
    list.length = maxItems
  }
  for (const [index, item] of list.entries()) list[index] = inspect(items, item, join(at, index), into)
}

const inspectObject = (shape: JsonSchema, value: Record<string, unknown>, at: string, into: Combing) => {
  const { properties, maxBytes = Number.POSITIVE_INFINITY } = shape
  if (maxBytes < Number.POSITIVE_INFINITY && Buffer.byteLength(JSON.stringify(value)) > maxBytes)
    return into.errors.add(at, validationMessage(shape))
  for (const key of Object.keys(value)) {
    const known = properties ? (Object.hasOwn(properties, key) ? properties[key] : undefined) : {}
    if (known && properties && into.nullMeansAbsent && isAbsent(shape, key, value[key])) {
      delete value[key]
    } else if (known) {
      const kept = inspect(known, value[key], join(at, key), into)
      // Only what the schema knows is ever changed: no key of a caller's own, `__proto__` say, is assigned to.
      if (kept !== value[key]) value[key] = kept
    } else {
      into.ignored.push(join(at, key))
      delete value[key]
    }
    const fault = properties ? undefined : textFault(key)
    if (fault) into.errors.add(join(at, 'key'), fault)
  }
}

/** A state is chosen or left out: null chooses none, and is refused. */
const isAbsent = ({ properties = {}, required }: JsonSchema, key: string, value: unknown) =>
  value === null &&
  !required?.includes(key) &&
  !properties[key]?.enum &&
  !shapeOf(properties[key] as JsonSchema, 'null')

/** The shape of a value of this type, if it may have that type. */
const shapeOf = (shape: JsonSchema, type: string): JsonSchema | undefined => {
  if (shape.anyOf) return shape.anyOf.find((option) => shapeOf(option, type))
  const numeric = type === 'number' && shape.type === 'integer'
  return shape.type === undefined || shape.type === type || numeric ? shape : undefined
}

/** The shape at a pointer such as `#/properties/variants/items`, stopping before the options of a union. */
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

export const createChecker = (schema: TSchema): Checker => {
  const compiled = Compile(schema)
  const shape = schema as JsonSchema
  const nullMeansAbsent = shape.nullMeansAbsent ?? false
  return (value, into, at = '') => {
    inspect(shape, value, at, { ...into, nullMeansAbsent })
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

/** Tells the caller what was not understood, instead of dropping it silently. */
export const ignoredHeader = (paths: string[]) => {
  let header = ''
  for (const path of paths) {
    // Half of a surrogate pair cannot be encoded.
    const encoded = encodeURI(path.toWellFormed())
    const next = header ? `${header}, ${encoded}` : encoded
    if (next.length > IGNORED_HEADER_BYTES) break
    header = next
  }
  return header
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set where the body is read by the handler (multipart), not by the machinery. */
    bodyInHandler?: boolean
    /** For a route that changes what its path names: whether it is there, asked before faults of the body are told. */
    exists?: (request: FastifyRequest) => Promise<boolean>
    /** What the path names, for the message of a 404. */
    subject?: string
  }
}

/**
 * Replaces Fastify's validation, which stops at the first part with a fault and cannot tell what it dropped: here
 * query and body are checked together, and a malformed id in the path is simply an id that does not exist.
 */
export const validateRequests = (app: FastifyInstance) => {
  app.setValidatorCompiler(() => () => true)

  app.addHook('onRoute', (route) => {
    const { params, querystring, body } = (route.schema ?? {}) as Record<string, TSchema | undefined>
    const checkParams = params && Compile(params)
    const paramsShape = (params ?? {}) as JsonSchema
    const checkQuery = createChecker(querystring ?? ({ type: 'object', properties: {} } as unknown as TSchema))
    const queryShape = (querystring ?? {}) as JsonSchema
    const checkBody = body && !route.config?.bodyInHandler ? createChecker(body) : undefined
    const subject = route.config?.subject ?? 'resource'

    const check = (request: FastifyRequest): ValidationErrors => {
      if (checkParams) {
        if (!checkParams.Check(request.params)) throw notFound(subject)
        inspect(paramsShape, request.params, '', {
          errors: new ValidationErrors(),
          ignored: [],
          nullMeansAbsent: false,
        })
      }
      const found: CheckResult = { errors: new ValidationErrors(), ignored: [] }
      const asked: CheckResult = { errors: new ValidationErrors(), ignored: found.ignored }
      request.query = parseQuery(queryShape, request.query as Record<string, unknown>, asked.errors)
      checkQuery(request.query, asked)
      // A parameter is named as it was sent, not by the place of a value in its list.
      for (const [field, sentences] of Object.entries(asked.errors.fields))
        for (const sentence of sentences) found.errors.add(field.replace(/\.\d+$/, ''), sentence)
      if (checkBody) {
        request.body ??= {}
        checkBody(request.body, found)
      }
      request.ignoredInput = found.ignored
      return found.errors
    }
    const refuse = async (request: FastifyRequest, errors: ValidationErrors) => {
      if (route.config?.exists && !(await route.config.exists(request))) throw notFound(subject)
      errors.throwIfAny()
    }
    // With a callback: a promise for each request would be one too many where nothing has to be waited for.
    const validate = (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void) => {
      try {
        const errors = check(request)
        if (errors.any) refuse(request, errors).catch(done)
        else done()
      } catch (error) {
        done(error as Error)
      }
    }
    const given = route.preValidation
    route.preValidation = [validate, ...(Array.isArray(given) ? given : given ? [given] : [])]
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
    /** Fields and parameters of this request that the service does not know. */
    ignoredInput: string[] | undefined
  }
}
