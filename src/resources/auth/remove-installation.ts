import type { Db } from '../../core/storage/database.ts'
import { deleteInstallation, inTransaction } from './installation-changes.ts'
import { requireInstallation } from './queries.ts'

export const removeInstallation = async (db: Db, id: string) => {
  const { app_id, ...removed } = await requireInstallation(db, id)
  await inTransaction(db, (db) => deleteInstallation(db, app_id, id))
  return removed
}
