import { sql } from 'kysely'
import type { Db } from '../../core/storage/database.ts'
import { OperatorError } from '../../errors.ts'
import { findAppByClientId, requireApp } from './queries.ts'
import { newSecret } from './secrets.ts'

export interface Rotation {
  revokeTokens: boolean
  /** How long the old secret stays valid. Without it, the old secret stops working at once. */
  keepOldSeconds?: number | undefined
}

/** Existing tokens stay valid unless `revokeTokens` is set. A secret kept by an earlier rotation stops working. */
export const rotateSecret = async (db: Db, clientId: string, { revokeTokens, keepOldSeconds }: Rotation) => {
  const known = await findAppByClientId(db, clientId)
  if (known?.is_public) throw new OperatorError('An app that is known by its address has no secret.')
  const { secret, hash } = newSecret()
  const kept =
    keepOldSeconds === undefined
      ? { old_secret_hash: null, old_secret_until: null }
      : {
          old_secret_hash: sql<Buffer>`secret_hash`,
          old_secret_until: sql<Date>`clock_timestamp() + ${keepOldSeconds} * interval '1 second'`,
        }
  const app = await requireApp(
    clientId,
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
  const app = await requireApp(
    clientId,
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
