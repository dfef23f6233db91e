import { sql } from 'kysely'
import { OperatorError } from '../errors.ts'
import type { Db } from '../storage/database.ts'
import { newClientId, newSecret } from './secrets.ts'

export const createApp = async (db: Db, name: string) => {
  const { secret, hash } = newSecret()
  const app = await db
    .insertInto('app')
    .values({ name, client_id: newClientId(), secret_hash: hash })
    .returning(['id', 'name', 'client_id'])
    .executeTakeFirstOrThrow()
  return { ...app, client_secret: secret }
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

const change = async <T extends { client_id: string }>(
  db: Db,
  clientId: string,
  columns: (db: Db) => Promise<T | undefined>,
): Promise<T> => {
  const app = await columns(db)
  if (!app) throw new OperatorError(`There is no app with the client_id ${clientId}.`)
  return app
}

/** Also revokes the app's tokens. Enabling the app again does not restore them. */
export const disableApp = (db: Db, clientId: string) =>
  change(db, clientId, (db) =>
    db
      .updateTable('app')
      .set((eb) => ({ disabled_at: sql`coalesce(disabled_at, now())`, generation: eb('generation', '+', 1) }))
      .where('client_id', '=', clientId)
      .where('built_in', '=', false)
      .returning(['client_id', 'name', 'disabled_at'])
      .executeTakeFirst(),
  )

export const enableApp = (db: Db, clientId: string) =>
  change(db, clientId, (db) =>
    db
      .updateTable('app')
      .set({ disabled_at: null })
      .where('client_id', '=', clientId)
      .where('built_in', '=', false)
      .returning(['client_id', 'name', 'disabled_at'])
      .executeTakeFirst(),
  )

/** Removes the app and its installations. The stores' data stays. */
export const removeApp = (db: Db, clientId: string) =>
  change(db, clientId, (db) =>
    db
      .deleteFrom('app')
      .where('client_id', '=', clientId)
      .where('built_in', '=', false)
      .returning(['client_id', 'name'])
      .executeTakeFirst(),
  )

/** The app's name and its number of installations. */
export const describeApp = (db: Db, clientId: string) =>
  change(db, clientId, (db) =>
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

export interface Rotation {
  revokeTokens: boolean
  /** How long the old secret stays valid. Without it, the old secret stops working at once. */
  keepOldSeconds?: number | undefined
}

/** Existing tokens stay valid unless `revokeTokens` is set. A secret kept by an earlier rotation stops working. */
export const rotateSecret = async (db: Db, clientId: string, { revokeTokens, keepOldSeconds }: Rotation) => {
  const { secret, hash } = newSecret()
  const kept =
    keepOldSeconds === undefined
      ? { old_secret_hash: null, old_secret_until: null }
      : {
          old_secret_hash: sql<Buffer>`secret_hash`,
          old_secret_until: sql<Date>`clock_timestamp() + ${keepOldSeconds} * interval '1 second'`,
        }
  const app = await change(db, clientId, (db) =>
    db
      .updateTable('app')
      .set((eb) => ({ secret_hash: hash, ...kept, generation: eb('generation', '+', revokeTokens ? 1 : 0) }))
      .where('client_id', '=', clientId)
      .where('built_in', '=', false)
      .returning(['client_id', 'old_secret_until'])
      .executeTakeFirst(),
  )
  return { ...app, client_secret: secret, tokens_revoked: revokeTokens }
}

/** Ends the overlap of a rotation early. */
export const endOldSecret = async (db: Db, clientId: string, { revokeTokens }: { revokeTokens: boolean }) => {
  const app = await change(db, clientId, (db) =>
    db
      .updateTable('app')
      .set((eb) => ({
        old_secret_hash: null,
        old_secret_until: null,
        generation: eb('generation', '+', revokeTokens ? 1 : 0),
      }))
      .where('client_id', '=', clientId)
      .where('built_in', '=', false)
      .returning(['client_id', 'name'])
      .executeTakeFirst(),
  )
  return { ...app, tokens_revoked: revokeTokens }
}
