import { sql } from 'kysely'
import type { AccountRecord, AppRecord, InstallationRecord } from '../http/access.ts'
import { PERMISSIONS } from '../permissions/catalogue.ts'
import type { Db } from '../storage/database.ts'

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
    .select(['id', 'name', 'client_id', 'secret_hash', 'old_secret_hash', 'generation', 'built_in', 'created_at'])
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
    .select(['id', 'store_id', 'app_id', 'permissions'])
    .where('id', '=', id)
    .executeTakeFirst()
  return row && { ...row, permissions: new Set(row.permissions) }
}

const ALL: ReadonlySet<string> = new Set(PERMISSIONS)

interface MembershipRow {
  store_id: string
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
        'permissions', m.permissions)) from membership m where m.account_id = a.id), '[]')`.as('memberships'),
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
export const recordAppUse = (db: Db, appId: string) =>
  db
    .updateTable('app')
    .set({ last_used_at: new Date() })
    .where('id', '=', appId)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', new Date(Date.now() - 60_000))]))
    .execute()
