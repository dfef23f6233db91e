import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import type { AppRecord } from '../../core/http/access.ts'
import { type Db, type Tx, transact } from '../../core/storage/database.ts'
import { refuseRemoved } from '../auth/refuse-removed.ts'
import { hashSecret } from '../auth/secrets.ts'
import { recordConnection } from './connected-assistants.ts'
import { oauthError } from './oauth-error.ts'

export const ACCESS_SECONDS = 3_600
/** A public client that has not been used for this long asks its user again. */
const REFRESH_DAYS = 30
/** A client that lost the reply may use its refresh token again within this time. */
const GRACE_SECONDS = 10

export interface Granted {
  grant: string
  installation: string
  account: string | null
  refreshToken: string | undefined
}

export const noInstallation = () => oauthError('invalid_grant', 'This app has no such installation.')

const until = (seconds: number) => sql<Date>`now() + ${seconds} * interval '1 second'`

interface NewGrant {
  app_id: string
  installation_id: string
  /** The person for whom a client without a secret acts. */
  account_id: string | null
}

const addGrant = async (db: Db, grant: NewGrant, seconds: number): Promise<string> => {
  const { id } = await db
    .insertInto('oauth_grant')
    .values({ ...grant, expires_at: until(seconds) })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

const addRefreshToken = async (db: Tx, grant_id: string): Promise<string> => {
  const token = `rt_${randomBytes(32).toString('base64url')}`
  await db
    .insertInto('oauth_refresh')
    .values({ token_hash: hashSecret(token), grant_id })
    .execute()
  return token
}

export const endGrant = (db: Db, id: string) => db.deleteFrom('oauth_grant').where('id', '=', id).execute()

export const grantInstallation = (db: Db, app: AppRecord, installation: string) =>
  addGrant(db, { app_id: app.id, installation_id: installation, account_id: null }, ACCESS_SECONDS).catch(
    refuseRemoved(noInstallation),
  )

const VERIFIER = /^[\w.~-]{43,128}$/

const provesChallenge = (verifier: string, challenge: string) => {
  if (!VERIFIER.test(verifier)) return false
  const computed = Buffer.from(createHash('sha256').update(verifier).digest('base64url'))
  const wanted = Buffer.from(challenge)
  return computed.length === wanted.length && timingSafeEqual(computed, wanted)
}

const lockCode = (db: Tx, code: string) =>
  db
    .selectFrom('oauth_code')
    .select(['app_id', 'installation_id', 'account_id', 'redirect_uri', 'challenge', 'used_at', 'grant_id'])
    .select(sql<boolean>`expires_at <= now()`.as('is_expired'))
    .where('code_hash', '=', hashSecret(code))
    .forUpdate()
    .executeTakeFirst()

interface CodeUse {
  code: string
  redirectUri: string
  verifier: string
}

interface Refusal {
  refusal: string
  /** Tokens have ended. */
  hasEnded?: boolean
}

type Exchanged = Granted | Refusal

/**
 * Exchanges a code, once. A second use ends the tokens of the first: one of the two users has stolen it. Refusals are
 * returned, not thrown, because what they change must be committed.
 */
const useCode = async (db: Tx, app: AppRecord, { code, redirectUri, verifier }: CodeUse): Promise<Exchanged> => {
  const found = await lockCode(db, code)
  if (!found || found.app_id !== app.id) return { refusal: 'The code is not valid.' }
  if (found.used_at) {
    if (found.grant_id) await endGrant(db, found.grant_id)
    return { refusal: 'The code has been used before.', hasEnded: found.grant_id !== null }
  }
  const use = (grant_id: string | null) =>
    db
      .updateTable('oauth_code')
      .set({ used_at: sql`now()`, grant_id })
      .where('code_hash', '=', hashSecret(code))
      .execute()
  const refuse = async (refusal: string) => {
    await use(null)
    return { refusal }
  }
  if (found.is_expired) return refuse('The code has expired.')
  if (found.redirect_uri !== redirectUri) return refuse('redirect_uri differs from that of the request.')
  if (!provesChallenge(verifier, found.challenge)) return refuse('code_verifier does not match code_challenge.')
  const seconds = app.is_public ? REFRESH_DAYS * 24 * 3_600 : ACCESS_SECONDS
  const { app_id, installation_id, account_id } = found
  const grant = await addGrant(db, { app_id, installation_id, account_id }, seconds)
  await use(grant)
  if (account_id) await recordConnection(db, installation_id, account_id)
  const refreshToken = app.is_public ? await addRefreshToken(db, grant) : undefined
  return { grant, installation: installation_id, account: account_id, refreshToken }
}

/** A refresh token is replaced by each use. One that comes back later was stolen, so its whole chain ends. */
const useRefreshToken = async (db: Tx, app: AppRecord, token: string): Promise<Exchanged> => {
  const found = await db
    .selectFrom('oauth_refresh as r')
    .innerJoin('oauth_grant as g', 'g.id', 'r.grant_id')
    .select(['g.id as grant', 'g.installation_id', 'g.account_id', 'r.used_at'])
    .select(sql<boolean>`r.used_at < now() - ${GRACE_SECONDS} * interval '1 second'`.as('is_reused'))
    .select(sql<boolean>`g.expires_at <= now()`.as('is_expired'))
    .where('r.token_hash', '=', hashSecret(token))
    .where('g.app_id', '=', app.id)
    .forUpdate()
    .executeTakeFirst()
  if (!found || found.is_expired) return { refusal: 'The refresh token is not valid.' }
  if (found.is_reused) {
    await endGrant(db, found.grant)
    return { refusal: 'The refresh token has been used before.', hasEnded: true }
  }
  if (!found.used_at)
    await db
      .updateTable('oauth_refresh')
      .set({ used_at: sql`now()` })
      .where('token_hash', '=', hashSecret(token))
      .execute()
  await db
    .updateTable('oauth_grant')
    .set({ expires_at: until(REFRESH_DAYS * 24 * 3_600) })
    .where('id', '=', found.grant)
    .execute()
  if (found.account_id) await recordConnection(db, found.installation_id, found.account_id)
  return {
    grant: found.grant,
    installation: found.installation_id,
    account: found.account_id,
    refreshToken: await addRefreshToken(db, found.grant),
  }
}

/** This node forgets tokens that have ended before it replies. The others hear of it. */
type Forget = () => void

const orRefuse = (result: Exchanged, forget: Forget): Granted => {
  if (!('refusal' in result)) return result
  if (result.hasEnded) forget()
  throw oauthError('invalid_grant', result.refusal)
}

export const exchangeCode = async (db: Db, app: AppRecord, use: CodeUse, forget: Forget) =>
  orRefuse(await transact(db, (db) => useCode(db, app, use)), forget)

export const exchangeRefreshToken = async (db: Db, app: AppRecord, token: string, forget: Forget) =>
  orRefuse(await transact(db, (db) => useRefreshToken(db, app, token)), forget)

/** Ends what a refresh token belongs to, if it is the app's own. */
export const revokeRefreshToken = (db: Db, app: AppRecord, token: string) =>
  db
    .deleteFrom('oauth_grant')
    .where('app_id', '=', app.id)
    .where('id', 'in', (eb) =>
      eb.selectFrom('oauth_refresh').select('grant_id').where('token_hash', '=', hashSecret(token)),
    )
    .returning('id')
    .execute()
