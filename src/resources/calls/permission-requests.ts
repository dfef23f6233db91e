import { sql } from 'kysely'
import { type Db, type Tx, transact } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { forbidden, invalid, notFound } from '../../errors.ts'
import { recordAct } from '../accounts/audit.ts'
import { requireInstaller } from '../accounts/installers.ts'
import type { SessionAccount } from '../accounts/sessions.ts'
import { changeInstallation } from '../auth/installation-changes.ts'
import { refuseRemoved } from '../auth/refuse-removed.ts'
import { readAsked } from './developers.ts'
import { DECLINED_DAYS } from './schema.ts'
import type {} from './tables.ts'

/** How long calls that were refused are a reason to ask. */
const REFUSED_DAYS = 90

const selectRefused = async (db: Db, store: StoreId, installation: string) => {
  const rows = await db
    .selectFrom('permission_use')
    .select('permission')
    .distinct()
    .where('store_id', '=', store)
    .where('installation_id', '=', installation)
    .where('refused', '>', 0)
    .where('day', '>', sql<string>`current_date - ${REFUSED_DAYS}::int`)
    .execute()
  return rows.map(({ permission }) => permission)
}

interface Asked {
  installation_id: string
  permissions: readonly string[]
}

const namedIn = (asked: Awaited<ReturnType<typeof readAsked>>): readonly string[] | null =>
  asked && [...asked.required, ...asked.optional]

/** Asks the people of a store for what calls of the app were refused. Of an app with a manifest, only for what that names. */
export const askForPermissions = (
  db: Db,
  account: SessionAccount,
  appId: string,
  { installation_id, permissions }: Asked,
) =>
  transact(db, async (db) => {
    const found = await db
      .selectFrom('installation as i')
      .innerJoin('app as a', 'a.id', 'i.app_id')
      .select(['i.store_id', 'i.permissions', 'a.name'])
      .where('i.id', '=', installation_id)
      .where('a.id', '=', appId)
      .where('a.built_in', '=', false)
      .where('a.is_public', '=', false)
      .where('a.disabled_at', 'is', null)
      .executeTakeFirst()
    if (!found) throw notFound('installation')
    const refused = await selectRefused(db, found.store_id, installation_id)
    const named = namedIn(await readAsked(db, appId))
    for (const [index, name] of permissions.entries()) {
      const wrong = (sentence: string) => invalid({ [`permissions.${index}`]: [sentence] })
      if (found.permissions.includes(name)) throw wrong('is granted already')
      if (!refused.includes(name)) throw wrong('is not a permission that calls were refused for want of')
      if (named && !named.includes(name)) throw wrong('is not in the manifest of the app')
    }
    const wanted = [...new Set(permissions)].sort()
    const { rows } = await sql<{ asked_at: Date }>`
      insert into permission_request as r (store_id, installation_id, permissions, asked_by)
      values (${found.store_id}, ${installation_id}, ${wanted}::text[], ${account.name || account.email})
      on conflict (store_id, installation_id) do update set permissions = excluded.permissions,
        asked_by = excluded.asked_by, asked_at = excluded.asked_at, declined_at = null
      where r.declined_at is null or r.declined_at < now() - ${DECLINED_DAYS} * interval '1 day'
      returning asked_at`
      .execute(db)
      .catch(refuseRemoved(() => notFound('installation')))
    if (rows.length === 0) throw invalid({ permissions: [`were declined less than ${DECLINED_DAYS} days ago`] })
    const { store_id, name } = found
    await recordAct(db, account, {
      act: 'ask_permissions',
      subject: name,
      app_id: appId,
      store_id,
      after: { permissions: wanted },
    })
  })

/** What waits for a decision in a store. */
export const listRequests = async (db: Db, store: StoreId) => {
  const rows = await db
    .selectFrom('permission_request as r')
    .innerJoin('installation as i', 'i.id', 'r.installation_id')
    .innerJoin('app as a', 'a.id', 'i.app_id')
    .select(['r.installation_id', 'a.client_id', 'a.name as app', 'r.permissions', 'r.asked_by', 'r.asked_at'])
    .where('r.store_id', '=', store)
    .where('r.declined_at', 'is', null)
    .where('a.disabled_at', 'is', null)
    .orderBy('r.asked_at')
    .orderBy('r.installation_id')
    .execute()
  return rows.map(({ asked_at, ...request }) => ({ ...request, asked_at: asked_at.toISOString() }))
}

/**
 * What is asked for, locked against another question or decision. The app is locked before the installation and what refers to
 * it, and keeps its manifest meanwhile.
 */
const lockRequest = async (db: Tx, store: StoreId, installation: string, app: string): Promise<readonly string[]> => {
  const enabled = await db
    .selectFrom('app')
    .select('id')
    .where('id', '=', app)
    .where('disabled_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  const request = await db
    .selectFrom('permission_request')
    .select('permissions')
    .where('store_id', '=', store)
    .where('installation_id', '=', installation)
    .where('declined_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (!enabled || !request) throw notFound('request')
  return request.permissions
}

/** Grants what a person has chosen of a request, and declines the rest. */
export const decideRequest = (
  db: Db,
  account: SessionAccount,
  storeId: string,
  installation: string,
  chosen: readonly string[],
) =>
  transact(db, async (db) => {
    const { id: store, held } = await requireInstaller(db, account, storeId)
    const app = await db
      .selectFrom('installation as i')
      .innerJoin('app as a', 'a.id', 'i.app_id')
      .select(['a.id', 'a.name'])
      .where('i.store_id', '=', store)
      .where('i.id', '=', installation)
      .executeTakeFirst()
    if (!app) throw notFound('request')
    const { id: app_id, name: subject } = app
    const permissions = await lockRequest(db, store, installation, app_id)
    if (chosen.some((name) => !permissions.includes(name)))
      throw invalid({ permissions: ['must be among those that are asked for'] })
    const named = namedIn(await readAsked(db, app_id))
    if (named && chosen.some((name) => !named.includes(name)))
      throw invalid({ permissions: ['must be among those that the app still asks for'] })
    const missing = chosen.find((name) => !held.has(name))
    if (missing) throw forbidden(missing)
    let before: readonly string[] = []
    if (chosen.length > 0)
      await changeInstallation(db, app_id, installation, (granted) => {
        before = granted
        return [...granted, ...chosen]
      })
    const declined = permissions.filter((name) => !chosen.includes(name))
    const ofRequest = { store_id: store, installation_id: installation }
    if (declined.length === 0)
      await db
        .deleteFrom('permission_request')
        .where((eb) => eb.and(ofRequest))
        .execute()
    else
      await db
        .updateTable('permission_request')
        .set({ permissions: declined, declined_at: sql`now()` })
        .where((eb) => eb.and(ofRequest))
        .execute()
    const entry = { subject, app_id, store_id: store }
    if (chosen.length > 0)
      await recordAct(db, account, {
        ...entry,
        act: 'change_permissions',
        before: { permissions: before },
        after: { permissions: [...new Set([...before, ...chosen])].sort() },
      })
    if (declined.length > 0) await recordAct(db, account, { ...entry, act: 'decline_permissions', after: { declined } })
    return { granted: [...chosen], declined }
  })
