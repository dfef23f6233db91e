import type { FastifyReply } from 'fastify'
import type { Config } from '../config/config.ts'
import { ApiError, invalid, ValidationErrors } from '../errors.ts'
import { clientAddress, networkOf } from '../http/client-address.ts'
import { emailKey, isEmail } from '../input/email.ts'
import { type Db, refuseDuplicate, type Tx, transact } from '../storage/database.ts'
import { recordAct } from './audit.ts'
import type { Passwords } from './hash-password.ts'
import { type FirstCode, findLink, type Link, useLink } from './one-time-links.ts'
import { checkPassword } from './password-rules.ts'
import { confirmSession, endOtherSessions, type Session, sendSession, startSession } from './sessions.ts'
import { countGuess, refuseGuesses } from './throttle.ts'
import { transportOf } from './transport.ts'

export interface AccountServices {
  config: Config
  db: Db
  passwords: Passwords
  firstCode: FirstCode
}

/** Over plain http a session could be intercepted, and a browser does not store a secure cookie. */
const requireSafeTransport = (reply: FastifyReply, config: Config) => {
  if (transportOf(reply.request, config).isSafe) return
  throw new ApiError(
    'forbidden',
    'Signing in needs https, or an address of the machine itself such as http://127.0.0.1. Behind a proxy with https, ' +
      'set BASE_URL to the public https address, or TRUST_PROXY so that X-Forwarded-Proto counts.',
  )
}

const addressOf = ({ request }: FastifyReply, config: Config) => networkOf(clientAddress(request, config.TRUST_PROXY))

const findByEmail = (db: Db, email: string) =>
  db
    .selectFrom('account')
    .select(['id', 'name', 'email', 'password', 'disabled_at'])
    .where('email_key', '=', emailKey(email))
    .executeTakeFirst()

/**
 * Checks an email and a password. An unknown account, a disabled one and a wrong password take the same steps. Failures
 * are counted again after the check, because many attempts may have waited for it.
 */
const authenticate = async (
  { db, config, passwords }: AccountServices,
  reply: FastifyReply,
  { email, password }: { email: string; password: string },
) => {
  const key = emailKey(email)
  const address = addressOf(reply, config)
  await refuseGuesses(db, key, address)
  const account = await findByEmail(db, email)
  const matches = await passwords.verify(password, account?.disabled_at ? undefined : account?.password)
  await refuseGuesses(db, key, address)
  if (account && matches) return account
  await countGuess(db, key, address)
  throw new ApiError('sign_in_failed')
}

export const signIn = async (
  services: AccountServices,
  reply: FastifyReply,
  input: { email: string; password: string },
) => {
  const { db, config, passwords } = services
  requireSafeTransport(reply, config)
  const account = await authenticate(services, reply, input)
  const renewed = passwords.isOutdated(account.password as string) ? await passwords.hash(input.password) : undefined
  const secret = await transact(db, async (db) => {
    if (renewed) await db.updateTable('account').set({ password: renewed }).where('id', '=', account.id).execute()
    await recordAct(db, account, { act: 'sign_in', subject: account.email })
    return startSession(db, reply.request, config, account.id)
  })
  sendSession(reply, config, secret)
}

/** Confirms the session with the password. */
export const confirm = async (services: AccountServices, reply: FastifyReply, session: Session, password: string) => {
  await authenticate(services, reply, { email: session.account.email, password })
  await confirmSession(services.db, session.id)
}

export const changePassword = async (
  services: AccountServices,
  reply: FastifyReply,
  { id, account }: Session,
  { current_password, password }: { current_password: string; password: string },
) => {
  const { db, passwords } = services
  const errors = new ValidationErrors()
  await checkPassword(db, password, account.email, errors)
  errors.throwIfAny()
  await authenticate(services, reply, { email: account.email, password: current_password })
  const hash = await passwords.hash(password)
  await transact(db, async (db) => {
    await db.updateTable('account').set({ password: hash }).where('id', '=', account.id).execute()
    await endOtherSessions(db, account.id, id)
    await confirmSession(db, id)
    await recordAct(db, account, { act: 'change_password', subject: account.email })
  })
}

interface Redemption {
  code: string
  password: string
  name?: string | undefined
  /** Of the first operator. Everybody else was invited by email. */
  email?: string | undefined
}

const createOperator = async (db: Tx, { email = '', name = '' }: Redemption, password: string) => {
  const account = await db
    .insertInto('account')
    .values({ email: email.trim(), email_key: emailKey(email), name, password, is_operator: true })
    .returning(['id', 'name', 'email'])
    .executeTakeFirstOrThrow()
    .catch(refuseDuplicate(() => invalid({ email: ['belongs to another account'] })))
  await recordAct(db, account, { act: 'create_account', subject: account.email, after: { is_operator: true } })
  return account
}

const setPassword = async (db: Tx, { kind, account_id }: Link, { name }: Redemption, password: string) => {
  const account = await db
    .updateTable('account')
    .set({ password, ...(name && { name }) })
    .where('id', '=', account_id as string)
    .where('disabled_at', 'is', null)
    .returning(['id', 'name', 'email'])
    .executeTakeFirst()
  if (!account) throw new ApiError('forbidden', 'This account is disabled.')
  await endOtherSessions(db, account.id)
  await recordAct(db, account, {
    act: kind === 'invite' ? 'accept_invitation' : 'reset_password',
    subject: account.email,
  })
  return account
}

const emailOf = async (db: Db, { account_id }: Link, input: Redemption) =>
  account_id
    ? (await db.selectFrom('account').select('email').where('id', '=', account_id).executeTakeFirstOrThrow()).email
    : (input.email ?? '')

/** What the page of a link shows before it asks for a password. */
export const describeLink = ({ db, firstCode }: AccountServices, code: string) =>
  transact(db, async (db) => {
    const { kind, account_id } = await findLink(db, code, firstCode)
    const account = account_id
      ? await db.selectFrom('account').select(['email', 'name']).where('id', '=', account_id).executeTakeFirst()
      : undefined
    return { kind, email: account?.email ?? '', name: account?.name ?? '' }
  })

/** Sets the password of the account that a link is for, or creates the first operator; then signs in. */
export const redeemLink = async (services: AccountServices, reply: FastifyReply, input: Redemption) => {
  const { db, config, passwords, firstCode } = services
  requireSafeTransport(reply, config)
  const errors = new ValidationErrors()
  await transact(db, async (db) => {
    const link = await findLink(db, input.code, firstCode)
    const email = await emailOf(db, link, input)
    if (!isEmail(email)) errors.add('email', 'must be an email address')
    await checkPassword(db, input.password, email, errors)
  })
  errors.throwIfAny()
  // Hashed before the transaction, so that no lock is held meanwhile.
  const hash = await passwords.hash(input.password)
  const secret = await transact(db, async (db) => {
    const link = await findLink(db, input.code, firstCode)
    const account =
      link.kind === 'first' ? await createOperator(db, input, hash) : await setPassword(db, link, input, hash)
    await useLink(db, link)
    return startSession(db, reply.request, config, account.id)
  })
  sendSession(reply, config, secret)
}
