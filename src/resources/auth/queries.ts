import { sql } from 'kysely'
import type { AccountRecord, AppRecord, GrantRecord, InstallationRecord } from '../../core/http/access.ts'
import { isUuid } from '../../core/input/uuid.ts'
import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { OperatorError } from '../../errors.ts'
import { PERMISSIONS } from '../permissions/catalogue.ts'
import { heldPermissions } from './held-permissions.ts'

/** The secret before the last rotation, while it still works. */
export interface OldSecret {
  hash: Buffer
  /** On the clock of `performance.now()`. Computed from the database's clock, so that all nodes agree. */
  ends: number
}

const findAppBy = async (db: Db, column: 'id' | 'client_id', value: string): Promise<AppRecord | undefined> => {
  const queriedAt = performance.now()
  const row = await db
    .selectFrom('app')
    .select([
      'id',
      'name',
      'client_id',
      'secret_hash',
      'old_secret_hash',
      'generation',
      'built_in',
      'is_public',
      'created_at',
    ])
    .select((eb) => eb('disabled_at', 'is not', null).as('disabled'))
    .select(sql<number | null>`(extract(epoch from old_secret_until - clock_timestamp()) * 1000)::float8`.as('left'))
    .where(column, '=', value)
    .executeTakeFirst()
  if (!row) return undefined
  const { old_secret_hash: hash, left, disabled, ...app } = row
  const old_secret = hash && left !== null ? { hash, ends: queriedAt + left } : undefined
  return { ...app, disabled: disabled === true, old_secret }
}

export const findApp = (db: Db, id: string) => findAppBy(db, 'id', id)

export const findAppByClientId = (db: Db, clientId: string) => findAppBy(db, 'client_id', clientId)

export const findInstallation = async (db: Db, id: string): Promise<InstallationRecord | undefined> => {
  const row = await db
    .selectFrom('installation')
    .innerJoin('store', 'store.id', 'installation.store_id')
    .select(['installation.id', 'installation.store_id', 'installation.app_id', 'installation.permissions'])
    .select((eb) => eb('store.suspended_at', 'is not', null).as('is_suspended'))
    .select(
      sql<Record<string, number> | null>`(select p.limits from subscription s join plan p on p.id = s.plan_id
        where s.store_id = installation.store_id)`.as('limits'),
    )
    .where('installation.id', '=', id)
    .executeTakeFirst()
  return (
    row && {
      ...row,
      is_suspended: row.is_suspended === true,
      permissions: new Set(row.permissions),
      limits: row.limits ?? undefined,
    }
  )
}

const ALL: ReadonlySet<string> = new Set(PERMISSIONS)

interface MembershipRow {
  store_id: StoreId
  role: string
  permissions: string[]
}

export const findAccount = async (db: Db, id: string): Promise<AccountRecord | undefined> => {
  const row = await db
    .selectFrom('account as a')
    .select(['a.id', 'a.name', 'a.email', 'a.is_operator', 'a.generation'])
    .select((eb) => eb('a.disabled_at', 'is not', null).as('disabled'))
    .select(
      sql<MembershipRow[]>`coalesce((select json_agg(json_build_object('store_id', m.store_id, 'role', m.role,
        'permissions', ${heldPermissions('m')})) from membership m where m.account_id = a.id), '[]')`.as('memberships'),
    )
    .where('a.id', '=', id)
    .executeTakeFirst()
  if (!row) return undefined
  const stores = row.memberships.map(({ store_id, role, permissions }): [string, ReadonlySet<string>] => [
    store_id,
    role === 'owner' ? ALL : new Set(permissions),
  ])
  return {
    id: row.id,
    name: row.name || row.email,
    generation: row.generation,
    disabled: row.disabled === true,
    everywhere: row.is_operator ? ALL : undefined,
    stores: new Map(stores),
  }
}

/** A precision of one minute is enough, and saves a write per token. */
const recordUse = (db: Db, table: 'app' | 'installation', id: string) =>
  db
    .updateTable(table)
    .set({ last_used_at: new Date() })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', new Date(Date.now() - 60_000))]))
    .execute()

export const recordAppUse = async (db: Db, appId: string, installId: string | undefined) => {
  await recordUse(db, 'app', appId)
  if (installId) await recordUse(db, 'installation', installId)
}

/** Undefined if its tokens no longer work. */
export const findGrant = async (db: Db, id: string): Promise<GrantRecord | undefined> => {
  const row = await db
    .selectFrom('oauth_grant as g')
    .leftJoin('connected_assistant as c', (join) =>
      join.onRef('c.installation_id', '=', 'g.installation_id').onRef('c.account_id', '=', 'g.account_id'),
    )
    .select(['g.id', 'g.account_id', 'c.permissions'])
    .where('g.id', '=', id)
    .executeTakeFirst()
  return row && { ...row, permissions: row.permissions ? new Set(row.permissions) : undefined }
}

/** What a person has ticked for an assistant. Undefined once it is cut off. */
export const findTicked = async (db: Db, installation: string, account: string) => {
  const row = await db
    .selectFrom('connected_assistant')
    .select('permissions')
    .where('installation_id', '=', installation)
    .where('account_id', '=', account)
    .executeTakeFirst()
  return row && new Set(row.permissions)
}

export const listApps = (db: Db) =>
  db
    .selectFrom('app')
    .select(['id', 'name', 'client_id', 'created_at', 'last_used_at', 'disabled_at'])
    .select(
      sql<Date | null>`case when old_secret_until > clock_timestamp() then old_secret_until end`.as('old_secret_until'),
    )
    .where('built_in', '=', false)
    .orderBy('created_at')
    .execute()

/** Fails if the query found no app. */
export const requireApp = async <App>(clientId: string, query: Promise<App | undefined>): Promise<App> => {
  const app = await query
  if (!app) throw new OperatorError(`There is no app with the client_id ${clientId}.`)
  return app
}

export const requireNamedApp = (db: Db, clientId: string) =>
  requireApp(
    clientId,
    db
      .selectFrom('app')
      .select(['id', 'name'])
      .where('client_id', '=', clientId)
      .where('built_in', '=', false)
      .executeTakeFirst(),
  )

export const requireAppId = async (db: Db, clientId: string) => (await requireNamedApp(db, clientId)).id

export const enableApp = (db: Db, clientId: string) =>
  requireApp(
    clientId,
    db
      .updateTable('app')
      .set({ disabled_at: null })
      .where('client_id', '=', clientId)
      .where('built_in', '=', false)
      .returning(['client_id', 'name', 'disabled_at'])
      .executeTakeFirst(),
  )

/** The app's name and its number of installations. */
export const describeApp = (db: Db, clientId: string) =>
  requireApp(
    clientId,
    db
      .selectFrom('app as a')
      .leftJoin('installation as i', 'i.app_id', 'a.id')
      .select(['a.client_id', 'a.name'])
      .select((eb) => eb.fn.count<number>('i.id').as('installations'))
      .where('a.client_id', '=', clientId)
      .where('a.built_in', '=', false)
      .groupBy('a.id')
      .executeTakeFirst(),
  )

const installations = (db: Db) =>
  db
    .selectFrom('installation as i')
    .innerJoin('app as a', 'a.id', 'i.app_id')
    .where('a.built_in', '=', false)
    .select(['i.id as install_id', 'a.client_id', 'i.store_id', 'i.permissions'])

export const listInstallations = (db: Db) =>
  installations(db)
    .innerJoin('store as s', 's.id', 'i.store_id')
    .select(['a.name as app', 's.name as store', 'i.created_at'])
    .orderBy('i.created_at')
    .execute()

export const requireInstallation = async (db: Db, id: string) => {
  const found = isUuid(id)
    ? await installations(db).select('i.app_id').where('i.id', '=', id).executeTakeFirst()
    : undefined
  if (!found) throw new OperatorError(`There is no installation ${id}.`)
  return found
}
