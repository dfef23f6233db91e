import { type Db, type Tx, transact } from '../../core/storage/database.ts'
import { recordAct } from '../accounts/audit.ts'
import type { Session } from '../accounts/sessions.ts'
import { countAttempt, countFailure, forgetAttempts } from './attempts.ts'
import { acceptCode, wrongCode } from './authenticator.ts'
import { passSession } from './factors.ts'
import { spendRecoveryCode } from './recovery-codes.ts'
import type { TotpSecret } from './totp.ts'

/** Without the spaces and hyphens that people type, and with Latin digits. */
const plain = (typed: string) =>
  typed
    .replace(/[\s-]/g, '')
    .replace(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replace(/[۰-۹]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0))

const SIX_DIGITS = /^\d{6}$/

/** Runs a check of a second factor under the limits, and lets the session go on if it succeeds. */
export const verifyWith = async (
  db: Db,
  { id, account }: Session,
  check: (db: Tx) => Promise<'authenticator' | 'recovery_code' | 'passkey' | undefined>,
  refusal: () => Error,
) => {
  await countAttempt(db, account.id)
  const kind = await transact(db, async (db) => {
    const kind = await check(db)
    if (!kind) return undefined
    await passSession(db, id)
    await recordAct(db, account, { act: 'give_second_factor', subject: account.email, after: { kind } })
    return kind
  })
  if (kind) return forgetAttempts(db, account.id)
  await countFailure(db, account.id)
  await recordAct(db, account, { act: 'fail_second_factor', subject: account.email })
  throw refusal()
}

/** Checks a code of the authenticator, or a recovery code. */
export const verifyCode = (db: Db, totpSecret: TotpSecret, session: Session, typed: string) => {
  const code = plain(typed)
  const { account } = session
  return verifyWith(
    db,
    session,
    async (db) => {
      if (SIX_DIGITS.test(code))
        return (await acceptCode(db, totpSecret, account.id, code)) ? 'authenticator' : undefined
      if (!(await spendRecoveryCode(db, account.id, code))) return undefined
      await recordAct(db, account, { act: 'use_recovery_code', subject: account.email })
      return 'recovery_code'
    },
    wrongCode,
  )
}
