import type { Db } from '../storage/database.ts'
import { sqlText } from '../storage/sql.ts'
import { runSql } from '../storage/statement.ts'
import type { Owner } from './manage-webhooks.ts'

interface OwnWebhook {
  id: string
  url: string
  generation: number
  key_mark: string
}

export const findWebhook = async (db: Db, { store, installation }: Owner, id: string) => {
  const [webhook] = await runSql<OwnWebhook>(
    db,
    sqlText`select id, url, generation, key_mark from webhook where store_id = $1 and id = $2 and installation_id = $3`,
    [store, id, installation],
  )
  return webhook
}

export const listWebhookIds = async (db: Db, { store, installation }: Owner) => {
  const rows = await runSql<{ id: string }>(
    db,
    sqlText`select id from webhook where store_id = $1 and installation_id = $2 order by created_at, id`,
    [store, installation],
  )
  return rows.map(({ id }) => id)
}
