import { OperatorError } from '../errors.ts'
import { emailKey, isEmail } from '../input/email.ts'
import { type Db, refuseDuplicate, type Tx, transact } from '../storage/database.ts'
import { type Actor, recordAct } from './audit.ts'
import { applyGrant } from './change-role.ts'
import { createLink, newCode } from './one-time-links.ts'
import { findAccount } from './queries.ts'
import type { Grant } from './roles.ts'

const insertAccount = async (db: Tx, actor: Actor, person: { email: string; name: string }, grant: Grant) => {
  const email = person.email.trim()
  if (!isEmail(email)) throw new OperatorError(`${person.email} is not an email address.`)
  const account = await db
    .insertInto('account')
    .values({ email, email_key: emailKey(email), name: person.name })
    .returning(['id', 'email', 'name'])
    .executeTakeFirstOrThrow()
    .catch(
      refuseDuplicate(
        () =>
          new OperatorError(
            `${email} already has an account. Use user grant for another role, or user link for a new link.`,
          ),
      ),
    )
  await recordAct(db, actor, { act: 'create_account', subject: account.email })
  await applyGrant(db, actor, account, grant)
  return { account, code: await createLink(db, account.id, 'invite') }
}

/** Creates an account without a password, and the code of a link to set one. */
export const createAccount = (db: Db, actor: Actor, person: { email: string; name: string }, grant: Grant) =>
  transact(db, (db) => insertAccount(db, actor, person, grant))

/**
 * Adds a person to a store. Does not reveal whether the email already has an account: if it does, the returned code is
 * invalid, and the person signs in as usual. A valid code would let the inviter set somebody else's password.
 */
export const inviteMember = (db: Db, actor: Actor, person: { email: string; name: string }, grant: Grant) =>
  transact(db, async (db) => {
    const known = await findAccount(db, person.email)
    if (!known) return insertAccount(db, actor, person, grant)
    await applyGrant(db, actor, known, grant)
    return { account: known, code: newCode() }
  })
