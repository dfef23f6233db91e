import type { Send } from './send.ts'
import type { Operations } from './types.ts'

/** A token and its lifetime in seconds, if known. */
export interface IssuedToken {
  token: string
  ttl?: number
}

export type GetToken = () => Promise<string | IssuedToken>

export interface Credentials {
  clientId: string
  clientSecret: string
  /** Restricts the tokens to this installation. */
  installId?: string | undefined
  /** Requested lifetime in seconds. */
  tokenTtl?: number | undefined
}

export const issueWith =
  (send: Send, { clientId, clientSecret, installId, tokenTtl }: Credentials): GetToken =>
  () => {
    const body = JSON.stringify({
      client_id: clientId,
      client_secret: clientSecret,
      ...(installId !== undefined && { install_id: installId }),
      ...(tokenTtl !== undefined && { ttl: tokenTtl }),
    })
    const call = {
      method: 'POST',
      path: '/auth/get-token',
      headers: {},
      makeBody: () => ({ body, contentType: 'application/json' }),
      repeatable: true,
      signal: undefined,
    }
    return send(
      call,
      async (response) => ((await response.json()) as { data: Operations['POST /auth/get-token']['reply'] }).data,
    )
  }

/** Renews a token early, so that it does not expire in transit: by a tenth of its lifetime, at most a minute. */
const MAX_MARGIN = 60_000

/** Stops waiting when the signal is aborted. The work continues: others may be waiting for it too. */
const orAborted = <T>(work: Promise<T>, signal: AbortSignal | undefined) => {
  if (!signal) return work
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}

/** Caches a token and renews it, once for all calls that wait for it. */
export const createTokens = (getToken: GetToken) => {
  let current: { token: string; until: number } | undefined
  let renewal: Promise<string> | undefined

  const renew = async () => {
    const asked = Date.now()
    const issued = await getToken()
    const { token, ttl = Number.POSITIVE_INFINITY } = typeof issued === 'string' ? { token: issued } : issued
    current = { token, until: asked + ttl * 1000 - Math.min(ttl * 100, MAX_MARGIN) }
    return token
  }

  const get = (signal: AbortSignal | undefined): Promise<string> => {
    if (current && Date.now() < current.until) return Promise.resolve(current.token)
    renewal ??= renew().finally(() => {
      renewal = undefined
    })
    return orAborted(renewal, signal)
  }

  return {
    get,
    /** Discards a token that the server refused, unless it has been replaced already. */
    drop: (token: string) => {
      if (current?.token === token) current = undefined
    },
  }
}

export type Tokens = ReturnType<typeof createTokens>
