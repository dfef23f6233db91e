import { hash } from 'node:crypto'
import { countInWindow, readWindow, tooManyRequests } from '../../core/http/rate-limits.ts'
import type { Db } from '../../core/storage/database.ts'

const QUARTER = 15 * 60
const HOUR = 60 * 60
const MAX_PER_ACCOUNT_AND_ADDRESS = 10
const MAX_PER_ACCOUNT = 100
const MAX_PER_ADDRESS = 60
/** Successes included: each attempt costs a hash. */
const MAX_ATTEMPTS_PER_ACCOUNT_AND_ADDRESS = 60
const MAX_ATTEMPTS_PER_ADDRESS = 300

const keysOf = (email: string, address: string) => {
  // Hashed, because callers choose emails of any length.
  const account = hash('sha256', email, 'base64url')
  return {
    both: `sign-in:${account}:${address}`,
    account: `sign-in:${account}`,
    address: `sign-in-from:${address}`,
    attempts: `sign-in-attempt:${account}:${address}`,
    attemptsFrom: `sign-in-attempt-from:${address}`,
  }
}

/**
 * Refuses an attempt after too many failures. While an account is under attack from many addresses, an address without
 * failures may still sign in, so that the owner is not locked out.
 */
export const refuseGuesses = async (db: Db, email: string, address: string) => {
  const keys = keysOf(email, address)
  const [both, account, from] = await Promise.all([
    readWindow(db, keys.both, QUARTER),
    readWindow(db, keys.account, HOUR),
    readWindow(db, keys.address, HOUR),
  ])
  const refuse = (left: number) => {
    throw tooManyRequests('Too many failed attempts. Try again later.', left)
  }
  if (both.used >= MAX_PER_ACCOUNT_AND_ADDRESS) refuse(both.left)
  if (from.used >= MAX_PER_ADDRESS) refuse(from.left)
  if (account.used >= MAX_PER_ACCOUNT && both.used > 0) refuse(account.left)
}

export const countGuess = async (db: Db, email: string, address: string) => {
  const keys = keysOf(email, address)
  await countInWindow(db, keys.both, QUARTER)
  await countInWindow(db, keys.account, HOUR)
  await countInWindow(db, keys.address, HOUR)
}

/** Counts an attempt before its result is known, and refuses it after too many. Other addresses are not affected. */
export const countAttempt = async (db: Db, email: string, address: string) => {
  const keys = keysOf(email, address)
  const both = await countInWindow(db, keys.attempts, QUARTER)
  const from = await countInWindow(db, keys.attemptsFrom, HOUR)
  const refuse = (left: number) => {
    throw tooManyRequests('Too many attempts. Try again later.', left)
  }
  if (both.used > MAX_ATTEMPTS_PER_ACCOUNT_AND_ADDRESS) refuse(both.left)
  if (from.used > MAX_ATTEMPTS_PER_ADDRESS) refuse(from.left)
}
