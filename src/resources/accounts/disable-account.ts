import { sql } from 'kysely'
import { type Db, transact } from '../../core/storage/database.ts'
import { type Actor, recordAct } from './audit.ts'
import { deleteLinks, deleteLinksOf } from './one-time-links.ts'
import { requireAccount } from './queries.ts'
import { requireAnotherOperator, requireAnotherOwner } from './require-another-owner.ts'
import { cutOffAssistants, endOtherSessions } from './sessions.ts'

/** Revokes the sessions, links, tokens and assistants of the account, and the links that it has made. Its roles are kept. */
export const disableAccount = (db: Db, actor: Actor, email: string) =>
  transact(db, async (db) => {
    const account = await requireAccount(db, email)
    await requireAnotherOperator(db, actor, account.id)
    const owned = await db
      .selectFrom('membership')
      .select('store_id')
      .where('account_id', '=', account.id)
      .where('role', '=', 'owner')
      .orderBy('store_id')
      .execute()
    for (const { store_id } of owned) await requireAnotherOwner(db, store_id, account.id)
    await db
      .updateTable('account')
      .set({ disabled_at: sql`coalesce(disabled_at, now())` })
      .where('id', '=', account.id)
      .execute()
    await endOtherSessions(db, account.id)
    await cutOffAssistants(db, account.id)
    await deleteLinks(db, { account_id: account.id })
    await deleteLinksOf(db, account.id)
    await recordAct(db, actor, { act: 'disable_account', subject: account.email })
  })

export const enableAccount = (db: Db, actor: Actor, email: string) =>
  transact(db, async (db) => {
    const account = await requireAccount(db, email)
    await db.updateTable('account').set({ disabled_at: null }).where('id', '=', account.id).execute()
    await recordAct(db, actor, { act: 'enable_account', subject: account.email })
  })
