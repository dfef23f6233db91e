import type { FastifyReply } from 'fastify'
import type { Config } from '../../config/config.ts'
import { clientAddress, networkOf } from '../../core/http/client-address.ts'
import { emailKey, isEmail } from '../../core/input/email.ts'
import { type Db, refuseDuplicate, type Tx, transact } from '../../core/storage/database.ts'
import { ApiError, invalid, ValidationErrors } from '../../errors.ts'
import { recordAct } from './audit.ts'
import type { PasswordCaller, Passwords } from './hash-password.ts'
import { acceptInvitation, describeInvitation } from './invitations.ts'
import { deleteLinks, endLink, type FirstCode, findLink, type Link, unusable } from './one-time-links.ts'
import { checkPassword } from './password-rules.ts'
import type { Pending } from './pending.ts'
import {
  confirmSession,
  cutOffAssistants,
  endOtherSessions,
  pendingOf,
  type Session,
  sendSession,
  startSession,
} from './sessions.ts'
import { countAttempt, countGuess, refuseGuesses } from './throttle.ts'
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

const callerOf = (reply: FastifyReply, config: Config, email: string): PasswordCaller => ({
  account: emailKey(email),
  address: addressOf(reply, config),
})

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
  const caller = callerOf(reply, config, email)
  const { account: key, address } = caller
  await refuseGuesses(db, key, address)
  await countAttempt(db, key, address)
  const account = await findByEmail(db, email)
  const stored = account?.disabled_at ? undefined : account?.password
  const matches = await passwords.verify(password, stored, caller)
  await refuseGuesses(db, key, address)
  if (account && matches) return account
  await countGuess(db, key, address)
  throw new ApiError('sign_in_failed')
}

/** Whether the password that was checked still counts, with the account locked. Checking it takes a while. */
const stillCounts = async (db: Tx, { id, password }: { id: string; password: string }) =>
  (await db
    .selectFrom('account')
    .select('id')
    .where('id', '=', id)
    .where('password', '=', password)
    .where('disabled_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()) !== undefined

export const signIn = async (
  services: AccountServices,
  reply: FastifyReply,
  input: { email: string; password: string },
): Promise<Pending | null> => {
  const { db, config, passwords } = services
  requireSafeTransport(reply, config)
  const account = await authenticate(services, reply, input)
  const renewed = passwords.isOutdated(account.password)
    ? await passwords.hash(input.password, callerOf(reply, config, account.email))
    : undefined
  const secret = await transact(db, async (db) => {
    if (!(await stillCounts(db, account))) return undefined
    if (renewed) await db.updateTable('account').set({ password: renewed }).where('id', '=', account.id).execute()
    await recordAct(db, account, { act: 'sign_in', subject: account.email })
    return startSession(db, reply.request, config, account.id)
  })
  // It has changed, or only its hash.
  if (secret === undefined) return signIn(services, reply, input)
  sendSession(reply, config, secret)
  return pendingOf(db, config, secret)
}

/** Confirms the session with the password. */
export const confirm = async (services: AccountServices, reply: FastifyReply, session: Session, password: string) => {
  await authenticate(services, reply, { email: session.account.email, password })
  await confirmSession(services.db, session.id)
}

export const changePassword = async (
  services: AccountServices,
  reply: FastifyReply,
  session: Session,
  { current_password, password }: { current_password: string; password: string },
): Promise<void> => {
  const { db, config, passwords } = services
  const { id, account } = session
  const errors = new ValidationErrors()
  await checkPassword(db, password, account.email, errors)
  errors.throwIfAny()
  const checked = await authenticate(services, reply, { email: account.email, password: current_password })
  const hash = await passwords.hash(password, callerOf(reply, config, account.email))
  const isChanged = await transact(db, async (db) => {
    if (!(await stillCounts(db, checked))) return false
    await db.updateTable('account').set({ password: hash }).where('id', '=', account.id).execute()
    await endOtherSessions(db, account.id, id)
    await cutOffAssistants(db, account.id)
    await deleteLinks(db, { account_id: account.id })
    await confirmSession(db, id)
    await recordAct(db, account, { act: 'change_password', subject: account.email })
    return true
  })
  if (!isChanged) return changePassword(services, reply, session, { current_password, password })
}

interface Redemption {
  code: string
  password: string
  name?: string | undefined
  /** Of the first operator, or of an invited person, who may use another email than the inviter wrote. */
  email?: string | undefined
}

interface NewAccount {
  email: string
  name: string
  password: string
  is_operator?: boolean
}

const insertAccount = async (db: Tx, { email, ...given }: NewAccount, taken: () => Error) => {
  const account = await db
    .insertInto('account')
    .values({ email: email.trim(), email_key: emailKey(email), ...given })
    .returning(['id', 'name', 'email'])
    .executeTakeFirstOrThrow()
    .catch(refuseDuplicate(taken))
  const { is_operator } = given
  await recordAct(db, account, {
    act: 'create_account',
    subject: account.email,
    after: is_operator ? { is_operator } : undefined,
  })
  return account
}

const setPassword = async (db: Tx, account_id: string, password: string) => {
  const account = await db
    .updateTable('account')
    .set({ password })
    .where('id', '=', account_id)
    .where('disabled_at', 'is', null)
    .returning(['id', 'name', 'email'])
    .executeTakeFirst()
  if (!account) throw new ApiError('forbidden', 'This account is disabled.')
  await endOtherSessions(db, account.id)
  await cutOffAssistants(db, account.id)
  await recordAct(db, account, { act: 'reset_password', subject: account.email })
  return account
}

/** Whom a link is for: an account, or what an inviter wrote. */
const describe = async (db: Db, link: Link) => {
  const nothing = { kind: link.kind, email: '', name: '', role: null, place: '', store_id: null }
  if (link.kind === 'first') return nothing
  const found =
    link.kind === 'reset'
      ? await db.selectFrom('account').select(['email', 'name']).where('id', '=', link.account_id).executeTakeFirst()
      : await describeInvitation(db, link.invitation_id)
  return { ...nothing, ...found }
}

/** What the page of a link shows before it asks for a password. */
export const describeLink = ({ db, firstCode }: AccountServices, code: string) =>
  transact(db, async (db) => describe(db, await findLink(db, code, firstCode)))

const redeem = async (
  db: Tx,
  link: Link,
  given: NewAccount,
  known: Awaited<ReturnType<typeof authenticate>> | undefined,
) => {
  if (link.kind === 'invite') {
    const account = known ?? (await insertAccount(db, given, () => new ApiError('sign_in_failed')))
    await acceptInvitation(db, account, link)
    return account
  }
  await endLink(db, link)
  if (link.kind === 'reset') return setPassword(db, link.account_id, given.password)
  return insertAccount(db, { ...given, is_operator: true }, () => invalid({ email: ['belongs to another account'] }))
}

/**
 * Sets the password of the account that a link is for, creates the first operator, or lets an invited person join: with
 * the account of that email if there is one and the password is right, otherwise with a new account. Then signs in. The
 * rules for passwords come first, so that the reply does not tell whether the email has an account.
 */
export const redeemLink = async (
  services: AccountServices,
  reply: FastifyReply,
  input: Redemption,
): Promise<Pending | null> => {
  const { db, config, passwords, firstCode } = services
  requireSafeTransport(reply, config)
  const errors = new ValidationErrors()
  const { kind, email, name } = await transact(db, async (db) => {
    const described = await describe(db, await findLink(db, input.code, firstCode))
    const email = (described.kind === 'reset' ? undefined : input.email) ?? described.email
    if (!isEmail(email)) errors.add('email', 'must be an email address')
    await checkPassword(db, input.password, email, errors)
    return { ...described, email, name: input.name || described.name }
  })
  errors.throwIfAny()
  const known =
    kind === 'invite' && (await findByEmail(db, email))
      ? await authenticate(services, reply, { email, password: input.password })
      : undefined
  // Hashed before the transaction, so that no lock is held meanwhile.
  const password = known ? '' : await passwords.hash(input.password, callerOf(reply, config, email))
  const secret = await transact(db, async (db) => {
    const link = await findLink(db, input.code, firstCode)
    if (known && !(await stillCounts(db, known))) return undefined
    const redeemed = await redeem(db, link, { email, name, password }, known)
    return startSession(db, reply.request, config, redeemed.id)
  })
  if (secret === undefined) return redeemLink(services, reply, input)
  sendSession(reply, config, secret)
  return pendingOf(db, config, secret)
}

/** Gives the signed-in person the role of an invitation. */
export const joinWithLink = ({ db, firstCode }: AccountServices, { account }: Session, code: string) =>
  transact(db, async (db) => {
    const link = await findLink(db, code, firstCode)
    if (link.kind !== 'invite') throw unusable()
    await acceptInvitation(db, account, link)
  })
