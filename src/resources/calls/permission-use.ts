import { sql } from 'kysely'
import type { Db, Tx } from '../../core/storage/database.ts'
import { newId } from '../../core/storage/new-id.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { forbidden } from '../../errors.ts'
import { type Actor, recordAct } from '../accounts/audit.ts'
import { changeInstallation, inTransaction } from '../auth/installation-changes.ts'
import type { EventKinds } from '../events/kinds.ts'
import { PERMISSIONS } from '../permissions/catalogue.ts'
import { DECLINED_DAYS, type InstallationUseInfo, MAX_INSTALLATIONS } from './schema.ts'

/** Installations of an app, or one of a store. */
export interface UseScope {
  app?: string
  store?: StoreId
  installation?: string
  /** Undone is only what this person has done: what a store has taken from an app, no developer gives back. */
  by?: string
}

interface InstallationRow {
  id: string
  store_id: StoreId
  store: string
  app: string
  permissions: string[]
  since: Date
  calls: number
  failures: number
  reads_feed: boolean
  types: string[]
}

/**
 * An earlier time is not known: counting began with the schema, in older databases with migration 0120, or when the app was
 * installed.
 */
const COUNTING_BEGAN = sql`(select min(applied_at) from schema_migration where version >= 120)`

const selectInstallations = ({ app, store, installation }: UseScope, days: number) => sql<InstallationRow>`
  select i.id, i.store_id, s.name as store, a.name as app, i.permissions,
    greatest(i.created_at, ${COUNTING_BEGAN}, now() - ${days} * interval '1 day') as since,
    coalesce(t.calls, 0)::float8 as calls, coalesce(t.failures, 0)::float8 as failures, coalesce(t.reads_feed, false) as reads_feed
  from installation i join store s on s.id = i.store_id join app a on a.id = i.app_id
  left join lateral (select sum(calls) as calls, sum(calls) filter (where status_class >= 4) as failures,
      bool_or(route ~ '/(event|snapshot)') as reads_feed
    from call_tally t where t.store_id = i.store_id and t.installation_id = i.id
      and t.hour > now() - ${days} * interval '1 day') t on true
  where not a.built_in and (${app ?? null}::uuid is null or i.app_id = ${app ?? null}::uuid)
    and (${store ?? null}::uuid is null or i.store_id = ${store ?? null}::uuid)
    and (${installation ?? null}::uuid is null or i.id = ${installation ?? null}::uuid)
  order by s.name, i.id limit ${MAX_INSTALLATIONS}`

interface UseRow {
  installation_id: string
  permission: string
  used: number
  refused: number
  last_used_at: Date | null
  last_refused_at: Date | null
}

const selectUses = (stores: StoreId[], installations: string[], days: number) => sql<UseRow>`
  select installation_id, permission, sum(used)::float8 as used, sum(refused)::float8 as refused,
    max(last_used_at) as last_used_at, max(last_refused_at) as last_refused_at
  from permission_use where store_id = any(${stores}::uuid[]) and installation_id = any(${installations}::uuid[])
    and day > current_date - ${days}::int group by installation_id, permission`

/** Types of events of each installation's webhooks. One statement for each store, as a distributed database wants. */
const webhookTypes = async (db: Db, installations: readonly InstallationRow[]) => {
  const types = new Map<string, string[]>()
  for (const { id, store_id } of installations) {
    const rows = await db
      .selectFrom('webhook')
      .select('types')
      .where('store_id', '=', store_id)
      .where('installation_id', '=', id)
      .execute()
    types.set(
      id,
      rows.flatMap((row) => row.types),
    )
  }
  return types
}

const selectRequests = async (db: Db, stores: StoreId[], installations: string[]) => {
  const rows = await db
    .selectFrom('permission_request')
    .select(['installation_id', 'permissions', 'asked_by', 'asked_at'])
    .select(sql<Date | null>`declined_at + ${DECLINED_DAYS} * interval '1 day'`.as('again_at'))
    .where('store_id', 'in', stores)
    .where('installation_id', 'in', installations)
    .execute()
  return new Map(rows.map(({ installation_id, ...request }) => [installation_id, request]))
}

const iso = (at: Date | null | undefined) => at?.toISOString() ?? null

/**
 * What each installation may do, and what it did. Events show resources without a call, so what a webhook or the feed
 * needs counts as needed.
 */
export const describeUse = async (
  db: Db,
  kinds: EventKinds,
  scope: UseScope,
  days: number,
): Promise<InstallationUseInfo[]> => {
  const { rows: installations } = await selectInstallations(scope, days).execute(db)
  if (installations.length === 0) return []
  const ids = installations.map(({ id }) => id)
  const stores = [...new Set(installations.map(({ store_id }) => store_id))]
  const { rows: uses } = await selectUses(stores, ids, days).execute(db)
  const types = await webhookTypes(db, installations)
  const requests = await selectRequests(db, stores, ids)
  return installations.map(({ permissions, since, reads_feed, ...installation }) => {
    const own = new Map(
      uses.filter((use) => use.installation_id === installation.id).map((use) => [use.permission, use]),
    )
    const forEvents = new Set(kinds.permissionsFor(reads_feed ? ['*'] : (types.get(installation.id) ?? [])))
    const names = PERMISSIONS.filter((name) => permissions.includes(name) || own.has(name))
    const request = requests.get(installation.id)
    return {
      ...installation,
      since: since.toISOString(),
      request: request
        ? { ...request, asked_at: request.asked_at.toISOString(), again_at: iso(request.again_at) }
        : null,
      permissions: names.map((name) => {
        const use = own.get(name)
        return {
          name,
          is_granted: permissions.includes(name),
          used: use?.used ?? 0,
          refused: use?.refused ?? 0,
          last_used_at: iso(use?.last_used_at),
          last_refused_at: iso(use?.last_refused_at),
          is_for_events: forEvents.has(name),
        }
      }),
    }
  })
}

export const isUnused = ({ is_granted, used, is_for_events }: InstallationUseInfo['permissions'][number]) =>
  is_granted && used === 0 && !is_for_events

const REVOKED = 'revoke_permissions'
const RESTORED = 'restore_permissions'

interface Revoked {
  installation_id: string
  revoked: string[]
  /** What was left. */
  left: string[]
  /** The number of this change. It can be undone only as long as it is the last one of the installation. */
  change: number
}

/** An installation within the scope; the app is locked before the installation. */
const findIn = ({ app, store }: UseScope, db: Tx, id: string) =>
  db
    .selectFrom('installation as i')
    .innerJoin('app as a', 'a.id', 'i.app_id')
    .select(['i.id', 'i.store_id', 'i.app_id', 'a.name as app'])
    .where('i.id', '=', id)
    .where('a.built_in', '=', false)
    .$if(app !== undefined, (query) => query.where('i.app_id', '=', app as string))
    .$if(store !== undefined, (query) => query.where('i.store_id', '=', store as StoreId))
    .executeTakeFirst()

const lastChangeOf = async (db: Tx, id: string) =>
  (await db.selectFrom('installation').select('change').where('id', '=', id).executeTakeFirst())?.change

/** Takes permissions away. Returns how many, and the ids with which that is undone. */
export const revokeUnused = (
  db: Db,
  actor: Actor,
  scope: UseScope,
  given: readonly { id: string; permissions: readonly string[] }[],
) =>
  inTransaction(db, async (db) => {
    const undo: string[] = []
    let revoked = 0
    for (const { id, permissions } of [...given].sort((a, b) => (a.id < b.id ? -1 : 1))) {
      const found = await findIn(scope, db, id)
      if (!found) continue
      let taken: string[] = []
      const left = await changeInstallation(db, found.app_id, id, (before) => {
        taken = before.filter((name) => permissions.includes(name))
        return before.filter((name) => !permissions.includes(name))
      })
      if (!left || taken.length === 0) continue
      const entry = newId()
      const change = (await lastChangeOf(db, id)) as number
      const after: Revoked = { installation_id: id, revoked: taken, left, change }
      const { app_id, store_id, app } = found
      await recordAct(db, actor, { id: entry, act: REVOKED, subject: app, app_id, store_id, after })
      undo.push(entry)
      revoked += taken.length
    }
    return { revoked, undo }
  })

const findRevocations = async ({ app, store, by }: UseScope, db: Tx, ids: readonly string[]) => {
  const { rows } = await sql<{ app_id: string; store_id: StoreId; subject: string; after: Revoked }>`
    select app_id, store_id, subject, after from audit_entry where id = any(${[...ids].sort()}::uuid[])
      and act = ${REVOKED} and at > now() - interval '1 day'
      and (${app ?? null}::uuid is null or app_id = ${app ?? null}::uuid)
      and (${store ?? null}::uuid is null or store_id = ${store ?? null}::uuid)
      and (${by ?? null}::uuid is null or account_id = ${by ?? null}::uuid) order by id`.execute(db)
  return rows
}

/** What `restoreRevoked` would give back, the newest first. */
export const listRevoked = async (db: Db, { app, store, installation, by }: UseScope) => {
  const { rows } = await sql<{ undo: string; at: Date; store: string; permissions: string[] }>`
    select e.id as undo, e.at, s.name as store, array(select jsonb_array_elements_text(e.after->'revoked')) as permissions
    from audit_entry e join installation i on i.id = (e.after->>'installation_id')::uuid join store s on s.id = e.store_id
    where e.act = ${REVOKED} and e.at > now() - interval '1 day'
      and (${app ?? null}::uuid is null or e.app_id = ${app ?? null}::uuid)
      and (${store ?? null}::uuid is null or e.store_id = ${store ?? null}::uuid)
      and (${installation ?? null}::uuid is null or i.id = ${installation ?? null}::uuid)
      and (${by ?? null}::uuid is null or e.account_id = ${by ?? null}::uuid)
      and i.change = (e.after->>'change')::bigint
      and (select array_agg(p order by p) from unnest(i.permissions) p) is not distinct from
        (select array_agg(p order by p) from jsonb_array_elements_text(e.after->'left') p)
    order by e.at desc, e.id desc limit ${MAX_INSTALLATIONS}`.execute(db)
  return rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }))
}

/**
 * Gives back what was revoked, of permissions that whoever does it holds. Installations that somebody has changed since stay as
 * they are. Returns how many permissions.
 */
export const restoreRevoked = (
  db: Db,
  actor: Actor,
  scope: UseScope,
  ids: readonly string[],
  held: ReadonlySet<string> = new Set(PERMISSIONS),
) =>
  inTransaction(db, async (db) => {
    let restored = 0
    for (const { app_id, store_id, subject, after } of await findRevocations(scope, db, ids)) {
      const missing = after.revoked.find((name) => !held.has(name))
      if (missing) throw forbidden(missing)
      await db.selectFrom('app').select('id').where('id', '=', app_id).forUpdate().execute()
      const isLast = (await lastChangeOf(db, after.installation_id)) === after.change
      let given: string[] = []
      await changeInstallation(db, app_id, after.installation_id, (before) => {
        given = isLast && [...before].sort().join() === [...after.left].sort().join() ? after.revoked : []
        return [...before, ...given]
      })
      if (given.length === 0) continue
      await recordAct(db, actor, { act: RESTORED, subject, app_id, store_id, after: { restored: given } })
      restored += given.length
    }
    return restored
  })
