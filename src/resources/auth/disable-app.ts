import { sql } from 'kysely'
import type { Db, Tx } from '../../core/storage/database.ts'
import { forEachInstallation, inTransaction, recordLifecycle } from './installation-changes.ts'
import { requireApp } from './queries.ts'

const lockApp = (db: Tx, clientId: string) =>
  requireApp(
    clientId,
    db
      .selectFrom('app')
      .select(['id', 'disabled_at'])
      .where('client_id', '=', clientId)
      .where('built_in', '=', false)
      .forUpdate()
      .executeTakeFirst(),
  )

/** Also revokes the app's tokens, with what it could get new ones by. Enabling the app again does not restore them. */
export const disableApp = (db: Db, clientId: string) =>
  inTransaction(db, async (db) => {
    const { id, disabled_at } = await lockApp(db, clientId)
    const app = await db
      .updateTable('app')
      .set((eb) => ({ disabled_at: sql`coalesce(disabled_at, now())`, generation: eb('generation', '+', 1) }))
      .where('id', '=', id)
      .returning(['client_id', 'name', 'disabled_at'])
      .executeTakeFirstOrThrow()
    for (const table of ['oauth_code', 'oauth_grant'] as const)
      await db.deleteFrom(table).where('app_id', '=', id).execute()
    if (!disabled_at)
      await forEachInstallation(db, id, (installation, change) => recordLifecycle(db, installation, 'disabled', change))
    return app
  })

/** Removes the app and its installations. The stores' data stays. */
export const removeApp = (db: Db, clientId: string) =>
  inTransaction(db, async (db) => {
    const { id } = await lockApp(db, clientId)
    await forEachInstallation(db, id, (installation, change) =>
      recordLifecycle(db, installation, 'uninstalled', change),
    )
    return db.deleteFrom('app').where('id', '=', id).returning(['client_id', 'name']).executeTakeFirstOrThrow()
  })
