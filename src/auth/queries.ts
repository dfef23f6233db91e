import { sql } from 'kysely'
import type { AppRecord, InstallationRecord } from '../http/access.ts'
import type { Db } from '../storage/database.ts'

/** The secret before the last rotation, while it still works. */
export interface OldSecret {
  hash: Buffer
  /** By `performance.now()`: reckoned from the clock of the database, so that all nodes agree. */
  ends: number
}

const findAppBy = async (db: Db, column: 'id' | 'client_id', value: string): Promise<AppRecord | undefined> => {
  const asked = performance.now()
  const row = await db
    .selectFrom('app')
    .select(['id', 'name', 'client_id', 'secret_hash', 'old_secret_hash', 'generation', 'created_at'])
    .select((eb) => eb('disabled_at', 'is not', null).as('disabled'))
    .select(sql<number | null>`(extract(epoch from old_secret_until - clock_timestamp()) * 1000)::float8`.as('left'))
    .where(column, '=', value)
    .executeTakeFirst()
  if (!row) return undefined
  const { old_secret_hash: hash, left, disabled, ...app } = row
  const old_secret = hash && left !== null ? { hash, ends: asked + left } : undefined
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

/** A minute's worth is enough to see which keys are in use, and spares a write a token. */
export const recordAppUse = (db: Db, appId: string) =>
  db
    .updateTable('app')
    .set({ last_used_at: new Date() })
    .where('id', '=', appId)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', new Date(Date.now() - 60_000))]))
    .execute()
