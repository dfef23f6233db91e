import { randomBytes } from 'node:crypto'
import type { AppRecord } from '../../core/http/access.ts'
import { countInWindow, readWindow, tooManyRequests } from '../../core/http/rate-limits.ts'
import type { Db } from '../../core/storage/database.ts'
import { LimitedMap } from '../../core/storage/limited-map.ts'
import { ApiError } from '../../errors.ts'
import type { AccessCache } from './access-cache.ts'
import type { AccessTokens } from './access-tokens.ts'
import type { Credentials } from './credentials.ts'
import { findAppByClientId, recordAppUse } from './queries.ts'
import { isValidSecret, type KnownSecrets } from './secrets.ts'

const MAX_FAILURES = 30
const UNKNOWN_APP: KnownSecrets = { secret_hash: randomBytes(32), old_secret: undefined }

interface Attempt {
  credentials: Credentials
  /** Network of the caller, for counting failures. */
  address: string
}

interface TokenRequest extends Attempt {
  installId: string | undefined
  ttl: number
}

const tooManyFailures = (left: number) => tooManyRequests('Too many failed attempts with this client_id.', left)

/** The console's tokens come from a person's session, those of assistants from a person's consent, and never from a secret. */
const mayAuthenticate = ({ disabled, built_in, is_public }: AppRecord) => !disabled && !built_in && !is_public

/** How long an app that has just been let in need not be looked up among those with too many failures. */
const TRUSTED_MS = 1_000
const MAX_TRUSTED = 20_000

/** When the failures of a client and address were last found to be few, by `performance.now()`. */
const trusted = new LimitedMap<string, number>(MAX_TRUSTED)

const isTrusted = (key: string) => performance.now() - (trusted.get(key) ?? Number.NEGATIVE_INFINITY) < TRUSTED_MS

/**
 * Finds the app of these credentials. An unknown client and a wrong secret take the same steps, so that timing reveals
 * nothing. After too many failures, even the right secret is refused.
 */
export const authenticate = async (
  db: Db,
  accessCache: AccessCache,
  { credentials, address }: Attempt,
): Promise<AppRecord> => {
  const { clientId, clientSecret } = credentials
  const failures = `get-token:${clientId}:${address}`
  const known = await accessCache.client(clientId)
  const isKnown = known && mayAuthenticate(known) && isValidSecret(clientSecret, known)
  if (isKnown && isTrusted(failures)) return known
  const before = await readWindow(db, failures)
  if (before.used >= MAX_FAILURES) throw tooManyFailures(before.left)
  if (isKnown) {
    trusted.set(failures, performance.now())
    return known
  }
  const fresh = await findAppByClientId(db, clientId)
  const matches = isValidSecret(clientSecret, fresh ?? UNKNOWN_APP)
  if (fresh && mayAuthenticate(fresh) && matches) return fresh
  trusted.delete(failures)
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

const MAX_RECORDED = 20_000

/** Records at most once a minute that an app and its installation are in use, without delaying the request. */
export const createAppUseRecorder = (db: Db) => {
  const lastRecorded = new LimitedMap<string, number>(MAX_RECORDED)
  return (app: AppRecord, installId: string | undefined) => {
    const now = Date.now()
    const key = installId ?? app.id
    if (now - (lastRecorded.get(key) ?? 0) < 60_000) return
    lastRecorded.set(key, now)
    recordAppUse(db, app.id, installId).catch(() => lastRecorded.delete(key))
  }
}
