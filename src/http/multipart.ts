import { createHash } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import type { Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { ApiError, invalid, notFound, ValidationErrors } from '../errors.ts'
import { parseJson } from '../input/json-text.ts'
import { parseQuery } from '../input/query-values.ts'
import { type Checker, type CheckResult, createChecker } from '../input/validation.ts'
import type { JsonSchema } from '../input/validation-messages.ts'
import { wrongType } from './error-replies.ts'
import { extendedName, fileName } from './file-name.ts'

/** Of all that is text in a form together: its metadata, or its fields. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024
const MAX_FIELD_BYTES = 64 * 1024
const MAX_PARTS = 500
/** Boundaries, headers of parts, and the small fields. */
const FRAMING_BYTES = 1024 * 1024
const MAX_IGNORED = 50

/** A file that has arrived and lies in the folder for incoming bytes, not yet anybody's. */
export interface Upload {
  /** Name of the form's field, without brackets. */
  field: string
  /** N of `images[N]`, or the place among files of that field. */
  index: number
  name: string
  size: number
  /** In hexadecimal. */
  sha256: string
  /** Read from the bytes. */
  mimeType: string
  path: string
  /** Of images only. */
  thumbnail: string | undefined
  /** Keeps the bytes from being removed until the row of the file is written; set by placeUploads. */
  claim?: string
  /** Set once a file was made of it; it is one when the transaction that made it has ended well. */
  saved?: boolean
}

export type Staged = Pick<Upload, 'path' | 'size' | 'sha256' | 'mimeType' | 'thumbnail'>

export interface StageRule {
  maxBytes: number
  /** The only types taken; any, when not said. */
  types?: readonly string[]
}

/** Why a file cannot be taken. */
export interface Refusal {
  fault: string
  oversize?: boolean
  empty?: boolean
}

export const megabytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MB`

export interface FileRule extends StageRule {
  /** How many files the field takes. */
  maxFiles: number
  required?: boolean
  /** A file over `maxBytes` makes the whole request too large, where the file is all there is to the request. */
  overIsTooLarge?: boolean
}

export interface FormRules<T extends TSchema> {
  body: T
  /** Whether the body comes as JSON in the part `metadata` (or alone, as application/json), or as plain fields. */
  as: 'metadata' | 'optional metadata' | 'fields'
  files: Record<string, FileRule>
  /** Brings a body of another shape that is taken, too, into this one; names what it takes out. */
  adapt?: (body: unknown, ignored: string[]) => void
  /** Rules that no schema can say; what they add is told together with the rest. */
  more?: (body: Static<T>, uploads: Upload[], errors: ValidationErrors, ignored: readonly string[]) => void
}

export interface Form<T> {
  body: T
  /** By field, then by index. Whoever gets them must place or drop them: see withUploads of files/save-uploads.ts. */
  uploads: Upload[]
  /** Also set on the request, for the header. */
  ignored: string[]
}

/** Where files go as they arrive. */
export interface FileReceiver {
  /** The largest file this server takes. */
  maxFileBytes: number
  /** Takes one file to its end, or says why it cannot. */
  stage(stream: Readable, rule: StageRule): Promise<Staged | Refusal>
  /** Deletes what was staged. */
  drop(uploads: Upload[]): Promise<void>
}

/** Multipart reaches only handlers that read it themselves, as a stream; elsewhere it is a type like any other unknown one. */
export const acceptMultipart = (app: FastifyInstance) => {
  app.decorateRequest('bodyFingerprint')
  app.addContentTypeParser('multipart/form-data', (request, _payload, done) => {
    if (request.route.bodyInHandler) return done(null)
    done(wrongType(request))
  })
}

const checkers = new WeakMap<TSchema, Checker>()
const checkerOf = (schema: TSchema) => {
  const known = checkers.get(schema) ?? createChecker(schema)
  checkers.set(schema, known)
  return known
}

const badRequest = (message: string, cause?: unknown, field?: string) =>
  new ApiError('bad_request', message, { cause, ...(field && { fields: { [field]: [message] } }) })

const requestAborted = (cause?: unknown) => badRequest('The request was aborted.', cause)

const tooLarge = (message: string) => new ApiError('payload_too_large', message)

interface Received {
  texts: Map<string, string[]>
  uploads: Upload[]
  errors: ValidationErrors
  ignored: Set<string>
}

const maxRequestBytes = (rules: FormRules<TSchema>, { maxFileBytes }: FileReceiver) => {
  const files = Object.values(rules.files).reduce((sum, { maxFiles, maxBytes }) => sum + maxFiles * maxBytes, 0)
  const most = Object.values(rules.files).some(({ maxFiles }) => maxFiles > 1) ? 5 : 1
  return Math.min(files, most * maxFileBytes) + MAX_TEXT_BYTES + FRAMING_BYTES
}

/** `images`, `images[]` and `images[3]` are the same field; the number says which of its files this is. */
const FIELD = /^([a-z_]+)(?:\[(\d{0,4})\])?$/

/** Takes the parts of one request, one after the other, as they arrive. */
class Receiver {
  readonly received: Received = { texts: new Map(), uploads: [], errors: new ValidationErrors(), ignored: new Set() }
  private readonly seen = new Map<string, number>()
  private readonly given = new Map<string, number>()
  private readonly taken = new Set<string>()
  private textBytes = 0
  private readonly rules: FormRules<TSchema>
  private readonly files: FileReceiver

  constructor(rules: FormRules<TSchema>, files: FileReceiver) {
    this.rules = rules
    this.files = files
  }

  async take(name: string, stream: Readable, filename: string | undefined) {
    const [, base = '', number = ''] = FIELD.exec(name) ?? []
    const rule = Object.hasOwn(this.rules.files, base) ? this.rules.files[base] : undefined
    if (rule) return this.takeFile(base, number, rule, stream, filename)
    if (this.knowsText(name)) return this.takeText(name, stream)
    if (this.received.ignored.size < MAX_IGNORED) this.received.ignored.add(name || 'part without a name')
    await drain(stream)
  }

  private knowsText(name: string) {
    if (this.rules.as !== 'fields') return name === 'metadata'
    return Object.hasOwn((this.rules.body as JsonSchema).properties ?? {}, name)
  }

  private async takeText(name: string, stream: Readable) {
    const metadata = name === 'metadata'
    if (metadata && this.received.texts.has(name)) throw invalid({ metadata: ['must be given once'] })
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      this.textBytes += chunk.length
      if (this.textBytes > MAX_TEXT_BYTES)
        throw tooLarge(`The text fields of a form may have at most ${megabytes(MAX_TEXT_BYTES)} in total.`)
      if (metadata || size <= MAX_FIELD_BYTES) chunks.push(chunk)
    }
    if (!metadata && size > MAX_FIELD_BYTES) return this.received.errors.add(name, 'is too long')
    const text = decode(Buffer.concat(chunks), name)
    this.received.texts.set(name, [...(this.received.texts.get(name) ?? []), text])
  }

  private async takeFile(field: string, number: string, rule: FileRule, stream: Readable, filename = '') {
    const { uploads, errors } = this.received
    const place = this.seen.get(field) ?? 0
    this.seen.set(field, place + 1)
    const index = number === '' ? place : Number(number)
    const at = rule.maxFiles === 1 ? field : `${field}.${index}`
    const given = this.given.get(field) ?? 0
    if (given >= rule.maxFiles || this.taken.has(at)) {
      if ((await drain(stream)) === 0 && filename === '') return
      if (given < rule.maxFiles) errors.add(at, 'is given twice')
      else errors.add(field, rule.maxFiles === 1 ? 'must be given once' : `must be at most ${rule.maxFiles} files`)
      return
    }
    const staged = await this.files.stage(stream, rule)
    // Browsers send an input that nobody filled as a file without a name and without bytes: it counts as not given.
    if ('fault' in staged && staged.empty && filename === '') return
    this.given.set(field, given + 1)
    this.taken.add(at)
    if (!('fault' in staged)) uploads.push({ field, index, name: fileName(filename), ...staged })
    else if (staged.oversize && rule.overIsTooLarge) throw tooLarge(`The file ${staged.fault}.`)
    else errors.add(at, staged.fault)
  }
}

/** Reads to the end and tells how many bytes that were. */
const drain = async (stream: Readable) => {
  let bytes = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) bytes += chunk.length
  return bytes
}

const decode = (bytes: Buffer, name: string) => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw badRequest('must be UTF-8', error, name)
  }
}

const createBusboy = (request: FastifyRequest) => {
  try {
    return new Busboy({
      headers: request.headers as { 'content-type': string },
      // Every part is read as a stream: each field then has a limit of its own.
      isPartAFile: () => true,
      preservePath: true,
      limits: { parts: MAX_PARTS },
    })
  } catch (error) {
    throw badRequest('The body is not well-formed multipart/form-data.', error)
  }
}

type Parser = ReturnType<typeof createBusboy>

/**
 * Busboy leaves out the `filename*` that stands behind a `filename`. So the header of each part is looked at just before
 * Busboy does, which then tells of the part at once.
 */
const hearExtendedNames = (busboy: Parser, heard: (name: string | undefined) => void) => {
  const { parser } = (busboy as unknown as { _parser: { parser: EventEmitter } })._parser
  parser.prependListener('part', (part: EventEmitter) => {
    part.on('header', (header: Record<string, string[] | undefined>) =>
      heard(extendedName(header['content-disposition']?.[0] ?? '')),
    )
  })
}

type PartQueue = { open: Set<Readable>; last: Promise<unknown> }

/** Has the parts taken one after the other, in the sequence they come. */
const takeParts = (busboy: Parser, receiver: Receiver, queue: PartQueue, fail: (error: unknown) => void) => {
  let extended: string | undefined
  hearExtendedNames(busboy, (name) => {
    extended = name
  })
  busboy.on('file', (name, stream, plain) => {
    const filename = extended ?? plain
    queue.open.add(stream)
    // Without a listener the error of a part that breaks off before its turn would end the process.
    stream.on('error', fail).on('close', () => queue.open.delete(stream))
    queue.last = queue.last.then(() => receiver.take(name ?? '', stream, filename || undefined))
    queue.last.catch(fail)
  })
  busboy.on('partsLimit', () => fail(tooLarge(`A form may have at most ${MAX_PARTS} parts.`)))
  busboy.on('error', (error) => fail(badRequest('The body is not well-formed multipart/form-data.', error)))
}

/** Feeds the request to the parser until it ends, breaks off, or grows over its limit. */
const receive = async (request: FastifyRequest, rules: FormRules<TSchema>, files: FileReceiver) => {
  const { raw } = request
  const limit = maxRequestBytes(rules, files)
  const overLimit = () => tooLarge(`The request may have at most ${megabytes(limit)}.`)
  if (Number(request.headers['content-length'] ?? 0) > limit) throw overLimit()
  const busboy = createBusboy(request)
  const receiver = new Receiver(rules, files)
  const queue: PartQueue = { open: new Set(), last: Promise.resolve() }
  try {
    await new Promise((resolve, fail) => {
      let size = 0
      takeParts(busboy, receiver, queue, fail)
      busboy.once('finish', () => resolve(queue.last))
      raw.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > limit) fail(overLimit())
      })
      raw.once('error', (error) => fail(requestAborted(error)))
      raw.once('close', () => raw.complete || fail(requestAborted()))
      raw.pipe(busboy)
    })
    return receiver.received
  } catch (error) {
    // What is still on its way is read and dropped, so that the caller gets to see the answer.
    raw.unpipe(busboy).resume()
    for (const stream of queue.open) stream.destroy(requestAborted())
    await queue.last.catch(() => {})
    await files.drop(receiver.received.uploads)
    throw error
  }
}

const parseMetadata = (text: string) => {
  const parsed = parseJson(text)
  if ('value' in parsed) return parsed.value
  if (parsed.tooLarge) throw tooLarge(`The metadata must be ${parsed.fault}.`)
  throw badRequest(`must be ${parsed.fault}`, parsed.cause, 'metadata')
}

const readBody = (rules: FormRules<TSchema>, { texts, errors }: Received): unknown => {
  if (rules.as === 'fields') return parseQuery(rules.body as JsonSchema, Object.fromEntries(texts), errors)
  const [text] = texts.get('metadata') ?? []
  if (text === undefined && rules.as === 'metadata') errors.add('metadata', 'is required')
  return text === undefined || text.trim() === '' ? {} : parseMetadata(text)
}

const fingerprint = (body: unknown, { uploads }: Received) =>
  createHash('sha256')
    .update(JSON.stringify(body))
    .update(JSON.stringify(uploads.map(({ field, index, name, sha256 }) => [field, index, name, sha256])))
    .digest('base64url')

const isMultipart = (request: FastifyRequest) => /^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '')

const check = async (request: FastifyRequest, rules: FormRules<TSchema>, body: unknown, received: Received) => {
  const { errors, uploads } = received
  const checked: CheckResult = { errors, ignored: [...received.ignored] }
  const named = Object.keys(errors.fields).length
  rules.adapt?.(body, checked.ignored)
  // Faults of a body that is not there at all would only repeat that it is missing.
  if (!errors.fields.metadata) checkerOf(rules.body)(body, checked)
  for (const [field, rule] of Object.entries(rules.files)) {
    const given = uploads.some((upload) => upload.field === field) || errors.fields[field]
    if (rule.required && !given) errors.add(field, 'is required')
  }
  if (Object.keys(errors.fields).length === named) rules.more?.(body, uploads, errors, checked.ignored)
  request.ignoredInput = [...(request.ignoredInput ?? []), ...checked.ignored]
  if (!errors.any) return
  await requireSubject(request)
  errors.throwIfAny()
}

/** What is not there is told before what is wrong with its change. */
const requireSubject = async (request: FastifyRequest) => {
  const { exists, subject = 'resource' } = request.route
  if (exists && !(await exists(request))) throw notFound(subject)
}

const receiveOrRefuse = async (request: FastifyRequest, rules: FormRules<TSchema>, files: FileReceiver) => {
  try {
    return await receive(request, rules, files)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'validation_failed') await requireSubject(request)
    throw error
  }
}

/**
 * Reads a form with files, or the same body as plain JSON. Files are on disk when this returns, unless something was
 * wrong: then everything that is wrong is told at once, and nothing is left of the files.
 */
export const receiveForm = async <T extends TSchema>(
  request: FastifyRequest,
  files: FileReceiver,
  rules: FormRules<T>,
): Promise<Form<Static<T>>> => {
  const general = rules as unknown as FormRules<TSchema>
  if (!isMultipart(request) && rules.as === 'fields') throw wrongType(request)
  const received: Received = isMultipart(request)
    ? await receiveOrRefuse(request, general, files)
    : { texts: new Map(), uploads: [], errors: new ValidationErrors(), ignored: new Set() }
  try {
    const body = isMultipart(request) ? readBody(general, received) : (request.body ?? {})
    await check(request, general, body, received)
    if (isMultipart(request)) request.bodyFingerprint = fingerprint(body, received)
    const uploads = received.uploads.sort((a, b) => a.field.localeCompare(b.field) || a.index - b.index)
    return { body: body as Static<T>, uploads, ignored: request.ignoredInput ?? [] }
  } catch (error) {
    await files.drop(received.uploads)
    throw error
  }
}
