import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { expect } from 'vitest'
import type { Api } from '../../src/core/http/api.ts'
import { namedSchemas } from '../../src/core/input/schemas.ts'
import { declaredSchemas } from '../../src/docs/build-document.ts'

export interface Reply {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape; the schema is checked below.
  body: any
}

type Compiled = ReturnType<typeof Compile>

/** What the schemas of an application may refer to: its resources declare the types of events and what bulk jobs import. */
const contexts = new WeakMap<Api, { schemas: Record<string, TSchema>; text: string }>()

const contextOf = (app: Api) => {
  const known = contexts.get(app)
  if (known) return known
  const schemas = { ...namedSchemas(), ...declaredSchemas(app) }
  const context = { schemas, text: JSON.stringify(schemas) }
  contexts.set(app, context)
  return context
}

/** By text: every test server has its own objects of the same schemas. */
const compiledTexts = new Map<string, Compiled>()
const compiled = new WeakMap<Api, Map<TSchema, Compiled>>()

const compile = (app: Api, schema: TSchema) => {
  const ofApp = compiled.get(app) ?? new Map<TSchema, Compiled>()
  compiled.set(app, ofApp)
  const known = ofApp.get(schema)
  if (known) return known
  const { schemas, text } = contextOf(app)
  const key = `${JSON.stringify(schema)} ${text}`
  const fresh = compiledTexts.get(key) ?? Compile(schemas, schema)
  compiledTexts.set(key, fresh)
  ofApp.set(schema, fresh)
  return fresh
}

/** Validates every JSON reply against the schema that its route documents. */
const checkAgainstDocuments = (app: Api, method: string, path: string, reply: Reply) => {
  const routes = app.routeTable.filter((route) => route.method === method && route.pattern.test(path))
  // As the router does: `/order/claim` before `/order/:id`, and both before `/console/*`.
  const route = routes.find(({ url }) => !/[:*]/.test(url)) ?? routes.find(({ url }) => !url.includes('*')) ?? routes[0]
  const documented = (route?.schema.response ?? {}) as Record<string, TSchema>
  const schema = documented[reply.status] ?? documented[`${Math.floor(reply.status / 100)}xx`]
  if (!route || method === 'HEAD' || !reply.headers.get('content-type')?.startsWith('application/json')) return
  expect(schema, `${method} ${route.url} does not document ${reply.status}: ${reply.text}`).toBeDefined()
  const checked = compile(app, schema as TSchema)
  if (!checked.Check(reply.body))
    expect(checked.Errors(reply.body), `${method} ${path} breaks its documented shape`).toEqual([])
}

export interface Caller {
  send: (method: string, path: string, body?: unknown, extra?: Record<string, string>) => Promise<Reply>
  get: (path: string, extra?: Record<string, string>) => Promise<Reply>
  post: (path: string, body?: unknown, extra?: Record<string, string>) => Promise<Reply>
  put: (path: string, body?: unknown, extra?: Record<string, string>) => Promise<Reply>
  delete: (path: string, extra?: Record<string, string>) => Promise<Reply>
  /** The same caller with more headers. */
  with: (more: Record<string, string>) => Caller
}
/** May be called before it is ready: the first call waits until it is. */
export type LazyCaller = Promise<Caller> & Caller

export const lazyCaller = (caller: Promise<Caller>): LazyCaller =>
  Object.assign(caller, {
    send: async (...call: Parameters<Caller['send']>) => (await caller).send(...call),
    get: async (...call: Parameters<Caller['get']>) => (await caller).get(...call),
    post: async (...call: Parameters<Caller['post']>) => (await caller).post(...call),
    put: async (...call: Parameters<Caller['put']>) => (await caller).put(...call),
    delete: async (...call: Parameters<Caller['delete']>) => (await caller).delete(...call),
    with: (more: Record<string, string>) => lazyCaller(caller.then((ready) => ready.with(more))),
  })

/** An HTTP client of a test server that sends the same headers with every call. */
export const createCaller = (app: Api, origin: string, prefix: string, headers: Record<string, string>): Caller => {
  const send = async (method: string, path: string, body?: unknown, extra: Record<string, string> = {}) => {
    const form = body instanceof FormData || typeof body === 'string' || body instanceof Uint8Array
    const response = await fetch(origin + prefix + path, {
      method,
      headers: {
        // fetch() asks for gzip. Compression has its own tests.
        'accept-encoding': 'identity',
        ...headers,
        ...(body !== undefined && !form && { 'content-type': 'application/json' }),
        ...extra,
      },
      body: (form ? body : body === undefined ? undefined : JSON.stringify(body)) as RequestInit['body'],
    })
    const text = await response.text()
    const json = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
    const reply = {
      status: response.status,
      headers: response.headers,
      text,
      body: json ? JSON.parse(text) : undefined,
    }
    // A selection of fields lacks those that are required.
    if (response.status !== 200 || !/[?&]fields=/.test(path))
      checkAgainstDocuments(app, method, (prefix + path).split('?', 1)[0] as string, reply)
    return reply as Reply
  }
  return {
    send,
    get: (path, extra) => send('GET', path, undefined, extra),
    post: (path, body, extra) => send('POST', path, body, extra),
    put: (path, body, extra) => send('PUT', path, body, extra),
    delete: (path, extra) => send('DELETE', path, undefined, extra),
    with: (more) => createCaller(app, origin, prefix, { ...headers, ...more }),
  }
}
