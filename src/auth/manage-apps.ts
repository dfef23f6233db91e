import { sql } from 'kysely'
import type { Db } from '../storage/database.ts'
import { OperatorError } from '../stores/operator-error.ts'
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
    .orderBy('created_at')
    .execute()

const change = async (db: Db, clientId: string, columns: (db: Db) => Promise<{ client_id: string } | undefined>) => {
  const app = await columns(db)
  if (!app) throw new OperatorError(`There is no app with the client_id ${clientId}.`)
  return app
}

/** Also revokes its tokens for good: enabling it again does not bring them back. */
export const disableApp = (db: Db, clientId: string) =>
  change(db, clientId, (db) =>
    db
      .updateTable('app')
      .set((eb) => ({ disabled_at: sql`coalesce(disabled_at, now())`, generation: eb('generation', '+', 1) }))
      .where('client_id', '=', clientId)
      .returning(['client_id', 'name', 'disabled_at'])
      .executeTakeFirst(),
  )

export const enableApp = (db: Db, clientId: string) =>
  change(db, clientId, (db) =>
    db
      .updateTable('app')
      .set({ disabled_at: null })
      .where('client_id', '=', clientId)
      .returning(['client_id', 'name', 'disabled_at'])
      .executeTakeFirst(),
  )

/** The old secret stops at once; tokens it bought live on unless they are revoked too. */
export const rotateSecret = async (db: Db, clientId: string, { revokeTokens }: { revokeTokens: boolean }) => {
  const { secret, hash } = newSecret()
  await change(db, clientId, (db) =>
    db
      .updateTable('app')
      .set((eb) => ({ secret_hash: hash, generation: eb('generation', '+', revokeTokens ? 1 : 0) }))
      .where('client_id', '=', clientId)
      .returning('client_id')
      .executeTakeFirst(),
  )
  return { client_id: clientId, client_secret: secret, tokens_revoked: revokeTokens }
}
