import { sql } from 'kysely'
import { type Db, type Tx, transact } from '../../core/storage/database.ts'
import { ApiError, notFound } from '../../errors.ts'
import { type Actor, recordAct } from '../accounts/audit.ts'
import { endOtherSessions, revokeTokens, type Session } from '../accounts/sessions.ts'
import { isRequiredOf, readRequirement } from './requirement.ts'

const lockAccount = (db: Tx, id: string) =>
  db.selectFrom('account').select('id').where('id', '=', id).forUpdate().execute()

const hasAuthenticator = async (db: Db, account_id: string) =>
  (await db
    .selectFrom('authenticator')
    .select('account_id')
    .where('account_id', '=', account_id)
    .where('salt', 'is not', null)
    .executeTakeFirst()) !== undefined

const listPasskeys = (db: Db, account_id: string) =>
  db
    .selectFrom('passkey')
    .select(['id', 'name', 'created_at', 'used_at'])
    .where('account_id', '=', account_id)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

const countRecoveryCodes = async (db: Db, account_id: string) => {
  const { left } = await db
    .selectFrom('recovery_code')
    .select((eb) => eb.fn.countAll<number>().as('left'))
    .where('account_id', '=', account_id)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return left
}

/** What a person has. Before the second factor was given, only which kinds there are. */
export const describeFactors = async (db: Db, { account, pending }: Session) => {
  const passkeys = await listPasskeys(db, account.id)
  return {
    is_required: isRequiredOf(await readRequirement(db), account),
    has_authenticator: await hasAuthenticator(db, account.id),
    has_passkey: passkeys.length > 0,
    passkeys:
      pending === 'verify'
        ? []
        : passkeys.map(({ created_at, used_at, ...passkey }) => ({
            ...passkey,
            created_at: created_at.toISOString(),
            used_at: used_at?.toISOString() ?? null,
          })),
    recovery_codes: pending === 'verify' ? 0 : await countRecoveryCodes(db, account.id),
  }
}

const hasFactor = async (db: Tx, account_id: string) =>
  (await hasAuthenticator(db, account_id)) || (await listPasskeys(db, account_id)).length > 0

/**
 * Changes of the factors of one account wait for each other. A session that waited while the first one was set up has not given
 * it, and changes nothing.
 */
export const lockFactors = async (db: Tx, { id, account }: Session) => {
  await lockAccount(db, account.id)
  const session = await db.selectFrom('session').select('second_factor_at').where('id', '=', id).executeTakeFirst()
  if (!session) throw new ApiError('sign_in_required')
  if (!session.second_factor_at && (await hasFactor(db, account.id))) throw new ApiError('second_factor_required')
}

/** Recovery codes stand in for a factor, so without one there are none. */
export const requireFactor = async (db: Tx, account_id: string) => {
  if (!(await hasFactor(db, account_id))) throw notFound('second factor')
}

/** The session may go on from here. */
export const passSession = (db: Db, id: string) =>
  db.updateTable('session').set({ second_factor_at: sql`now()` }).where('id', '=', id).execute()

/** Adds a factor, in the session of its person. Tokens of other sessions end; those ask for the factor. */
export const addFactor = <T>(db: Db, session: Session, add: (db: Tx) => Promise<T>) =>
  transact(db, async (db) => {
    await lockFactors(db, session)
    const added = await add(db)
    await passSession(db, session.id)
    await revokeTokens(db, session.account.id)
    return added
  })

/**
 * Removes a factor; recovery codes go with the last one, and every session will be asked for the next one. Where one is
 * required, the last one stays.
 */
export const removeFactor = (db: Db, session: Session, remove: (db: Tx) => Promise<boolean>) =>
  transact(db, async (db) => {
    const { account } = session
    await lockFactors(db, session)
    if (!(await remove(db))) throw notFound('second factor')
    if (await hasFactor(db, account.id)) return
    if (isRequiredOf(await readRequirement(db), account))
      throw new ApiError('forbidden', 'This service requires a second factor: set up another one first.')
    await db.deleteFrom('recovery_code').where('account_id', '=', account.id).execute()
    await db.updateTable('session').set({ second_factor_at: null }).where('account_id', '=', account.id).execute()
  })

/** For somebody who has lost everything. The sessions end: whoever signs in next needs the password only. */
export const clearSecondFactor = (db: Db, actor: Actor, account: { id: string; email: string }) =>
  transact(db, async (db) => {
    await lockAccount(db, account.id)
    const before = {
      authenticator: await hasAuthenticator(db, account.id),
      passkeys: await listPasskeys(db, account.id),
    }
    for (const table of ['authenticator', 'passkey', 'recovery_code'] as const)
      await db.deleteFrom(table).where('account_id', '=', account.id).execute()
    await endOtherSessions(db, account.id)
    await recordAct(db, actor, {
      act: 'clear_second_factor',
      subject: account.email,
      before: { authenticator: before.authenticator, passkeys: before.passkeys.map(({ name }) => name) },
    })
  })
