import { object, value } from '../../core/reading/json-text.ts'
import { rowKind } from '../../core/reading/texts.ts'
import { sqlText } from '../../core/storage/sql.ts'
import type { Webhook } from './schema.ts'

interface WebhookRow {
  id: string
  url: string
  types: string[]
  changed: string[] | null
  ignore_self: boolean
  payload: string
  lanes: number
  state: string
  reason: string | null
  paused_at: string | null
  failing_since: string | null
  previous_until: string | null
  created_at: string
  updated_at: string
}

export const webhookKind = rowKind<unknown>({
  table: 'webhook',
  columns: sqlText`id, url, types, changed, ignore_self, payload, lanes, state, reason, iso(paused_at) as paused_at,
    iso(failing_since) as failing_since,
    iso(case when previous_until > statement_timestamp() then previous_until end) as previous_until,
    iso(created_at) as created_at, iso(updated_at) as updated_at`,
  texts: (row: WebhookRow) => [
    [
      row.id,
      object<Webhook>({
        id: value(row.id),
        url: value(row.url),
        types: value(row.types),
        changed: value(row.changed),
        ignore_self: value(row.ignore_self),
        payload: value(row.payload),
        lanes: value(row.lanes),
        state: value(row.state),
        reason: value(row.reason),
        paused_at: value(row.paused_at),
        failing_since: value(row.failing_since),
        previous_secret_until: value(row.previous_until),
        created_at: value(row.created_at),
        updated_at: value(row.updated_at),
      }),
    ],
  ],
})
