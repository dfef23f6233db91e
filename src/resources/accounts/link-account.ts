import { type Db, transact } from '../../core/storage/database.ts'
import { OperatorError } from '../../errors.ts'
import { type Actor, recordAct } from './audit.ts'
import { createLink } from './one-time-links.ts'
import { requireAccount } from './queries.ts'

/** A new link for a person who lost the password. Sessions stay valid until it is used. */
export const linkAccount = (db: Db, actor: Actor, email: string) =>
  transact(db, async (db) => {
    const { id } = await requireAccount(db, email)
    // Of links that are made at the same moment, the last one replaces the others.
    const account = await db
      .selectFrom('account')
      .select(['id', 'email', 'disabled_at'])
      .where('id', '=', id)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow()
    if (account.disabled_at) throw new OperatorError(`${account.email} is disabled. Run user enable first.`)
    await recordAct(db, actor, { act: 'create_link', subject: account.email })
    return createLink(db, { account_id: account.id })
  })
