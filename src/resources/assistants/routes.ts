import type { FastifyReply, FastifyRequest } from 'fastify'
import type pg from 'pg'
import type { Logger } from 'pino'
import { Type } from 'typebox'
import { type Config, MCP_PATH } from '../../config/config.ts'
import type { Api } from '../../core/http/api.ts'
import { oneOf, Uuid } from '../../core/input/schemas.ts'
import { isUuid } from '../../core/input/uuid.ts'
import type { OpenApiDocument } from '../../core/openapi/document.ts'
import type { Db } from '../../core/storage/database.ts'
import { ApiError } from '../../errors.ts'
import { publicOrigin } from '../accounts/transport.ts'
import { createCallApi } from './call-api.ts'
import { type CallState, loadHandler } from './mcp-handler.ts'
import { collectOperations } from './operations.ts'
import type { ToolContext } from './tool-context.ts'

export interface AssistantServices {
  config: Config
  db: Db
  log: Logger
  assistants: { key: Buffer; connect: () => Promise<pg.PoolClient> }
}

/** In bytes: 200 items of a plan. */
const MAX_BODY = 1024 * 1024

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** A page of another site, whose name was perhaps made to resolve to this machine. The protocol wants it refused. */
const refuseForeignPage = ({ headers: { origin } }: FastifyRequest, own: string, allowed: Config['CORS_ORIGIN']) => {
  if (origin === undefined || allowed === '*' || allowed?.includes(origin)) return
  if (URL.canParse(origin)) {
    const { host, hostname } = new URL(origin)
    if (host === new URL(own).host || LOOPBACK.test(hostname)) return
  }
  throw new ApiError('forbidden', 'Pages of this site may not call the service: see CORS_ORIGIN.')
}

const createOnce = <T>(make: () => T) => {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** The endpoint for assistants. `buildDocument` makes the OpenAPI document that describe shows parts of. */
export const assistantRoutes = (
  app: Api,
  { config, db, assistants, log }: AssistantServices,
  buildDocument: () => OpenApiDocument,
) => {
  const document = createOnce(buildDocument)
  const operations = createOnce(() => collectOperations(app))
  const states = new WeakMap<Request, CallState>()
  let handler: ReturnType<typeof loadHandler> | undefined
  const load = () => {
    handler ??= loadHandler(
      (request) => states.get(request) as CallState,
      (err) => log.debug({ err }, 'A request of an assistant was refused.'),
    ).catch((error) => {
      handler = undefined
      throw error
    })
    return handler
  }

  const contextOf = (request: FastifyRequest, mode: ToolContext['mode']): ToolContext => {
    const { caller, store } = request
    const origin = publicOrigin(request, config)
    return {
      db,
      connect: assistants.connect,
      key: assistants.key,
      store,
      caller,
      permissions: caller.installation?.permissions ?? new Set(),
      mode,
      operations: operations(),
      callApi: createCallApi(app, request),
      document,
      storePage: (path) => `${origin}/console/s/${store}${path}`,
    }
  }

  const webRequest = (request: FastifyRequest) => {
    const headers = new Headers()
    for (const [name, value] of Object.entries(request.headers)) if (typeof value === 'string') headers.set(name, value)
    return new Request(new URL(request.url, publicOrigin(request, config)), { method: 'POST', headers })
  }

  const send = async (reply: FastifyReply, response: Response, state: CallState) => {
    // What is missing is known when the tool has ended, and a stream with it.
    const text = await response.text()
    const { missing } = state
    for (const [name, value] of response.headers) if (name !== 'content-length') reply.header(name, value)
    if (missing) reply.code(403).header('WWW-Authenticate', `Bearer error="insufficient_scope", scope="${missing}"`)
    else reply.code(response.status)
    return reply.header('Cache-Control', 'no-store').send(text)
  }

  /** Where an assistant without a token, or without a right, learns how its person can let it in (RFC 9728). */
  const pointToMetadata = async (request: FastifyRequest, reply: FastifyReply) => {
    const challenge = reply.getHeader('www-authenticate')
    if (typeof challenge !== 'string' || !challenge.startsWith('Bearer')) return
    const { store } = request.query as { store?: unknown }
    const named = typeof store === 'string' && isUuid(store) ? `?store=${store}` : ''
    const { origin, pathname } = new URL(publicOrigin(request, config))
    const place = `${origin}/.well-known/oauth-protected-resource${pathname.replace(/\/$/, '')}${MCP_PATH}${named}`
    const separator = challenge.includes('=') ? ', ' : ' '
    reply.header('www-authenticate', `${challenge}${separator}resource_metadata="${place}"`)
  }

  app.post(
    MCP_PATH,
    {
      bodyLimit: MAX_BODY,
      config: { access: 'installation', extension: true, protocol: 'mcp' },
      onSend: (request, reply) => pointToMetadata(request, reply),
      schema: {
        querystring: Type.Object({ mode: Type.Optional(oneOf(['read'])), store: Type.Optional(Uuid) }),
        body: Type.Unsafe<unknown>({}),
        // Replies of the protocol, or errors of the API before it.
        response: { 200: Type.Unsafe<string>({}), '4xx': Type.Unsafe<string>({}), '5xx': Type.Unsafe<string>({}) },
      },
    },
    async (request, reply) => {
      refuseForeignPage(request, publicOrigin(request, config), config.CORS_ORIGIN)
      const { store } = request.query
      // The address of one store, called with a token for another one.
      if (store !== undefined && store !== request.store) throw new ApiError('install_not_granted')
      const answer = await load()
      const state: CallState = { context: contextOf(request, request.query.mode ?? 'write'), missing: undefined }
      const asked = webRequest(request)
      states.set(asked, state)
      return send(reply, await answer(asked, request.body), state)
    },
  )
}
