import { countInWindow, readWindow, tooManyRequests } from '../../core/http/rate-limits.ts'
import type { Db } from '../../core/storage/database.ts'

const QUARTER = 15 * 60
const DAY = 24 * 60 * 60
const MAX_ATTEMPTS = 5
const MAX_FAILURES_A_DAY = 20

const keysOf = (account: string) => ({ attempts: `second-factor:${account}`, failures: `second-factor-day:${account}` })

const refuse = (left: number): never => {
  throw tooManyRequests('Too many wrong codes. Try again later.', left)
}

/**
 * Counts an attempt before its result is known, so that many at once are not more than allowed. Only somebody with the
 * password gets here, so the whole account is locked: a code has six digits.
 */
export const countAttempt = async (db: Db, account: string) => {
  const keys = keysOf(account)
  const failures = await readWindow(db, keys.failures, DAY)
  if (failures.used >= MAX_FAILURES_A_DAY) refuse(failures.left)
  const { used, left } = await countInWindow(db, keys.attempts, QUARTER)
  if (used > MAX_ATTEMPTS) refuse(left)
}

export const countFailure = (db: Db, account: string) => countInWindow(db, keysOf(account).failures, DAY)

/** After a success the person is not kept waiting. The failures of the day still count. */
export const forgetAttempts = (db: Db, account: string) =>
  db.deleteFrom('rate_window').where('key', '=', keysOf(account).attempts).execute()
