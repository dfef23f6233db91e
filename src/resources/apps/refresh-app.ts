import { sql } from 'kysely'
import type { Logger } from 'pino'
import { type Db, type Tx, transact } from '../../core/storage/database.ts'
import { ApiError, notFound, OperatorError } from '../../errors.ts'
import { changeInstallation, forEachInstallation } from '../auth/installation-changes.ts'
import type { Egress } from '../webhooks/egress.ts'
import { manifestOfClient } from './client-document.ts'
import { jsonAt } from './fetch-document.ts'
import { readIcon } from './icon.ts'
import { allPermissions, explainInvalid, type Manifest, nameKey } from './manifest.ts'
import {
  lockNames,
  type ManifestSource,
  type RecordChange,
  readManifest,
  refuseImitation,
  refuseTakenName,
} from './register-app.ts'

const PER_ROUND = 20

interface Registered {
  id: string
  client_id: string
  is_public: boolean
  source_url: string | null
}

const findRegistered = async (db: Db, clientId: string): Promise<Registered> => {
  const app = await db
    .selectFrom('app as a')
    .innerJoin('app_manifest as m', 'm.app_id', 'a.id')
    .select(['a.id', 'a.client_id', 'a.is_public', 'm.source_url'])
    .where('a.client_id', '=', clientId)
    .executeTakeFirst()
  if (!app) throw new OperatorError(`There is no app with a manifest and the client_id ${clientId}.`)
  return app
}

/** What the app no longer asks for is taken away at once. What it asks for in addition, a person must grant. */
const narrowInstallations = async (db: Tx, appId: string, dropped: readonly string[]) => {
  if (dropped.length === 0) return
  await forEachInstallation(db, appId, ({ id, permissions }) =>
    permissions.some((name) => dropped.includes(name))
      ? changeInstallation(db, appId, id, (before) => before.filter((name) => !dropped.includes(name)))
      : Promise.resolve(),
  )
}

/** Replaces the manifest. `icon` is undefined if its address has not changed. */
export const replaceManifest = async (db: Tx, appId: string, manifest: Manifest, icon: Buffer | null | undefined) => {
  const before = await lockManifest(db, appId)
  await lockNames(db)
  await refuseImitation(db, manifest, appId)
  await db.updateTable('app').set({ name: manifest.name }).where('id', '=', appId).execute()
  await db
    .updateTable('app_manifest')
    .set({
      manifest: JSON.stringify(manifest),
      name_key: nameKey(manifest.name),
      checked_at: sql`now()`,
      fault: null,
      ...(icon !== undefined && { icon }),
    })
    .where('app_id', '=', appId)
    .execute()
  const kept: readonly string[] = allPermissions(manifest)
  await narrowInstallations(
    db,
    appId,
    allPermissions(before).filter((name) => !kept.includes(name)),
  )
}

/** Whoever installs the app holds this lock too, so that nobody is granted what the app no longer asks for. */
export const lockManifest = async (db: Tx, appId: string): Promise<Manifest> => {
  await db.selectFrom('app').select('id').where('id', '=', appId).forUpdate().execute()
  const found = await db.selectFrom('app_manifest').select('manifest').where('app_id', '=', appId).executeTakeFirst()
  if (!found) throw notFound('app')
  return found.manifest as Manifest
}

const readAgain = async (egress: Egress, { is_public, client_id }: Registered, source: ManifestSource) =>
  is_public ? manifestOfClient(client_id, await jsonAt(egress, client_id)) : readManifest(egress, source)

const currentIcon = async (db: Db, appId: string) => {
  const { manifest } = await db
    .selectFrom('app_manifest')
    .select('manifest')
    .where('app_id', '=', appId)
    .executeTakeFirstOrThrow()
  return (manifest as Manifest).icon
}

const refresh = async (db: Db, egress: Egress, app: Registered, source: ManifestSource, record?: RecordChange) => {
  const manifest = await readAgain(egress, app, source)
  const isNewIcon = manifest.icon !== undefined && manifest.icon !== (await currentIcon(db, app.id))
  const icon = isNewIcon ? await readIcon(egress, manifest.icon as string) : undefined
  await transact(db, async (db) => {
    await replaceManifest(db, app.id, manifest, icon)
    await record?.(db, { id: app.id, name: manifest.name })
  }).catch(refuseTakenName)
}

const recordFault = async (db: Db, appId: string, error: unknown) => {
  const fault = explainInvalid(error) ?? 'The manifest could not be read.'
  await db
    .updateTable('app_manifest')
    .set({ fault: fault.slice(0, 500), checked_at: sql`now()` })
    .where('app_id', '=', appId)
    .execute()
}

/** Reads the manifest of an app again: from its address, or from `content` if it was given as a file. */
export const refreshApp = async (
  db: Db,
  egress: Egress,
  clientId: string,
  content?: unknown,
  record?: RecordChange,
) => {
  const app = await findRegistered(db, clientId)
  if (content === undefined && !app.source_url)
    throw new OperatorError('This app was registered from a file: give the file again, with --manifest FILE.')
  const source = content === undefined ? { url: app.source_url as string } : { content }
  try {
    await refresh(db, egress, app, source, record)
  } catch (error) {
    if (error instanceof ApiError && content === undefined) await recordFault(db, app.id, error)
    throw error
  }
}

/** Reads manifests again that were read more than a day ago. Nodes share the work. */
export const refreshOldManifests = async (db: Db, egress: Egress, log: Logger) => {
  const { rows } = await sql<{ client_id: string }>`update app_manifest m set checked_at = now() from app a
    where a.id = m.app_id and m.app_id in (select app_id from app_manifest where source_url is not null
      and checked_at < now() - interval '1 day' order by checked_at limit ${PER_ROUND} for update skip locked)
    returning a.client_id`.execute(db)
  for (const { client_id } of rows)
    await refreshApp(db, egress, client_id).catch((error) =>
      log.info({ app: client_id, reason: explainInvalid(error) ?? String(error) }, 'manifest was not read'),
    )
}
