import { sql } from 'kysely'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { ApiError, forbidden, invalid, notFound } from '../../errors.ts'
import { addInstallation, changeInstallation, deleteInstallation } from '../auth/installation-changes.ts'
import type { Manifest } from './manifest.ts'
import { findRegisteredApp, type RegisteredApp } from './queries.ts'
import { lockManifest } from './refresh-app.ts'

/** Whoever installs an app can give it only what they may do themselves. */
const refuseMoreThanHeld = (added: readonly string[], held: ReadonlySet<string>) => {
  const missing = added.find((name) => !held.has(name))
  if (missing) throw forbidden(missing)
}

const findInstallation = (db: Tx, appId: string, store: StoreId) =>
  db
    .selectFrom('installation')
    .select(['id', 'permissions'])
    .where('app_id', '=', appId)
    .where('store_id', '=', store)
    .executeTakeFirst()

/** An app that can be installed, locked with its manifest until the transaction ends. */
export const lockInstallableApp = async (db: Tx, clientId: string): Promise<RegisteredApp> => {
  const app = await findRegisteredApp(db, clientId)
  if (!app) throw notFound('app')
  const manifest = await lockManifest(db, app.id)
  const current = await findRegisteredApp(db, clientId)
  if (!current || current.disabled) throw notFound('app')
  return { ...current, manifest }
}

const refuseUnasked = (chosen: readonly string[], { permissions }: Manifest) => {
  const asked: readonly string[] = [...permissions.required, ...permissions.optional]
  for (const [index, name] of chosen.entries())
    if (!asked.includes(name))
      throw invalid({ [`permissions.${index}`]: ['is not a permission that the app asks for'] })
}

/** What an app may do itself, which nobody can take away until the transaction ends. */
const holdOwn = async (db: Tx, installation: string): Promise<ReadonlySet<string>> => {
  const own = await db
    .selectFrom('installation')
    .select('permissions')
    .where('id', '=', installation)
    .forShare()
    .executeTakeFirst()
  if (!own) throw new ApiError('install_not_granted')
  if (!own.permissions.includes('app:install')) throw forbidden('app:install')
  return new Set(own.permissions)
}

/** Installs an app on behalf of the app of an installation: a new one only, because only people widen one. */
export const installApp = async (
  db: Tx,
  clientId: string,
  store: StoreId,
  chosen: readonly string[],
  installation: string,
) => {
  const app = await lockInstallableApp(db, clientId)
  refuseUnasked(chosen, app.manifest)
  // After the app that is installed: whoever changes an installation locks its app first.
  const held = await holdOwn(db, installation)
  const permissions = [...new Set([...app.manifest.permissions.required, ...chosen])]
  refuseMoreThanHeld(permissions, held)
  if (await findInstallation(db, app.id, store)) throw invalid({ client_id: ['is installed in this store already'] })
  const install_id = await addInstallation(db, { app_id: app.id, store_id: store, permissions })
  return { app: { id: app.id, name: app.manifest.name }, install_id, permissions }
}

interface Consent {
  app: RegisteredApp
  store: StoreId
  /** What the app must have, and what the person has switched on. */
  permissions: readonly string[]
  held: ReadonlySet<string>
}

/**
 * Installs an app, or changes what it may do, as a person has decided. What the operator has granted beyond the manifest
 * stays.
 */
export const applyConsent = async (db: Tx, { app, store, permissions, held }: Consent): Promise<string> => {
  const existing = await findInstallation(db, app.id, store)
  refuseMoreThanHeld(
    permissions.filter((name) => !existing?.permissions.includes(name)),
    held,
  )
  if (!existing) return addInstallation(db, { app_id: app.id, store_id: store, permissions })
  const { required, optional } = app.manifest.permissions
  const asked: readonly string[] = [...required, ...optional]
  await changeInstallation(db, app.id, existing.id, (before) => [
    ...before.filter((name) => !asked.includes(name)),
    ...permissions,
  ])
  return existing.id
}

/**
 * Connects an assistant to a store for one person, or changes what it may do for them. The installation is shared by all who
 * connect the same assistant, so it is only ever widened: what holds for each is what they have ticked and may do themselves.
 */
export const connectAssistant = async (
  db: Tx,
  { app, store, permissions, held }: Consent,
  account: string,
): Promise<string> => {
  refuseMoreThanHeld(permissions, held)
  const existing = await findInstallation(db, app.id, store)
  const id = existing?.id ?? (await addInstallation(db, { app_id: app.id, store_id: store, permissions }))
  if (existing && permissions.some((name) => !existing.permissions.includes(name)))
    await changeInstallation(db, app.id, id, (before) => [...before, ...permissions])
  const ticked = [...new Set(permissions)].sort()
  await db
    .insertInto('connected_assistant')
    .values({ installation_id: id, account_id: account, permissions: ticked })
    .onConflict((conflict) =>
      conflict
        .columns(['installation_id', 'account_id'])
        .doUpdateSet({ permissions: ticked, connected_at: sql`now()` }),
    )
    .execute()
  return id
}

/** Throws unless everything that the app may do in the store already is held. */
export const requireAllPermissions = async (db: Tx, appId: string, store: StoreId, held: ReadonlySet<string>) =>
  refuseMoreThanHeld((await findInstallation(db, appId, store))?.permissions ?? [], held)

export const uninstallApp = async (db: Tx, clientId: string, store: StoreId) => {
  const found = await db
    .selectFrom('app as a')
    .innerJoin('installation as i', 'i.app_id', 'a.id')
    .select(['a.id as app_id', 'a.name', 'i.id'])
    .where('a.client_id', '=', clientId)
    .where('a.built_in', '=', false)
    .where('i.store_id', '=', store)
    .executeTakeFirst()
  if (!found || !(await deleteInstallation(db, found.app_id, found.id))) throw notFound('app')
  return { id: found.app_id, name: found.name }
}
