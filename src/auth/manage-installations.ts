import { sql } from 'kysely'
import { OperatorError } from '../errors.ts'
import { isUuid } from '../input/uuid.ts'
import { isPermission, PERMISSIONS } from '../permissions/catalogue.ts'
import { type Db, errorCode } from '../storage/database.ts'
import { requireStore } from '../stores/manage-stores.ts'

/** `all` means every permission. */
const readPermissions = (names: readonly string[]): string[] => {
  const unknown = names.filter((name) => name !== 'all' && !isPermission(name))
  if (unknown.length > 0)
    throw new OperatorError(`No such permission: ${unknown.join(', ')}. GET /permission lists them all.`)
  return names.includes('all') ? PERMISSIONS : [...new Set(names)]
}

export const createInstallation = async (db: Db, clientId: string, storeId: string, grants: readonly string[]) => {
  const permissions = readPermissions(grants)
  const store_id = await requireStore(db, storeId)
  const app = await db
    .selectFrom('app')
    .select('id')
    .where('client_id', '=', clientId)
    .where('built_in', '=', false)
    .executeTakeFirst()
  if (!app) throw new OperatorError(`There is no app with the client_id ${clientId}.`)
  try {
    const { id } = await db
      .insertInto('installation')
      .values({ app_id: app.id, store_id, permissions })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { install_id: id, client_id: clientId, store_id, permissions }
  } catch (error) {
    if (errorCode(error) === '23505') throw new OperatorError('This app is installed on that store already.')
    throw error
  }
}

const shown = (db: Db) =>
  db
    .selectFrom('installation as i')
    .innerJoin('app as a', 'a.id', 'i.app_id')
    .where('a.built_in', '=', false)
    .select(['i.id as install_id', 'a.client_id', 'i.store_id', 'i.permissions'])

export const listInstallations = (db: Db) =>
  shown(db)
    .innerJoin('store as s', 's.id', 'i.store_id')
    .select(['a.name as app', 's.name as store', 'i.created_at'])
    .orderBy('i.created_at')
    .execute()

const findShown = async (db: Db, id: string) => {
  const found = isUuid(id) ? await shown(db).where('i.id', '=', id).executeTakeFirst() : undefined
  if (!found) throw new OperatorError(`There is no installation ${id}.`)
  return found
}

/** One statement, so that concurrent changes do not overwrite each other. */
export const grantPermissions = async (db: Db, id: string, names: readonly string[]) => {
  const added = readPermissions(names)
  await findShown(db, id)
  await sql`update installation set permissions =
    array(select distinct p from unnest(permissions || ${added}::text[]) p order by p) where id = ${id}`.execute(db)
  return findShown(db, id)
}

export const revokePermissions = async (db: Db, id: string, names: readonly string[]) => {
  const removed = readPermissions(names)
  await findShown(db, id)
  await sql`update installation set permissions =
    array(select p from unnest(permissions) p where p <> all(${removed}::text[]) order by p) where id = ${id}`.execute(
    db,
  )
  return findShown(db, id)
}

export const removeInstallation = async (db: Db, id: string) => {
  const removed = await findShown(db, id)
  await db.deleteFrom('installation').where('id', '=', id).execute()
  return removed
}
