import { isUuid } from '../core/input/uuid.ts'
import { type Db, transact } from '../core/storage/database.ts'
import { type Sql, sqlText } from '../core/storage/sql.ts'
import { runSql } from '../core/storage/statement.ts'
import type { StoreId } from '../core/storage/store-id.ts'
import { OperatorError } from '../errors.ts'
import { pauseWebhook } from '../resources/webhooks/queries.ts'
import { resumeWebhook } from '../resources/webhooks/resume-webhook.ts'
import { STATUS_COLUMNS } from '../resources/webhooks/status.ts'
import { type Command, type Input, UsageError } from './arguments.ts'
import { withDatabase } from './command-context.ts'

const WEBHOOK_ID = { name: 'WEBHOOK_ID', about: 'Id of the webhook, from webhook list.' }

interface WebhookRow {
  id: string
  store_id: StoreId
  app: string
  url: string
  state: string
  reason: string | null
  failing_since: Date | null
  behind: number
  waiting: number
  failed: number
}

const listWebhooks = (db: Db, where: Sql, values: unknown[]) =>
  runSql<WebhookRow>(
    db,
    sqlText`select w.id, w.store_id, a.name as app, w.url, w.state, w.reason, w.failing_since,
      ${STATUS_COLUMNS}
    from webhook w join (select id, name from app) a on a.id = w.app_id
    left join feed f on f.store_id = w.store_id
    where ${where} order by w.store_id, w.created_at, w.id`,
    values,
  )

const showOne = async (db: Db, id: string) => ({
  value: (await listWebhooks(db, sqlText`w.id = $1`, [id]))[0] as WebhookRow,
})

interface LockedWebhook {
  id: string
  store_id: StoreId
  position: number
  n: number
  key_mark: string
}

const requireWebhook = async (db: Db, id: string) => {
  const [place] = isUuid(id)
    ? await runSql<{ store_id: StoreId }>(db, sqlText`select store_id from webhook where id = $1`, [id])
    : []
  // Citus locks rows of one named store only.
  const [webhook] = place
    ? await runSql<LockedWebhook>(
        db,
        sqlText`select id, store_id, position, n, key_mark from webhook where store_id = $1 and id = $2
          for no key update`,
        [place.store_id, id],
      )
    : []
  if (!webhook) throw new OperatorError(`There is no webhook ${id}.`)
  return webhook
}

const positionOf = (input: Input) => {
  const from = input.optional('from') ?? 'stopped'
  if (from === 'stopped' || from === 'now') return from
  throw new UsageError('--from must be stopped or now.')
}

export const webhookCommands: readonly Command[] = [
  {
    name: 'webhook list',
    summary: 'Lists webhooks with their state, and how many events they are behind.',
    details:
      'WAITING deliveries are retried; FAILED ones are kept for the app to replay.\n' +
      'FAILING_SINCE is when a webhook started to fail; no delivery has succeeded since.',
    options: {
      store: { value: 'STORE_ID', about: 'List the webhooks of this store only.' },
      paused: { about: 'List paused webhooks only.' },
    },
    run: (input, io) =>
      withDatabase(io, 'webhook list', async ({ db }) => {
        const store = input.optional('store')?.toLowerCase()
        if (store !== undefined && !isUuid(store)) throw new OperatorError(`There is no store ${store}.`)
        const paused = input.has('paused') ? sqlText`w.state = 'paused'` : sqlText`true`
        const value = store
          ? await listWebhooks(db, sqlText`w.store_id = $1 and ${paused}`, [store])
          : await listWebhooks(db, paused, [])
        return { value, shown: value.map((row) => ({ ...row })) }
      }),
  },
  {
    name: 'webhook pause',
    summary: 'Pauses a webhook: nothing is sent until it is resumed.',
    operands: [WEBHOOK_ID],
    run: (input, io) =>
      withDatabase(io, 'webhook pause', async ({ db }) => {
        const id = input.text('WEBHOOK_ID').toLowerCase()
        await transact(db, async (db) => {
          const { store_id } = await requireWebhook(db, id)
          await pauseWebhook(db, store_id, id, 'operator')
        })
        return showOne(db, id)
      }),
  },
  {
    name: 'webhook resume',
    summary: 'Resumes a webhook where it stopped.',
    operands: [WEBHOOK_ID],
    options: { from: { value: 'PLACE', about: 'stopped (default), or now to skip the events since then.' } },
    run: (input, io) =>
      withDatabase(io, 'webhook resume', async ({ db }) => {
        const id = input.text('WEBHOOK_ID').toLowerCase()
        const from = positionOf(input)
        await transact(db, async (db) => {
          const webhook = await requireWebhook(db, id)
          // The delivering server finds out whether the secret is still valid.
          await resumeWebhook(db, webhook.store_id, webhook.key_mark, webhook, from)
        })
        return showOne(db, id)
      }),
  },
]
