import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Config } from '../../config/config.ts'
import type { Db, Tx } from '../../core/storage/database.ts'
import { ApiError } from '../../errors.ts'
import { hashSecret } from '../auth/secrets.ts'
import type { Pending } from './pending.ts'
import { transportOf } from './transport.ts'

const MAX_DAYS = 7
const CONFIRMED_MINUTES = 15
const MAX_AGENT_LENGTH = 200

export interface SessionAccount {
  id: string
  email: string
  name: string
  is_operator: boolean
  /** Of at least one app. */
  is_developer: boolean
  language: 'en' | 'fr' | 'ar' | null
  theme: 'light' | 'dark' | null
  generation: number
}

export interface Session {
  id: string
  account: SessionAccount
  /** Whether the password was entered within the last minutes. */
  confirmed: boolean
  pending: Pending | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on routes with `access: 'account'`. */
    session: Session
  }
  interface FastifyContextConfig {
    /** The route requires that the password was entered within the last 15 minutes. */
    confirmed?: boolean
    /** The route also answers sessions that wait for this. */
    pending?: readonly Pending[]
  }
}

const readCookie = ({ headers }: FastifyRequest, name: string) =>
  (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim().split('='))
    .find(([key]) => key === name)?.[1]

const sessionSecret = (request: FastifyRequest, config: Config) => {
  const { isSafe, cookieName } = transportOf(request, config)
  const secret = isSafe ? readCookie(request, cookieName) : undefined
  return secret && /^[\w-]{43}$/.test(secret) ? hashSecret(secret) : undefined
}

/** Judged at every request, so that sessions made before a factor or the requirement do not get around it. */
const PENDING_SQL = sql<Pending | null>`case
  when exists (select 1 from authenticator f where f.account_id = a.id and f.salt is not null)
    or exists (select 1 from passkey f where f.account_id = a.id)
  then case when s.second_factor_at is null then 'verify' end
  when exists (select 1 from setting r where r.name = 'second_factor'
    and (r.value = 'everybody' or r.value = 'operators' and a.is_operator))
  then 'enrol' end`

const find = (db: Db, secret: Buffer, hours: number) =>
  db
    .selectFrom('session as s')
    .innerJoin('account as a', 'a.id', 's.account_id')
    .select(['s.id', 'a.id as account_id', 'a.email', 'a.name', 'a.is_operator', 'a.language', 'a.theme'])
    .select('a.generation')
    .select(sql<boolean>`exists (select 1 from app_member m where m.account_id = a.id)`.as('is_developer'))
    .select(sql<boolean>`s.confirmed_at > now() - ${CONFIRMED_MINUTES} * interval '1 minute'`.as('confirmed'))
    .select(sql<boolean>`s.used_at < now() - interval '1 minute'`.as('stale'))
    .select(PENDING_SQL.as('pending'))
    .where('s.secret_hash', '=', secret)
    .where('a.disabled_at', 'is', null)
    .where('s.used_at', '>', sql<Date>`now() - ${hours} * interval '1 hour'`)
    .where('s.created_at', '>', sql<Date>`now() - ${MAX_DAYS} * interval '1 day'`)
    .executeTakeFirst()

const recordUse = async (db: Db, id: string, account: string) => {
  await db.updateTable('session').set({ used_at: sql`now()` }).where('id', '=', id).execute()
  await db.updateTable('account').set({ last_seen_at: sql`now()` }).where('id', '=', account).execute()
}

/** Whether the request has a valid session. Does not throw. */
export const hasSession = async (db: Db, config: Config, request: FastifyRequest) => {
  const secret = sessionSecret(request, config)
  return secret !== undefined && (await find(db, secret, config.SESSION_HOURS)) !== undefined
}

const onlyOperators = () => new ApiError('forbidden', 'Only operators may do this.')

const refusalOf = (pending: Pending) =>
  new ApiError(pending === 'verify' ? 'second_factor_required' : 'second_factor_missing')

const refusePending = ({ route }: FastifyRequest, pending: Pending) => {
  if (!route.pending?.includes(pending)) throw refusalOf(pending)
}

/** Sets `request.session`, or refuses a request without a valid one. */
export const createSessionCheck = (db: Db, config: Config) => async (request: FastifyRequest) => {
  const secret = sessionSecret(request, config)
  const row = secret && (await find(db, secret, config.SESSION_HOURS))
  if (!row) throw new ApiError('sign_in_required')
  const { id, account_id, confirmed, stale, pending, ...account } = row
  if (stale) await recordUse(db, id, account_id)
  if (pending) refusePending(request, pending)
  if (request.route.access === 'operator' && !account.is_operator) throw onlyOperators()
  if (request.route.confirmed && !confirmed) throw new ApiError('confirmation_required')
  request.session = { id, account: { id: account_id, ...account }, confirmed, pending: pending ?? undefined }
}

/**
 * The person of a session, as they are now. Neither can end until the transaction does. For what has waited for somebody else
 * since the session was checked.
 */
export const holdSession = async (db: Tx, { id, account }: Session): Promise<SessionAccount> => {
  // In the order in which a new password locks them.
  await db.selectFrom('account').select('id').where('id', '=', account.id).forShare().execute()
  await db.selectFrom('session').select('id').where('id', '=', id).forShare().execute()
  const row = await db
    .selectFrom('session as s')
    .innerJoin('account as a', 'a.id', 's.account_id')
    .select(['a.is_operator', PENDING_SQL.as('pending')])
    .where('s.id', '=', id)
    .where('a.disabled_at', 'is', null)
    .executeTakeFirst()
  if (!row) throw new ApiError('sign_in_required')
  if (row.pending) throw refusalOf(row.pending)
  return { ...account, is_operator: row.is_operator }
}

/** As holdSession, of an operator. */
export const holdOperator = async (db: Tx, session: Session) => {
  const account = await holdSession(db, session)
  if (!account.is_operator) throw onlyOperators()
  return account
}

const sendCookie = (reply: FastifyReply, config: Config, value: string, maxAge: number) => {
  const { isHttps, cookieName, cookiePath } = transportOf(reply.request, config)
  const secure = isHttps ? '; Secure' : ''
  reply.header(
    'Set-Cookie',
    `${cookieName}=${value}; Path=${cookiePath}; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure}`,
  )
}

/** What the session of this secret waits for. */
export const pendingOf = async (db: Db, config: Config, secret: string) =>
  (await find(db, hashSecret(secret), config.SESSION_HOURS))?.pending ?? null

/** Starts a new session, and ends the previous one of this browser. Returns its secret, for sendSession() after the commit. */
export const startSession = async (db: Db, request: FastifyRequest, config: Config, account: string) => {
  const before = sessionSecret(request, config)
  if (before) {
    const ended = await db.deleteFrom('session').where('secret_hash', '=', before).returning('account_id').execute()
    for (const { account_id } of ended) await revokeTokens(db, account_id)
  }
  const secret = randomBytes(32).toString('base64url')
  const agent = (request.headers['user-agent'] ?? '').slice(0, MAX_AGENT_LENGTH)
  await db
    .insertInto('session')
    .values({ secret_hash: hashSecret(secret), account_id: account, agent })
    .execute()
  await db.updateTable('account').set({ last_seen_at: sql`now()` }).where('id', '=', account).execute()
  return secret
}

export const sendSession = (reply: FastifyReply, config: Config, secret: string) =>
  sendCookie(reply, config, secret, MAX_DAYS * 24 * 3600)

export const forgetCookie = (reply: FastifyReply, config: Config) => sendCookie(reply, config, '', 0)

export const confirmSession = (db: Db, id: string) =>
  db.updateTable('session').set({ confirmed_at: sql`now()` }).where('id', '=', id).execute()

export const revokeTokens = (db: Db, account: string) =>
  db
    .updateTable('account')
    .set((eb) => ({ generation: eb('generation', '+', 1) }))
    .where('id', '=', account)
    .execute()

/** Ends all sessions of an account but this one, and its console tokens. */
export const endOtherSessions = async (db: Db, account: string, kept?: string) => {
  await db
    .deleteFrom('session')
    .where('account_id', '=', account)
    .$if(kept !== undefined, (query) => query.where('id', '<>', kept as string))
    .execute()
  await revokeTokens(db, account)
}

/** Cuts off the assistants that a person has connected: whoever knew the old password may have connected one. */
export const cutOffAssistants = (db: Db, account: string) =>
  db.deleteFrom('connected_assistant').where('account_id', '=', account).execute()

/** The sessions of an account that are still valid, the last used first. */
export const listSessions = async (db: Db, account: string, hours: number, current?: string) => {
  const rows = await db
    .selectFrom('session')
    .select(['id', 'agent', 'created_at', 'used_at'])
    .where('account_id', '=', account)
    .where('used_at', '>', sql<Date>`now() - ${hours} * interval '1 hour'`)
    .where('created_at', '>', sql<Date>`now() - ${MAX_DAYS} * interval '1 day'`)
    .orderBy('used_at', 'desc')
    .limit(100)
    .execute()
  return rows.map(({ id, agent, created_at, used_at }) => ({
    id,
    agent,
    created_at: created_at.toISOString(),
    used_at: used_at.toISOString(),
    is_current: id === current,
  }))
}

/**
 * Ends a session and the console tokens of its account. Other sessions of the account get new tokens at their next request.
 * Returns whether there was such a session of this account.
 */
export const endSession = async (db: Db, account: string, id: string) => {
  const ended = await db
    .deleteFrom('session')
    .where('account_id', '=', account)
    .where('id', '=', id)
    .returning('id')
    .execute()
  if (ended.length === 0) return false
  await revokeTokens(db, account)
  return true
}

export const removeExpired = async (db: Db, hours: number) => {
  await sql`delete from session where used_at < now() - ${hours} * interval '1 hour'
    or created_at < now() - ${MAX_DAYS} * interval '1 day'`.execute(db)
  await sql`delete from one_time_link where expires_at < now() and kind <> 'first'`.execute(db)
}
