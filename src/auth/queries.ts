import type { Db } from '../storage/database.ts'

export interface AppRecord {
  id: string
  name: string
  client_id: string
  secret_hash: Buffer
  generation: number
  disabled: boolean
  created_at: Date
}

export interface InstallationRecord {
  id: string
  store_id: string
  app_id: string
  permissions: ReadonlySet<string>
}

const appColumns = (db: Db) =>
  db
    .selectFrom('app')
    .select(['id', 'name', 'client_id', 'secret_hash', 'generation', 'created_at'])
    .select((eb) => eb('disabled_at', 'is not', null).as('disabled'))

export const findApp = async (db: Db, id: string): Promise<AppRecord | undefined> =>
  (await appColumns(db).where('id', '=', id).executeTakeFirst()) as AppRecord | undefined

export const findAppByClientId = async (db: Db, clientId: string): Promise<AppRecord | undefined> =>
  (await appColumns(db).where('client_id', '=', clientId).executeTakeFirst()) as AppRecord | undefined

export const findInstallation = async (db: Db, id: string): Promise<InstallationRecord | undefined> => {
  const row = await db
    .selectFrom('installation')
    .select(['id', 'store_id', 'app_id', 'permissions'])
    .where('id', '=', id)
    .executeTakeFirst()
  return row && { ...row, permissions: new Set(row.permissions) }
}

/** A minute's worth is enough to see which keys are in use, and spares a write a token. */
export const noteUse = (db: Db, appId: string) =>
  db
    .updateTable('app')
    .set({ last_used_at: new Date() })
    .where('id', '=', appId)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', new Date(Date.now() - 60_000))]))
    .execute()
