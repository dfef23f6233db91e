import { sql } from 'kysely'
import { readPermissions } from '../permissions/read-permissions.ts'
import type { Db } from '../storage/database.ts'
import { requireInstallation } from './queries.ts'

/** One statement, so that concurrent changes do not overwrite each other. */
export const grantPermissions = async (db: Db, id: string, names: readonly string[]) => {
  const added = readPermissions(names)
  await requireInstallation(db, id)
  await sql`update installation set permissions =
    array(select distinct p from unnest(permissions || ${added}::text[]) p order by p) where id = ${id}`.execute(db)
  return requireInstallation(db, id)
}

export const revokePermissions = async (db: Db, id: string, names: readonly string[]) => {
  const removed = readPermissions(names)
  await requireInstallation(db, id)
  await sql`update installation set permissions =
    array(select p from unnest(permissions) p where p <> all(${removed}::text[]) order by p) where id = ${id}`.execute(
    db,
  )
  return requireInstallation(db, id)
}
