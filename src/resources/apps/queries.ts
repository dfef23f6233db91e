import { sql } from 'kysely'
import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { OperatorError } from '../../errors.ts'
import type {} from '../auth/tables.ts'
import type { Manifest } from './manifest.ts'
import type { Listing } from './register-app.ts'

export const LISTINGS = ['listed', 'unlisted'] as const

const registered = (db: Db) =>
  db.selectFrom('app as a').innerJoin('app_manifest as m', 'm.app_id', 'a.id').where('a.built_in', '=', false)

const requireRegistered = <T>(clientId: string, row: T | undefined): T => {
  if (!row) throw new OperatorError(`There is no app with a manifest and the client_id ${clientId}.`)
  return row
}

export const describeRegistered = async (db: Db, clientId: string) => {
  const row = requireRegistered(
    clientId,
    await registered(db)
      .select(['a.client_id', 'a.name', 'm.source_url', 'm.checked_at', 'm.fault', 'm.manifest'])
      .select(sql<string>`case when a.disabled_at is null then m.listing else 'disabled' end`.as('state'))
      .where('a.client_id', '=', clientId)
      .executeTakeFirst(),
  )
  const { manifest, ...app } = row
  return { ...app, permissions: (manifest as Manifest).permissions }
}

export const findLifecycleGeneration = async (db: Db, clientId: string) =>
  requireRegistered(
    clientId,
    await registered(db)
      .select(['a.id', 'm.lifecycle_generation as generation'])
      .where('a.client_id', '=', clientId)
      .executeTakeFirst(),
  )

const updateManifest = (db: Db, clientId: string) =>
  db
    .updateTable('app_manifest')
    .where('app_id', '=', (eb) => eb.selectFrom('app').select('id').where('client_id', '=', clientId))

export const rotateLifecycleSecret = (db: Db, clientId: string) =>
  updateManifest(db, clientId)
    .set((eb) => ({ lifecycle_generation: eb('lifecycle_generation', '+', 1) }))
    .execute()

export const setListing = async (db: Db, clientId: string, listing: Listing) =>
  requireRegistered(
    clientId,
    await updateManifest(db, clientId).set({ listing }).returning('app_id').executeTakeFirst(),
  )

export interface RegisteredApp {
  id: string
  client_id: string
  is_public: boolean
  disabled: boolean
  listing: Listing
  manifest: Manifest
  /** Of its icon; null if it has none. */
  icon_hash: string | null
}

const columns = (db: Db) =>
  registered(db)
    .select(['a.id', 'a.client_id', 'a.is_public', 'm.listing', 'm.manifest'])
    .select(sql<boolean>`a.disabled_at is not null`.as('disabled'))
    .select(sql<string | null>`left(md5(m.icon), 8)`.as('icon_hash'))

export const findRegisteredApp = async (db: Db, clientId: string): Promise<RegisteredApp | undefined> =>
  (await columns(db).where('a.client_id', '=', clientId).executeTakeFirst()) as RegisteredApp | undefined

export const findIcon = async (db: Db, appId: string) =>
  (await registered(db).select('m.icon').where('a.id', '=', appId).executeTakeFirst())?.icon

/** An app in a store. Without a manifest, the operator has installed it. */
export interface StoreApp extends Omit<RegisteredApp, 'manifest' | 'listing'> {
  name: string
  listing: Listing | null
  manifest: Manifest | null
  install_id: string | null
  permissions: string[] | null
  installed_at: Date | null
  last_used_at: Date | null
}

const MAX_APPS = 500

const inStore = (db: Db, store: StoreId) =>
  db
    .selectFrom('app as a')
    .leftJoin('app_manifest as m', 'm.app_id', 'a.id')
    .leftJoin('installation as i', (join) => join.onRef('i.app_id', '=', 'a.id').on('i.store_id', '=', store))
    .select(['a.id', 'a.client_id', 'a.name', 'a.is_public', 'm.listing', 'm.manifest'])
    .select(['i.id as install_id', 'i.permissions', 'i.created_at as installed_at', 'i.last_used_at'])
    .select(sql<boolean>`a.disabled_at is not null`.as('disabled'))
    .select(sql<string | null>`left(md5(m.icon), 8)`.as('icon_hash'))
    .where('a.built_in', '=', false)

/** The apps that are installed in a store, and those that every store may install. */
export const listAppsOfStore = async (db: Db, store: StoreId): Promise<StoreApp[]> =>
  (await inStore(db, store)
    .where((eb) =>
      eb.or([eb('i.id', 'is not', null), eb.and([eb('m.listing', '=', 'listed'), eb('a.disabled_at', 'is', null)])]),
    )
    .orderBy(sql`i.id is null`)
    .orderBy('a.name')
    .orderBy('a.id')
    .limit(MAX_APPS)
    .execute()) as StoreApp[]

/** Whether or not it is listed or installed. */
export const findAppOfStore = async (db: Db, store: StoreId, clientId: string): Promise<StoreApp | undefined> =>
  (await inStore(db, store).where('a.client_id', '=', clientId).executeTakeFirst()) as StoreApp | undefined

export interface InstallationChange {
  id: string
  store_id: StoreId
  permissions: string[] | null
  change: number
  created_at: Date
  removed_at: Date | null
}

/** Installations of an app by the number of their last change, from a number on, removed ones included, in the order of their changes. */
export const listInstallationChanges = async (db: Db, appId: string, from: number, limit: number) => {
  const { rows } = await sql<InstallationChange>`
    select id, store_id, permissions, change, created_at, null::timestamptz as removed_at
    from installation where app_id = ${appId} and change >= ${from}
    union all select id, store_id, null, change, created_at, removed_at
    from removed_installation where app_id = ${appId} and change >= ${from}
    order by change, id limit ${limit}`.execute(db)
  return rows
}
