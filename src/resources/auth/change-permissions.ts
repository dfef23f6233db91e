import type { Db } from '../../core/storage/database.ts'
import { readPermissions } from '../permissions/read-permissions.ts'
import { changeInstallation, inTransaction } from './installation-changes.ts'
import { requireInstallation } from './queries.ts'

const change = async (db: Db, id: string, decide: (before: readonly string[]) => readonly string[]) => {
  const { app_id } = await requireInstallation(db, id)
  await inTransaction(db, (db) => changeInstallation(db, app_id, id, decide))
  const { app_id: _, ...installation } = await requireInstallation(db, id)
  return installation
}

export const grantPermissions = (db: Db, id: string, names: readonly string[]) => {
  const added = readPermissions(names)
  return change(db, id, (before) => [...before, ...added])
}

export const revokePermissions = (db: Db, id: string, names: readonly string[]) => {
  const removed = readPermissions(names)
  return change(db, id, (before) => before.filter((name) => !removed.includes(name)))
}
