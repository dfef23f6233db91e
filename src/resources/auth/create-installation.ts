import { type Db, refuseDuplicate } from '../../core/storage/database.ts'
import { OperatorError } from '../../errors.ts'
import { readPermissions } from '../permissions/read-permissions.ts'
import { requireStore } from '../stores/queries.ts'
import { addInstallation, inTransaction } from './installation-changes.ts'
import { requireAppId } from './queries.ts'

export const createInstallation = async (db: Db, clientId: string, storeId: string, grants: readonly string[]) => {
  const permissions = readPermissions(grants)
  const store_id = await requireStore(db, storeId)
  const app_id = await requireAppId(db, clientId)
  const install_id = await inTransaction(db, (db) => addInstallation(db, { app_id, store_id, permissions })).catch(
    refuseDuplicate(() => new OperatorError('This app is installed on that store already.')),
  )
  return { install_id, client_id: clientId, store_id, permissions }
}
