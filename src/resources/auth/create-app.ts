import type { Db } from '../../core/storage/database.ts'
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
