import { sql } from 'kysely'
import { ApiError } from '../errors.ts'
import { type Db, type Tx, transact } from '../storage/database.ts'
import { recordAct } from './audit.ts'
import { linkAccount } from './link-account.ts'
import { createLink } from './one-time-links.ts'
import { asFieldError, requirePerson } from './people.ts'
import type { SessionAccount } from './sessions.ts'

/** Whether the account is nothing but a member of this store who has never set a password. */
const onlyInvitedHere = async (db: Tx, store: string, id: string) => {
  const { rows } = await sql`select 1 from account a where a.id = ${id} and a.password is null and not a.is_operator
    and a.disabled_at is null
    and not exists (select 1 from membership m where m.account_id = a.id and m.store_id <> ${store})
    and not exists (select 1 from app_member m where m.account_id = a.id)
    for update of a`.execute(db)
  return rows.length > 0
}

/**
 * A new link for somebody whose invitation has expired. A link sets the password of the whole account, so owners may
 * create one only for people who are members of their store alone. Operators may create one for anybody.
 */
export const linkPerson = async (db: Db, actor: SessionAccount, store: string, id: string) => {
  const { email } = await requirePerson(db, actor, store, id)
  if (actor.is_operator) return linkAccount(db, actor, email).catch(asFieldError('email'))
  return transact(db, async (db) => {
    if (!(await onlyInvitedHere(db, store, id)))
      throw new ApiError('forbidden', 'An operator of the service makes the link for this person.')
    await recordAct(db, actor, { act: 'create_link', subject: email, store_id: store })
    return createLink(db, id, 'invite')
  })
}
