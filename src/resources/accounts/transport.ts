import type { AddressInfo } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'

const LOOPBACK_HOST = /^(localhost|[\w-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i

/** How the browser reaches the console: whether its cookie is secure, and which origin is ours. */
interface Transport {
  isHttps: boolean
  /** Whether a cookie cannot be intercepted: https, or a loopback connection. */
  isSafe: boolean
  origin: string
  cookieName: string
  cookiePath: string
}

/** The proxy reports the scheme of the original request. */
const forwardedHttps = ({ headers }: FastifyRequest, { TRUST_PROXY }: Config) =>
  TRUST_PROXY !== 0 &&
  String(headers['x-forwarded-proto'] ?? '')
    .split(',')
    .pop()
    ?.trim() === 'https'

/** `config.origin` with the actual port, if the system chose it. */
export const publicOrigin = (request: FastifyRequest, { origin }: Config) =>
  origin.replace(/:0(?=\/|$)/, `:${(request.server.server.address() as AddressInfo | null)?.port ?? 0}`)

export const transportOf = (request: FastifyRequest, config: Config): Transport => {
  const host = request.headers.host ?? ''
  const known = new URL(publicOrigin(request, config))
  const isLoopback = LOOPBACK_HOST.test(host)
  const isHttps = !isLoopback && (known.protocol === 'https:' || forwardedHttps(request, config))
  const scheme = isHttps ? 'https' : 'http'
  return {
    isHttps,
    isSafe: isHttps || isLoopback,
    origin: isHttps && known.protocol === 'https:' ? known.origin : `${scheme}://${host}`,
    cookieName: isHttps ? '__Secure-console' : 'console',
    cookiePath: `${known.pathname.replace(/\/$/, '')}/console`,
  }
}
