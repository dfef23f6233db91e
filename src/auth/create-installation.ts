import { OperatorError } from '../errors.ts'
import { readPermissions } from '../permissions/read-permissions.ts'
import { type Db, refuseDuplicate } from '../storage/database.ts'
import { requireStore } from '../stores/queries.ts'
import { requireAppId } from './queries.ts'

export const createInstallation = async (db: Db, clientId: string, storeId: string, grants: readonly string[]) => {
  const permissions = readPermissions(grants)
  const store_id = await requireStore(db, storeId)
  const app_id = await requireAppId(db, clientId)
  const { id } = await db
    .insertInto('installation')
    .values({ app_id, store_id, permissions })
    .returning('id')
    .executeTakeFirstOrThrow()
    .catch(refuseDuplicate(() => new OperatorError('This app is installed on that store already.')))
  return { install_id: id, client_id: clientId, store_id, permissions }
}
