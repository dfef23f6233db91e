import type { FastifyReply, FastifyRequest } from 'fastify'
import { API_PREFIX } from '../../config/config.ts'
import { isUuid } from '../../core/input/uuid.ts'
import { newId } from '../../core/storage/new-id.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

/** A line of the log. Never has a query, a body, a token or an address. */
export interface CallRecord {
  id: string
  at: string
  request_id: string
  app_id: string | null
  store_id: StoreId | null
  installation_id: string | null
  account_id: string | null
  method: string | null
  route: string | null
  resource_id: string | null
  status: number
  ms: number | null
  bytes_in: number | null
  bytes_out: number | null
  code: string | null
  fields: string[] | null
  permission: string | null
  ignored: string[] | null
  idempotency_key: string | null
  is_replay: boolean
  agent: string | null
  via: string | null
  skipped: number
}

const MAX_NAMES = 20
const MAX_NAME_LENGTH = 100
const MAX_KEY_LENGTH = 255

/** PostgreSQL stores no NUL and no half of a surrogate pair. */
export const storable = (text: string, length = MAX_NAME_LENGTH) =>
  text
    .slice(0, length)
    .replaceAll('\0', '')
    .replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '')

const namesOf = (names: readonly string[]) =>
  names.length === 0 ? null : names.slice(0, MAX_NAMES).map((name) => storable(name))

const header = (value: unknown) => (typeof value === 'string' ? value : undefined)

const sizeOf = (value: unknown) => {
  const size = Number(value ?? Number.NaN)
  return Number.isSafeInteger(size) && size >= 0 ? size : null
}

/** `/oauth` and the API. Pages, health and the console's own routes are no calls of apps. */
const isCall = (path: string) => path.startsWith(`${API_PREFIX}/`) || path.startsWith('/oauth/')

export const isLogged = ({ method, route, url }: FastifyRequest) =>
  method !== 'OPTIONS' && !route.quiet && isCall(route.url ?? url)

const pathId = (params: unknown) => {
  const id = (params as { id?: unknown } | undefined)?.id
  return typeof id === 'string' && isUuid(id) ? id.toLowerCase() : null
}

/** What is counted of every call. */
export const countedOf = ({ caller, method, route }: FastifyRequest, reply: FastifyReply) => ({
  app_id: caller?.app.id ?? null,
  store_id: caller?.installation?.store_id ?? null,
  installation_id: caller?.installation?.id ?? null,
  method,
  route: route.url ?? null,
  status: reply.statusCode,
  ms: Math.round(reply.elapsedTime * 10) / 10,
})

type Counted = ReturnType<typeof countedOf>

/** The whole line, of a call that is kept. */
export const describeCall = (
  { caller, failure, headers, id, params }: FastifyRequest,
  reply: FastifyReply,
  counted: Counted,
  at: number,
): CallRecord => {
  const key = header(headers['idempotency-key'])
  const agent = header(headers['user-agent'])
  const ignored = header(reply.getHeader('x-ignored-input'))
  return {
    ...counted,
    id: newId(),
    at: new Date(at).toISOString(),
    request_id: id,
    account_id: caller?.app.account?.id ?? null,
    resource_id: pathId(params),
    bytes_in: sizeOf(headers['content-length']),
    bytes_out: sizeOf(reply.getHeader('content-length')),
    code: failure?.code ?? null,
    fields: failure ? namesOf(Object.keys(failure.fields)) : null,
    permission: failure?.permission ?? null,
    ignored: ignored ? namesOf(ignored.split(/, */)) : null,
    idempotency_key: key ? storable(key, MAX_KEY_LENGTH) : null,
    is_replay: reply.hasHeader('idempotency-replayed'),
    agent: agent ? storable(agent) : null,
    via: caller?.app.via ?? null,
    skipped: 0,
  }
}

const NOBODY = {
  app_id: null,
  store_id: null,
  installation_id: null,
  account_id: null,
  method: null,
  route: null,
  resource_id: null,
  ms: null,
  bytes_in: null,
  bytes_out: null,
  fields: null,
  permission: null,
  ignored: null,
  idempotency_key: null,
  is_replay: false,
  agent: null,
  via: null,
  skipped: 0,
} satisfies Partial<CallRecord>

export interface Rejection {
  request_id: string
  method: string | null
  status: number
}

/** A request that was refused before its route was known. */
export const describeRejection = (rejection: Rejection, at: number): CallRecord => ({
  ...NOBODY,
  id: newId(),
  at: new Date(at).toISOString(),
  code: 'bad_request',
  ...rejection,
})

export const LOG_FULL = 'call_log_full'

/** Says in the log itself that lines are missing. */
export const describeLoss = (lost: number): CallRecord => {
  const id = newId()
  return { ...NOBODY, id, at: new Date().toISOString(), request_id: id, status: 0, code: LOG_FULL, skipped: lost }
}
