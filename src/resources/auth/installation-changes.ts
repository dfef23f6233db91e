import { sql } from 'kysely'
import { type Db, type Tx, transact } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound } from '../../errors.ts'
import { takeRoom } from '../plans/limits.ts'
import type {} from './tables.ts'

/** What happens to an installation. Each is an event in the feed of its store, and is posted to the app. */
export const LIFECYCLE_ACTIONS = ['installed', 'permissions_changed', 'uninstalled', 'disabled'] as const
export type LifecycleAction = (typeof LIFECYCLE_ACTIONS)[number]

interface Installation {
  id: string
  app_id: string
  store_id: StoreId
  permissions: readonly string[]
}

export const inTransaction = <T>(db: Db, work: (db: Tx) => Promise<T>): Promise<T> =>
  db.isTransaction ? work(db as Tx) : transact(db, work)

/**
 * Locks the app and gives the next change of its installations a number. Everything that changes installations calls
 * this first, so numbers become visible in their order.
 */
export const nextChange = async (db: Tx, appId: string): Promise<number> => {
  const app = await db
    .updateTable('app')
    .set((eb) => ({ changes: eb('changes', '+', 1) }))
    .where('id', '=', appId)
    .returning('changes')
    .executeTakeFirst()
  if (!app) throw notFound('app')
  return app.changes
}

/** Apps without a manifest are the operator's own: stores see no events about them. */
const hasManifest = async (db: Tx, appId: string) =>
  (await db.selectFrom('app_manifest').select('app_id').where('app_id', '=', appId).executeTakeFirst()) !== undefined

/** Call this in the transaction of the change, so that both are committed or neither. */
export const recordLifecycle = async (
  db: Tx,
  { id, app_id, store_id, permissions }: Installation,
  action: LifecycleAction,
  change: number,
) => {
  if (!(await hasManifest(db, app_id))) return
  await db.insertInto('change').values({ store_id, kind: 'app', resource_id: app_id, op: 'n', action }).execute()
  await sql`insert into lifecycle_post (app_id, change, store_id, install_id, type, permissions)
    select ${app_id}, ${change}, ${store_id}, ${id}, ${`app.${action}`}, ${[...permissions]}::text[]
    from app_manifest where app_id = ${app_id} and manifest->>'lifecycle_url' is not null`.execute(db)
}

export const addInstallation = async (
  db: Tx,
  { app_id, store_id, permissions }: Omit<Installation, 'id'>,
): Promise<string> => {
  await takeRoom(db, store_id, 'apps')
  const change = await nextChange(db, app_id)
  const sorted = [...new Set(permissions)].sort()
  const { id } = await db
    .insertInto('installation')
    .values({ app_id, store_id, permissions: sorted, change })
    .returning('id')
    .executeTakeFirstOrThrow()
  await recordLifecycle(db, { id, app_id, store_id, permissions: sorted }, 'installed', change)
  return id
}

/**
 * Computes new permissions from those that the installation has under its lock. Returns undefined if it is gone. The app
 * must be known, because its row is locked before that of the installation.
 */
export const changeInstallation = async (
  db: Tx,
  appId: string,
  id: string,
  decide: (before: readonly string[]) => readonly string[],
): Promise<string[] | undefined> => {
  const change = await nextChange(db, appId)
  const found = await db
    .selectFrom('installation')
    .select(['id', 'app_id', 'store_id', 'permissions'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!found) return undefined
  const permissions = [...new Set(decide(found.permissions))].sort()
  if (permissions.join() === [...found.permissions].sort().join()) return permissions
  await db.updateTable('installation').set({ permissions, change }).where('id', '=', id).execute()
  await recordLifecycle(db, { ...found, permissions }, 'permissions_changed', change)
  return permissions
}

/**
 * Deletes an installation with its webhooks, stored replies and tokens, and keeps for a while that it existed. Returns
 * whether it did.
 */
export const deleteInstallation = async (db: Tx, appId: string, id: string): Promise<boolean> => {
  const change = await nextChange(db, appId)
  const gone = await db
    .deleteFrom('installation')
    .where('id', '=', id)
    .returning(['id', 'app_id', 'store_id', 'created_at'])
    .executeTakeFirst()
  if (!gone) return false
  await db
    .insertInto('removed_installation')
    .values({ ...gone, change })
    .execute()
  await recordLifecycle(db, { ...gone, permissions: [] }, 'uninstalled', change)
  return true
}

/** For a change that concerns every installation of an app, one store after the other. */
export const forEachInstallation = async (
  db: Tx,
  appId: string,
  work: (installation: Installation, change: number) => Promise<unknown>,
) => {
  const change = await nextChange(db, appId)
  const found = await db
    .selectFrom('installation')
    .select(['id', 'app_id', 'store_id', 'permissions'])
    .where('app_id', '=', appId)
    .orderBy('id')
    .execute()
  for (const installation of found) await work(installation, change)
}
