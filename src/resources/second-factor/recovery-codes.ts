import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx } from '../../core/storage/database.ts'
import { hashSecret } from '../auth/secrets.ts'

const CODES = 10
const LENGTH = 16
/** Without letters that are read as digits. */
const LETTERS = 'abcdefghjkmnpqrstvwxyz0123456789'

const newCode = () => Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')

/** In groups of four. */
const show = (code: string) => (code.match(/.{4}/g) ?? []).join('-')

/** What somebody typed from paper. */
const read = (typed: string) => typed.toLowerCase().replaceAll('o', '0').replace(/[il]/g, '1')

/** Replaces all recovery codes of an account. They are shown once: only hashes are stored. */
export const renewRecoveryCodes = async (db: Tx, account_id: string) => {
  const codes = Array.from({ length: CODES }, newCode)
  await db.deleteFrom('recovery_code').where('account_id', '=', account_id).execute()
  await db
    .insertInto('recovery_code')
    .values(codes.map((code) => ({ account_id, code_hash: hashSecret(code) })))
    .execute()
  return codes.map(show)
}

/** The codes of somebody who has none yet: with a first factor, not with each further one. */
export const ensureRecoveryCodes = async (db: Tx, account_id: string) => {
  const left = await db
    .selectFrom('recovery_code')
    .select('account_id')
    .where('account_id', '=', account_id)
    .where('used_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return left ? [] : renewRecoveryCodes(db, account_id)
}

/** Whether this is a recovery code of the account that was not used. Of two who use one at once, one succeeds. */
export const spendRecoveryCode = async (db: Tx, account_id: string, typed: string) => {
  const used = await db
    .updateTable('recovery_code')
    .set({ used_at: sql`now()` })
    .where('account_id', '=', account_id)
    .where('code_hash', '=', hashSecret(read(typed)))
    .where('used_at', 'is', null)
    .returning('account_id')
    .execute()
  return used.length > 0
}
