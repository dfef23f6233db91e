import { randomBytes } from 'node:crypto'
import { ApiError } from '../errors.ts'
import type { AppRecord } from '../http/access.ts'
import { countInWindow, readWindow, tooManyRequests } from '../http/rate-limits.ts'
import type { Db } from '../storage/database.ts'
import type { AccessCache } from './access-cache.ts'
import type { AccessTokens } from './access-tokens.ts'
import type { Credentials } from './credentials.ts'
import { findAppByClientId, recordAppUse } from './queries.ts'
import { isValidSecret, type KnownSecrets } from './secrets.ts'

const MAX_FAILURES = 30
const UNKNOWN_APP: KnownSecrets = { secret_hash: randomBytes(32), old_secret: undefined }

interface TokenRequest {
  credentials: Credentials
  installId: string | undefined
  ttl: number
  /** Network of the caller, for counting failures. */
  address: string
}

const tooManyFailures = (left: number) => tooManyRequests('Too many failed attempts with this client_id.', left)

/** The console's tokens come from a person's session, never from a secret. */
const mayAuthenticate = ({ disabled, built_in }: AppRecord) => !disabled && !built_in

/**
 * Finds the app of these credentials. An unknown client and a wrong secret take the same steps, so that timing reveals
 * nothing. After too many failures, even the right secret is refused.
 */
const authenticate = async (
  db: Db,
  accessCache: AccessCache,
  { credentials, address }: TokenRequest,
): Promise<AppRecord> => {
  const { clientId, clientSecret } = credentials
  const failures = `get-token:${clientId}:${address}`
  const before = await readWindow(db, failures)
  if (before.used >= MAX_FAILURES) throw tooManyFailures(before.left)
  const known = await accessCache.client(clientId)
  if (known && mayAuthenticate(known) && isValidSecret(clientSecret, known)) return known
  const fresh = await findAppByClientId(db, clientId)
  const matches = isValidSecret(clientSecret, fresh ?? UNKNOWN_APP)
  if (fresh && mayAuthenticate(fresh) && matches) return fresh
  const { used, left } = await countInWindow(db, failures)
  if (used > MAX_FAILURES) throw tooManyFailures(left)
  throw new ApiError('invalid_credentials')
}

export const issueToken = async (db: Db, accessCache: AccessCache, tokens: AccessTokens, request: TokenRequest) => {
  const app = await authenticate(db, accessCache, request)
  const installId = request.installId
  if (installId && (await accessCache.installation(installId))?.app_id !== app.id)
    throw new ApiError('install_not_granted', 'This app has no such installation.')
  const expires = Date.now() / 1000 + request.ttl
  const token = tokens.sign({ appId: app.id, generation: app.generation, installId, expires })
  return { app, token }
}

/** Records at most once a minute that an app is in use, without delaying the request. */
export const createAppUseRecorder = (db: Db) => {
  const lastRecorded = new Map<string, number>()
  return (app: AppRecord) => {
    const now = Date.now()
    if (now - (lastRecorded.get(app.id) ?? 0) < 60_000) return
    lastRecorded.set(app.id, now)
    recordAppUse(db, app.id).catch(() => lastRecorded.delete(app.id))
  }
}
