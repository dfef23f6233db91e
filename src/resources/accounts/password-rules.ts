import { emailKey } from '../../core/input/email.ts'
import { foldText } from '../../core/input/normalize-text.ts'
import type { Db } from '../../core/storage/database.ts'
import type { ValidationErrors } from '../../errors.ts'
import { MIN_PASSWORD_LENGTH } from './schema.ts'

/** Requires length rather than complexity, and refuses obvious guesses. */
export const checkPassword = async (db: Db, password: string, email: string, errors: ValidationErrors) => {
  if ([...password].length < MIN_PASSWORD_LENGTH)
    return errors.add('password', `must have at least ${MIN_PASSWORD_LENGTH} characters`)
  const folded = foldText(password)
  if (folded === foldText(emailKey(email))) return errors.add('password', 'must not be your email')
  const stores = await db.selectFrom('store').select('name').execute()
  if (stores.some(({ name }) => foldText(name) === folded)) errors.add('password', 'must not be the name of a store')
}
