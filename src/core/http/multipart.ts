import { createHash } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import type { Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { ApiError, invalid, ValidationErrors } from '../../errors.ts'
import { parseJsonInTurns } from '../input/parse-json.ts'
import { parseQuery } from '../input/query-values.ts'
import { type Checker, type CheckResult, createChecker, requireSubject } from '../input/validation.ts'
import type { JsonSchema } from '../input/validation-messages.ts'
import { wrongType } from './error-replies.ts'
import { extendedName, fileName } from './file-name.ts'

/** Of all text in a form: its metadata, or its fields together. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024
const MAX_FIELD_BYTES = 64 * 1024
const MAX_PARTS = 500
/** Allows for boundaries, part headers and small fields. */
const FRAMING_BYTES = 1024 * 1024
const MAX_IGNORED = 50

/** A received file in the staging folder, not yet attached to anything. */
export interface Upload {
  /** Name of the form's field, without brackets. */
  field: string
  /** N of `images[N]`, or the position among the files of that field. */
  index: number
  name: string
  size: number
  /** In hexadecimal. */
  sha256: string
  /** Detected from the content. */
  mimeType: string
  path: string
  /** Set for images only. */
  thumbnail: string | undefined
  /** Protects the blob from clean-up until the file's row is written; set by placeUploads. */
  claim?: string
  /** Set once the file's row is inserted; the file exists once that transaction commits. */
  saved?: boolean
}

export type Staged = Pick<Upload, 'path' | 'size' | 'sha256' | 'mimeType' | 'thumbnail'>

export interface StageRule {
  maxBytes: number
  /** Accepted types; any type if undefined. */
  types?: readonly string[]
}

/** Why a file is refused. */
export interface Refusal {
  fault: string
  oversize?: boolean
  empty?: boolean
}

export const megabytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MB`

export interface FileRule extends StageRule {
  maxFiles: number
  required?: boolean
  /** A file over `maxBytes` is answered with 413 instead of 422: the file is all there is to the request. */
  overIsTooLarge?: boolean
}

export interface FormRules<T extends TSchema> {
  body: T
  /** Whether the body is JSON in the part `metadata` (or alone, as application/json), or plain fields. */
  as: 'metadata' | 'optional metadata' | 'fields'
  files: Record<string, FileRule>
  /** Converts other accepted shapes of the body to this one. Adds the fields it removes to `ignored`. */
  adapt?: (body: unknown, ignored: string[]) => void
  /** Rules that a schema cannot express. Their errors are reported together with the others. */
  more?: (body: Static<T>, uploads: Upload[], errors: ValidationErrors, ignored: readonly string[]) => void
}

export interface Form<T> {
  body: T
  /** Sorted by field, then index. The caller must place or drop them: see withUploads in files/save-uploads.ts. */
  uploads: Upload[]
  /** Also added to `request.ignoredInput`, for the X-Ignored-Input header. */
  ignored: string[]
}

/** Stages files as they arrive. */
export interface FileReceiver {
  maxFileBytes: number
  /** Reads one file to its end, or returns why it is refused. */
  stage(stream: Readable, rule: StageRule): Promise<Staged | Refusal>
  /** Deletes staged files. */
  drop(uploads: Upload[]): Promise<void>
}

/** Passes multipart forms to handlers that stream them. Other routes refuse them as an unsupported type. */
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
  const maxLargeFiles = Object.values(rules.files).some(({ maxFiles }) => maxFiles > 1) ? 5 : 1
  return Math.min(files, maxLargeFiles * maxFileBytes) + MAX_TEXT_BYTES + FRAMING_BYTES
}

/** `images`, `images[]` and `images[3]` are the same field; the number is the index of the file. */
const FIELD = /^([a-z_]+)(?:\[(\d{0,4})\])?$/

/** Reads the parts of one request in sequence, as they arrive. */
class Receiver {
  readonly received: Received = { texts: new Map(), uploads: [], errors: new ValidationErrors(), ignored: new Set() }
  private readonly partCounts = new Map<string, number>()
  private readonly fileCounts = new Map<string, number>()
  private readonly usedPaths = new Set<string>()
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
    if (this.isTextField(name)) return this.takeText(name, stream)
    if (this.received.ignored.size < MAX_IGNORED) this.received.ignored.add(name || 'part without a name')
    await drain(stream)
  }

  private isTextField(name: string) {
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
    const position = this.partCounts.get(field) ?? 0
    this.partCounts.set(field, position + 1)
    const index = number === '' ? position : Number(number)
    const path = rule.maxFiles === 1 ? field : `${field}.${index}`
    const files = this.fileCounts.get(field) ?? 0
    if (files >= rule.maxFiles || this.usedPaths.has(path)) {
      if ((await drain(stream)) === 0 && filename === '') return
      if (files < rule.maxFiles) errors.add(path, 'is given twice')
      else errors.add(field, rule.maxFiles === 1 ? 'must be given once' : `must be at most ${rule.maxFiles} files`)
      return
    }
    const staged = await this.files.stage(stream, rule)
    // Browsers send an empty file input as a file without a name or content. It counts as missing.
    if ('fault' in staged && staged.empty && filename === '') return
    this.fileCounts.set(field, files + 1)
    this.usedPaths.add(path)
    if (!('fault' in staged)) uploads.push({ field, index, name: fileName(filename), ...staged })
    else if (staged.oversize && rule.overIsTooLarge) throw tooLarge(`The file ${staged.fault}.`)
    else errors.add(path, staged.fault)
  }
}

/** Reads to the end and returns the number of bytes. */
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
      // Every part is read as a stream, so that each field can have its own limit.
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
 * Busboy ignores a `filename*` that follows a `filename`. So this reads each part's header just before Busboy does;
 * Busboy emits the part right afterwards.
 */
const readExtendedNames = (busboy: Parser, onName: (name: string | undefined) => void) => {
  const { parser } = (busboy as unknown as { _parser: { parser: EventEmitter } })._parser
  parser.prependListener('part', (part: EventEmitter) => {
    part.on('header', (header: Record<string, string[] | undefined>) =>
      onName(extendedName(header['content-disposition']?.[0] ?? '')),
    )
  })
}

type PartQueue = { open: Set<Readable>; last: Promise<unknown> }

/** Queues the parts: each is read after the one before it. */
const queueParts = (busboy: Parser, receiver: Receiver, queue: PartQueue, fail: (error: unknown) => void) => {
  let extended: string | undefined
  readExtendedNames(busboy, (name) => {
    extended = name
  })
  busboy.on('file', (name, stream, plain) => {
    const filename = extended ?? plain
    queue.open.add(stream)
    // Without a listener, the error of a part that is aborted while queued would end the process.
    stream.on('error', fail).on('close', () => queue.open.delete(stream))
    queue.last = queue.last.then(() => receiver.take(name ?? '', stream, filename || undefined))
    queue.last.catch(fail)
  })
  busboy.on('partsLimit', () => fail(tooLarge(`A form may have at most ${MAX_PARTS} parts.`)))
  busboy.on('error', (error) => fail(badRequest('The body is not well-formed multipart/form-data.', error)))
}

/** Pipes the request into the parser until it ends, is aborted, or exceeds its limit. */
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
      queueParts(busboy, receiver, queue, fail)
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
    // The rest of the body is read and discarded, so that the client sees the reply.
    raw.unpipe(busboy).resume()
    for (const stream of queue.open) stream.destroy(requestAborted())
    await queue.last.catch(() => {})
    await files.drop(receiver.received.uploads)
    throw error
  }
}

const parseMetadata = async (text: string) => {
  const parsed = await parseJsonInTurns(text)
  if ('value' in parsed) return parsed.value
  if (parsed.tooLarge) throw tooLarge(`The metadata must be ${parsed.fault}.`)
  throw badRequest(`must be ${parsed.fault}`, parsed.cause, 'metadata')
}

const readBody = async (rules: FormRules<TSchema>, { texts, errors }: Received): Promise<unknown> => {
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
  // If the metadata is missing, checking the body would only report that again.
  if (!errors.fields.metadata) checkerOf(rules.body)(body, checked)
  for (const [field, rule] of Object.entries(rules.files)) {
    const isPresent = uploads.some((upload) => upload.field === field) || errors.fields[field]
    if (rule.required && !isPresent) errors.add(field, 'is required')
  }
  if (Object.keys(errors.fields).length === named) rules.more?.(body, uploads, errors, checked.ignored)
  request.ignoredInput = [...(request.ignoredInput ?? []), ...checked.ignored]
  if (!errors.any) return
  await requireSubject(request)
  errors.throwIfAny()
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
 * Reads a form with files, or the same body as plain JSON. Files are on disk when this returns. If anything is
 * invalid, all errors are reported at once and the files are deleted.
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
    const body = isMultipart(request) ? await readBody(general, received) : (request.body ?? {})
    await check(request, general, body, received)
    if (isMultipart(request)) request.bodyFingerprint = fingerprint(body, received)
    const uploads = received.uploads.sort((a, b) => a.field.localeCompare(b.field) || a.index - b.index)
    return { body: body as Static<T>, uploads, ignored: request.ignoredInput ?? [] }
  } catch (error) {
    await files.drop(received.uploads)
    throw error
  }
}
