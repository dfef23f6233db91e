import type { Db } from '../../core/storage/database.ts'
import { AND, joinSql, type Sql, sqlText } from '../../core/storage/sql.ts'
import { Statement } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { ApiError, notFound } from '../../errors.ts'
import { type DeveloperWebhook, PAGE_SIZE, type WebhookQuery } from './developer-schema.ts'
import type { Owner } from './lock-webhook.ts'
import { STATUS_COLUMNS } from './status.ts'
import type {} from './tables.ts'

/** Webhooks of an app in all stores. Those of another app are reported as missing. */

const STATES: Record<NonNullable<WebhookQuery['state']>, Sql> = {
  on: sqlText`w.state = 'on'`,
  paused: sqlText`w.state = 'paused'`,
  failing: sqlText`w.failing_since is not null`,
}

const select = (where: Sql) => sqlText`select w.id, w.store_id, s.name as store, w.url, w.types, w.changed,
    w.ignore_self, w.payload, w.lanes, w.state, w.reason, iso(w.paused_at) as paused_at,
    iso(w.failing_since) as failing_since,
    iso(case when w.previous_until > statement_timestamp() then w.previous_until end) as previous_secret_until,
    iso(w.created_at) as created_at, iso(w.updated_at) as updated_at, ${STATUS_COLUMNS}
  from webhook w join installation i on i.store_id = w.store_id and i.id = w.installation_id
  join store s on s.id = w.store_id left join feed f on f.store_id = w.store_id
  where ${where}`

export const listAppWebhooks = async (db: Db, app: string, { state, cursor }: WebhookQuery) => {
  const statement = new Statement()
  const { bind } = statement
  const where = [
    sqlText`i.app_id = ${bind(app)}`,
    ...(state ? [STATES[state]] : []),
    ...(cursor ? [sqlText`w.id > ${bind(cursor)}`] : []),
  ]
  const rows = await statement.run<DeveloperWebhook>(
    db,
    sqlText`${select(joinSql(where, AND))} order by w.id limit ${bind(PAGE_SIZE + 1)}`,
  )
  const webhooks = rows.slice(0, PAGE_SIZE)
  return { webhooks, next_cursor: rows.length > PAGE_SIZE ? (webhooks.at(-1)?.id ?? null) : null }
}

export const describeWebhook = async (db: Db, app: string, id: string) => {
  const statement = new Statement()
  const { bind } = statement
  const [webhook] = await statement.run<DeveloperWebhook>(
    db,
    select(sqlText`i.app_id = ${bind(app)} and w.id = ${bind(id)}`),
  )
  if (!webhook) throw notFound('webhook')
  return webhook
}

interface Place {
  store_id: StoreId
  installation_id: string
  permissions: string[]
  url: string
  generation: number
  is_suspended: boolean
}

/** The webhook with its installation, in whose name it is changed. */
export const findAppWebhook = async (db: Db, app: string, id: string) => {
  const statement = new Statement()
  const { bind } = statement
  const [found] = await statement.run<Place>(
    db,
    sqlText`select w.store_id, w.installation_id, i.permissions, w.url, w.generation,
      s.suspended_at is not null as is_suspended
    from webhook w join installation i on i.store_id = w.store_id and i.id = w.installation_id
    join store s on s.id = w.store_id
    where i.app_id = ${bind(app)} and w.id = ${bind(id)}`,
  )
  if (!found) throw notFound('webhook')
  const { store_id: store, installation_id: installation, permissions, is_suspended, ...rest } = found
  const owner: Owner = { store, installation, permissions: new Set(permissions) }
  return { ...rest, id, owner, is_suspended }
}

/** What sends something is refused to whom the service does not send anything. */
export const requireRecipient = (app: { is_disabled: boolean }, webhook: { is_suspended: boolean }) => {
  if (app.is_disabled) throw new ApiError('forbidden', 'The app is disabled.')
  if (webhook.is_suspended) throw new ApiError('store_suspended')
}
