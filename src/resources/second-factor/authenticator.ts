import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { type Db, type Tx, transact } from '../../core/storage/database.ts'
import { invalid } from '../../errors.ts'
import { recordAct } from '../accounts/audit.ts'
import type { Session } from '../accounts/sessions.ts'
import { addFactor, removeFactor } from './factors.ts'
import { ensureRecoveryCodes } from './recovery-codes.ts'
import { base32, matchingStep, otpauthAddress, type TotpSecret } from './totp.ts'

const SETUP_MINUTES = 15

export const wrongCode = () => invalid({ code: ['is wrong or was used before'] })

/** A new secret to scan. The one in use, if there is one, works until a code of the new one was given. */
export const beginAuthenticator = (
  db: Db,
  totpSecret: TotpSecret,
  { account }: Session,
  issuer: string,
): Promise<{ secret: string; address: string }> =>
  transact(db, async (db) => {
    const pending_salt = randomBytes(24).toString('base64url')
    const pending_until = sql<string>`now() + ${SETUP_MINUTES} * interval '1 minute'`
    await db
      .insertInto('authenticator')
      .values({ account_id: account.id, pending_salt, pending_until })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ pending_salt, pending_until }))
      .execute()
    const secret = totpSecret(pending_salt)
    return { secret: base32(secret), address: otpauthAddress(secret, { issuer, account: account.email }) }
  })

/** Takes the new secret into use after a first code. Returns recovery codes if there were none. */
export const confirmAuthenticator = (db: Db, totpSecret: TotpSecret, session: Session, code: string) =>
  addFactor(db, session, async (db) => {
    const account_id = session.account.id
    const row = await db
      .selectFrom('authenticator')
      .select(['pending_salt', 'last_step'])
      .where('account_id', '=', account_id)
      .where('pending_until', '>', sql<Date>`now()`)
      .forUpdate()
      .executeTakeFirst()
    if (!row?.pending_salt) throw invalid({ code: ['belongs to a setup that has expired: start again'] })
    const step = matchingStep(totpSecret(row.pending_salt), code, { now: Date.now(), last: 0 })
    if (step === undefined) throw wrongCode()
    await db
      .updateTable('authenticator')
      .set({ salt: row.pending_salt, pending_salt: null, pending_until: null, last_step: step })
      .where('account_id', '=', account_id)
      .execute()
    await recordAct(db, session.account, { act: 'add_authenticator', subject: session.account.email })
    return ensureRecoveryCodes(db, account_id)
  })

export const removeAuthenticator = (db: Db, session: Session) =>
  removeFactor(db, session, async (db) => {
    const { account } = session
    const removed = await db
      .deleteFrom('authenticator')
      .where('account_id', '=', account.id)
      .where('salt', 'is not', null)
      .returning('account_id')
      .execute()
    if (removed.length > 0) await recordAct(db, account, { act: 'remove_authenticator', subject: account.email })
    return removed.length > 0
  })

/** Whether the authenticator shows this code now. Each code is accepted once. */
export const acceptCode = async (db: Tx, totpSecret: TotpSecret, account_id: string, code: string) => {
  const row = await db
    .selectFrom('authenticator')
    .select(['salt', 'last_step'])
    .where('account_id', '=', account_id)
    .forUpdate()
    .executeTakeFirst()
  if (!row?.salt) return false
  const step = matchingStep(totpSecret(row.salt), code, { now: Date.now(), last: row.last_step })
  if (step === undefined) return false
  await db.updateTable('authenticator').set({ last_step: step }).where('account_id', '=', account_id).execute()
  return true
}
