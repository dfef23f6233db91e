import type { FastifyRequest } from 'fastify'
import type { Api } from '../../core/http/api.ts'
import { innerCalls, type SeenVersion } from '../../core/http/inner-calls.ts'
import type { Rehearsal } from '../../core/storage/database-caller.ts'
import { databaseCaller } from '../../core/storage/database-caller.ts'
import type { Call } from './operations.ts'
import { ToolError } from './tool-error.ts'

export interface ApiReply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: replies of every operation.
  body: any
  /** In bytes, of the body. */
  size: number
  etag: string | undefined
  ignored: string[]
}

interface CallOptions {
  headers?: Record<string, string>
  rehearsal?: Rehearsal
  sees?: (version: SeenVersion) => void
}

export type CallApi = (call: Call, options?: CallOptions) => Promise<ApiReply>

/** Headers of the caller that decide what it may do, and those by which its requests are found in the log. */
const FORWARDED = ['authorization', 'x-app-install-id', 'host'] as const

const ignoredIn = (header: unknown) => (typeof header === 'string' && header !== '' ? header.split(', ') : [])

/**
 * Sends requests to this service as the caller of the given one. They pass every check that a request from outside
 * passes, so an assistant can do what its token can do, and nothing else.
 */
export const createCallApi =
  (app: Api, request: FastifyRequest): CallApi =>
  async ({ method, url, body }, { headers, rehearsal, sees } = {}) => {
    const own = FORWARDED.flatMap((name) => {
      const value = request.headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    })
    const sent = {
      method: method as 'GET',
      url,
      remoteAddress: request.raw.socket.remoteAddress ?? '127.0.0.1',
      headers: { ...Object.fromEntries(own), accept: 'application/json', 'x-request-id': request.id, ...headers },
      ...(body !== undefined && { payload: body }),
    }
    const trace = databaseCaller.getStore()?.trace
    // As for a request from outside, the database learns who is calling once access was checked.
    const reply = await innerCalls.run({ via: 'assistant', trace, rehearsal, sees }, () =>
      databaseCaller.exit(async () => app.inject(sent)),
    )
    const isJson = String(reply.headers['content-type'] ?? '').startsWith('application/json')
    return {
      status: reply.statusCode,
      size: reply.rawPayload.length,
      body: isJson && reply.payload !== '' ? JSON.parse(reply.payload) : undefined,
      etag: reply.headers.etag as string | undefined,
      ignored: ignoredIn(reply.headers['x-ignored-input']),
    }
  }

/** Ends a whole plan; everything else that a reply refuses is about one item. */
export const endsAll = ({ status }: ApiReply) => [401, 429, 500, 503].includes(status)

const HINTS: Record<string, string> = {
  not_found: 'Look the id up with the tool find or read.',
  version_mismatch: 'It was changed meanwhile: plan again.',
  rate_limited: 'Wait a minute, then go on.',
  unavailable: 'Try again in a few seconds.',
}

export const refusalOf = ({ status, body }: ApiReply, operation?: string) => {
  const { code = 'server_error', message = 'The service gave no answer.', errors = {} } = body ?? {}
  const hint = code === 'validation_failed' && operation ? `describe ${operation} shows what it takes.` : HINTS[code]
  return { status, code, message, ...(Object.keys(errors).length > 0 && { errors }), ...(hint && { hint }) }
}

/** The `data` of a reply; a refusal becomes an error for the model. */
// biome-ignore lint/suspicious/noExplicitAny: replies of every operation.
export const dataOf = (reply: ApiReply, operation?: string): any => {
  if (reply.status === 200) return reply.body.data
  const refusal = refusalOf(reply, operation)
  throw new ToolError(String(refusal.message), { refusal, permission: permissionIn(reply) })
}

/** The permission that a refusal names. */
export const permissionIn = ({ status, body }: ApiReply): string | undefined =>
  status === 403 && body?.code === 'forbidden' ? /permission (\w+:\w+)/.exec(body.message)?.[1] : undefined
