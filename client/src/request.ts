import { ApiError, AuthenticationError, pathOf } from './errors.ts'
import { isJsonLines, linesBody } from './json-lines.ts'
import { multipart, type Part, type Progress, type Upload } from './multipart-body.ts'
import { randomId } from './random-id.ts'
import type { Call, Send } from './send.ts'
import type { Tokens } from './token-cache.ts'
import type { Operations } from './types.ts'

export type OperationName = keyof Operations
export type Method = OperationName extends `${infer M} ${string}` ? M : never
type PathOf<M extends Method> = Extract<OperationName, `${M} ${string}`> extends `${M} ${infer P}` ? P : never

export type Query<K extends OperationName> = Operations[K]['query']
export type Body<K extends OperationName> = Operations[K]['body']
export type Reply<K extends OperationName> = Operations[K]['reply']
export type Path<K extends OperationName> = Operations[K]['path']

type OptionOf<Part> = Part extends `${infer Name}[]` ? Name : Part

/** The files that an operation takes, as options: the part `images[]` is `images`. */
export type FileOptions<K extends OperationName> = {
  [Part in keyof Operations[K]['files'] as OptionOf<Part>]?: Operations[K]['files'][Part] | undefined
}

/** Options of every call. */
export interface CallOptions {
  signal?: AbortSignal | undefined
}

/** Options of every call that writes. */
export interface WriteOptions extends CallOptions {
  /** Generated for each call by default. Set your own to repeat a call safely after a restart of your program. */
  idempotencyKey?: string | undefined
  /** true: the reply is what it would be, and nothing is changed. */
  dryRun?: boolean | undefined
  /** A page that is being closed still sends it, as it does deletions. Browsers take 64 kB at once. */
  keepalive?: boolean | undefined
}

/** Options of every call that changes or deletes something. */
export interface UpdateOptions extends WriteOptions {
  /**
   * The resource as you read it, or its ETag. The call fails with 412 (ConflictError) if it has changed since. For
   * deliveries, returns and refunds, give their order.
   */
  ifMatch?: string | object | undefined
}

export interface UploadOptions extends WriteOptions {
  onProgress?: ((progress: Progress) => void) | undefined
}

type Given<Name extends string, T> = [T] extends [never]
  ? { [N in Name]?: undefined }
  : Partial<T> extends T
    ? { [N in Name]?: T }
    : { [N in Name]: T }

type RequestOptions<K extends OperationName> = UploadOptions &
  Given<'path', Operations[K]['path']> &
  Given<'query', Operations[K]['query']> &
  Given<'body', Operations[K]['body']> &
  Given<'files', Operations[K]['files']> &
  Pick<UpdateOptions, 'ifMatch'>

type Rest<K extends OperationName> =
  Partial<RequestOptions<K>> extends RequestOptions<K> ? [options?: RequestOptions<K>] : [options: RequestOptions<K>]

type Name<M extends Method, P extends string> = Extract<`${M} ${P}`, OperationName>

/** Calls any operation by method and path, as in the OpenAPI document. */
export type Request = <M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  ...options: Rest<Name<M, P>>
) => Promise<Reply<Name<M, P>>>

/** The same options, loosely typed: the compiler has already checked them. */
interface LooseOptions extends UploadOptions {
  path?: Record<string, string>
  query?: Record<string, unknown>
  body?: Record<string, unknown>
  files?: Record<string, Upload | Upload[] | undefined>
  ifMatch?: string | object
  keepalive?: boolean
  headers?: Record<string, string>
}

const tags = new WeakMap<object, string>()
const replays = new WeakSet<object>()

/** The ETag of a resource that was fetched or written by this program. Undefined for a row of a list. */
export const etagOf = (resource: object): string | undefined => tags.get(resource)

/** Whether this is the stored reply to an earlier call with the same idempotency key. */
export const isReplay = (resource: object): boolean => replays.has(resource)

const ifMatchHeader = (expected: string | object) => {
  const tag = typeof expected === 'string' ? expected : etagOf(expected)
  if (tag === undefined)
    throw new TypeError('ifMatch takes what get(), create() or update() gave: a row of a list has no version.')
  return tag
}

const fill = (path: string, values: Record<string, string> = {}) =>
  path.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name]
    // An empty id would make the path that of another operation.
    if (!value) throw new TypeError(`${path} needs ${name}.`)
    return encodeURIComponent(value)
  })

const asText = (value: unknown) => (value instanceof Date ? value.toISOString() : String(value))

const queryString = (query: Record<string, unknown> = {}) => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const texts = given.map(([name, value]) => [name, [value].flat().map(asText).join()])
  return given.length > 0 ? `?${new URLSearchParams(Object.fromEntries(texts))}` : ''
}

/** Beside a single file the body is sent as plain fields, otherwise as JSON in one part. */
const toParts = (body: Record<string, unknown> = {}, files: NonNullable<LooseOptions['files']>): Part[] => {
  const fields = files.file
    ? Object.entries(body).flatMap(([name, value]) => (value === undefined ? [] : [{ name, content: asText(value) }]))
    : [{ name: 'metadata', content: JSON.stringify(body) }]
  const contents = Object.entries(files).flatMap(([name, given]) =>
    [given ?? []].flat().map((content) => ({ name, content })),
  )
  return [...fields, ...contents]
}

const bodyOf = (method: string, { body, files = {}, onProgress }: LooseOptions) => {
  const parts = Object.values(files).some((given) => given !== undefined && [given].flat().length > 0)
  if (parts) return multipart(toParts(body, files), onProgress)
  if (isJsonLines(body)) return linesBody(body)
  if (method === 'GET' || !body) return { repeatable: true }
  const text = JSON.stringify(body)
  return { repeatable: true, makeBody: () => ({ body: text, contentType: 'application/json' }) }
}

const unexpected = (response: Response, { method, path }: Call) =>
  new ApiError({
    method,
    path: pathOf(path),
    status: response.status,
    code: 'unexpected_reply',
    reason: `${response.url} did not answer as the Storefront Apps API does: is the base address right?`,
    fields: {},
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfter: undefined,
  })

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const readJson = async (response: Response, call: Call) => {
  const text = await response.text()
  let data: unknown
  try {
    data = JSON.parse(text).data
  } catch {
    throw unexpected(response, call)
  }
  if (!isObject(data)) throw unexpected(response, call)
  const [resource, ...others] = Object.values(data)
  if (isObject(resource) && others.length === 0) {
    const etag = response.headers.get('etag')
    if (etag) tags.set(resource, etag)
    if (response.headers.get('idempotency-replayed') === 'true') replays.add(resource)
  }
  return data
}

/** Returns the parsed data of JSON, and a stream of anything else. HTML means that baseUrl is wrong. */
const readAnswer = async (response: Response, call: Call): Promise<unknown> => {
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('application/json')) return readJson(response, call)
  if (type.startsWith('text/html') || !response.body) throw unexpected(response, call)
  return response.body
}

/** Called with the dotted paths of fields and parameters that the API ignored because it does not know them. */
export type OnIgnoredInput = (fields: string[], call: { method: string; path: string }) => void

export const warnOfIgnoredInput: OnIgnoredInput = (fields, { method, path }) =>
  console.warn(`${method} ${path}: the API ignored ${fields.join(', ')}.`)

export interface Access {
  tokens: Tokens | undefined
  installId: string | undefined
  onIgnoredInput: OnIgnoredInput
}

export const createRequest = (send: Send, { tokens, installId, onIgnoredInput }: Access): Request => {
  const read = (response: Response, call: Call) => {
    const ignored = response.headers.get('x-ignored-input')
    if (ignored) onIgnoredInput(ignored.split(/, */), { method: call.method, path: pathOf(call.path) })
    return readAnswer(response, call)
  }

  /** Sends with a token. A token that is refused is replaced once. */
  const sendWithToken = async (call: Call, tokens: Tokens) => {
    let token = ''
    const authorize = async () => {
      token = await tokens.get(call.signal)
      return { authorization: `Bearer ${token}` }
    }
    try {
      return await send({ ...call, authorize }, read)
    } catch (error) {
      // A new token does not help against wrong credentials.
      if (!(error instanceof AuthenticationError) || error.code === 'invalid_credentials' || !token) throw error
      tokens.drop(token)
      if (!call.repeatable) throw error
      return send({ ...call, authorize }, read)
    }
  }

  const request = (method: string, path: string, options: LooseOptions = {}) => {
    const call: Call = {
      method,
      path: fill(path, options.path) + queryString(options.query),
      headers: {
        ...options.headers,
        ...(installId !== undefined && { 'x-app-install-id': installId }),
        ...(method !== 'GET' && { 'idempotency-key': options.idempotencyKey ?? randomId() }),
        ...(options.dryRun && { prefer: 'dry-run' }),
        ...(options.ifMatch !== undefined && { 'if-match': ifMatchHeader(options.ifMatch) }),
      },
      signal: options.signal,
      keepalive: options.keepalive ?? method === 'DELETE',
      ...bodyOf(method, options),
    }
    return tokens ? sendWithToken(call, tokens) : send(call, read)
  }
  return (async (method: string, path: string, options?: LooseOptions) => request(method, path, options)) as Request
}
