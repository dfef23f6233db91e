import type { Config } from '../config/config.ts'
import { isUuid } from '../core/input/uuid.ts'
import type { Db, Tx } from '../core/storage/database.ts'
import { type Sql, sqlText } from '../core/storage/sql.ts'
import { runSql } from '../core/storage/statement.ts'
import type { StoreId } from '../core/storage/store-id.ts'
import { OperatorError } from '../errors.ts'
import type { ACTS } from '../resources/accounts/acts.ts'
import { deriveKey, masterSecret } from '../resources/auth/secrets.ts'
import { createEventKinds } from '../resources/events/kinds.ts'
import { findAppWebhook, requireRecipient } from '../resources/webhooks/developer-webhooks.ts'
import { createEgress } from '../resources/webhooks/egress.ts'
import { lockWebhook } from '../resources/webhooks/lock-webhook.ts'
import { pauseWebhook } from '../resources/webhooks/queries.ts'
import { replayEvents } from '../resources/webhooks/replay.ts'
import { resumeWebhook } from '../resources/webhooks/resume-webhook.ts'
import { rotateWebhookSecret } from '../resources/webhooks/rotate-webhook-secret.ts'
import { MAX_OVERLAP_SECONDS, Replay } from '../resources/webhooks/schema.ts'
import { createWebhookSecrets } from '../resources/webhooks/signing.ts'
import { STATUS_COLUMNS } from '../resources/webhooks/status.ts'
import { testWebhook } from '../resources/webhooks/test-send.ts'
import { type Command, type Input, UsageError } from './arguments.ts'
import { withDatabase } from './command-context.ts'
import { readDuration } from './duration.ts'
import { withFields } from './fields.ts'
import { recorded } from './recorded.ts'

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

/** The webhook with its app, in whose name it is changed. */
const requireWebhook = async (db: Db, given: string) => {
  const id = given.toLowerCase()
  const [place] = isUuid(id)
    ? await runSql<{ app_id: string; app: string; is_disabled: boolean }>(
        db,
        sqlText`select a.id as app_id, a.name as app, a.disabled_at is not null as is_disabled
          from webhook w join app a on a.id = w.app_id where w.id = $1`,
        [id],
      )
    : []
  if (!place) throw new OperatorError(`There is no webhook ${id}.`)
  const { app_id, app: name, is_disabled } = place
  return { app: { id: app_id, name, is_disabled }, ...(await findAppWebhook(db, app_id, id)) }
}

type Found = Awaited<ReturnType<typeof requireWebhook>>

/** Does something to a webhook, and writes it to the audit log. */
const change = <T>(
  db: Db,
  act: Extract<(typeof ACTS)[number], `${string}_webhook`>,
  { app, owner, url }: Found,
  work: (db: Tx) => Promise<T>,
  after?: object,
) => recorded(db, work, () => ({ act, subject: url, app_id: app.id, store_id: owner.store, after }))

const secretsOf = async (db: Db, config: Config) =>
  createWebhookSecrets(deriveKey(await masterSecret(db, config), 'webhook secrets'))

/** Which events are sent again. */
const replayOf = (input: Input) => ({
  ...(input.has('failed') && { failed: true }),
  ...(input.has('event') && { ids: [...input.list('event')] }),
  ...(input.has('since') && { from: input.text('since') }),
  ...(input.has('until') && { to: input.text('until') }),
})

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
        const found = await requireWebhook(db, input.text('WEBHOOK_ID'))
        const { owner, id } = found
        await change(db, 'pause_webhook', found, async (db) => {
          await lockWebhook(db, owner, id)
          await pauseWebhook(db, owner.store, id, 'operator')
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
        const from = positionOf(input)
        const found = await requireWebhook(db, input.text('WEBHOOK_ID'))
        const { owner, id } = found
        const resume = async (db: Tx) => {
          const webhook = await lockWebhook(db, owner, id)
          // The delivering server finds out whether the secret is still valid.
          await resumeWebhook(db, owner.store, webhook.key_mark, webhook, from)
        }
        await change(db, 'resume_webhook', found, resume, { from })
        return showOne(db, id)
      }),
  },
  {
    name: 'webhook replay',
    summary: 'Sends events to a webhook again.',
    details:
      'Give --failed, --event, or --since and --until. A receiver that has had them already must ignore them by their id.',
    operands: [WEBHOOK_ID],
    options: {
      failed: { about: 'All that are listed as failed.' },
      event: { value: 'EVENT_ID', many: true, about: 'These events.' },
      since: { value: 'TIME', about: 'Events since then, such as 2026-11-15T08:00Z.' },
      until: { value: 'TIME', about: 'Events until then.' },
    },
    run: (input, io) =>
      withDatabase(io, 'webhook replay', async ({ db }) => {
        const given = replayOf(input)
        if (Object.keys(given).length === 0) throw new UsageError('Give --failed, --event, or --since and --until.')
        const found = await requireWebhook(db, input.text('WEBHOOK_ID'))
        requireRecipient(found.app, found)
        const { RESOURCES } = await import('../app.ts')
        const kinds = createEventKinds(RESOURCES)
        const { owner, id, app } = found
        const send = (replay: Replay) =>
          change(db, 'replay_webhook', found, (db) => replayEvents(db, kinds, owner, id, replay, app.id), replay)
        const events = await withFields(Replay, given, send, { from: 'since', to: 'until', ids: 'event' })
        return { value: { id, events } }
      }),
  },
  {
    name: 'webhook rotate',
    summary: 'Makes a new secret for a webhook and shows it once.',
    details: 'Until the old one ends, both sign. An old secret of an earlier token secret ends at once.',
    operands: [WEBHOOK_ID],
    options: {
      'keep-old': {
        value: 'TIME',
        about: 'How long the old secret signs too: 30m or 24h, for example, 7d at most. Default: 24h.',
      },
    },
    run: (input, io) =>
      withDatabase(io, 'webhook rotate', async ({ db, config }) => {
        const overlap = readDuration('keep-old', input.optional('keep-old') ?? '24h')
        if (overlap > MAX_OVERLAP_SECONDS) throw new UsageError('--keep-old must be 7d at most.')
        const found = await requireWebhook(db, input.text('WEBHOOK_ID'))
        const { owner, id } = found
        const secrets = await secretsOf(db, config)
        const rotate = async (db: Tx) => {
          await rotateWebhookSecret(db, owner, { secrets }, id, overlap)
          return secrets.show({ id, generation: (await lockWebhook(db, owner, id)).generation })
        }
        const secret = await change(db, 'rotate_webhook', found, rotate, { overlap })
        return { value: { id, secret }, note: 'Give it to the developer of the app privately: it is not shown again.' }
      }),
  },
  {
    name: 'webhook test',
    summary: 'Sends a test event to a webhook now, from this machine, and shows the answer.',
    operands: [WEBHOOK_ID],
    run: (input, io) =>
      withDatabase(io, 'webhook test', async ({ db, config }) => {
        const found = await requireWebhook(db, input.text('WEBHOOK_ID'))
        requireRecipient(found.app, found)
        const secrets = await secretsOf(db, config)
        await change(db, 'test_webhook', found, async () => {})
        const egress = createEgress({ opened: config.WEBHOOK_PRIVATE })
        try {
          const test = await testWebhook({ egress, secrets, testing: new Set() }, found.owner.store, found, found.app)
          return { value: test, failed: !test.is_delivered }
        } finally {
          egress.close()
        }
      }),
  },
]
