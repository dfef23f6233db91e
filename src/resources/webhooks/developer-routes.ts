import type { Api } from '../../core/http/api.ts'
import { errors, IdParams } from '../../core/input/schemas.ts'
import { type Db, type Tx, transact } from '../../core/storage/database.ts'
import type { ACTS } from '../accounts/acts.ts'
import { recordAct } from '../accounts/audit.ts'
import type { SessionAccount } from '../accounts/sessions.ts'
import { requireDeveloper } from '../calls/developers.ts'
import type { EventKinds } from '../events/kinds.ts'
import { readDeliveries } from './delivery-log.ts'
import {
  DeveloperReplay,
  DeveloperResumption,
  LogQuery,
  LogReply,
  PAGE_SIZE,
  ReplayReply,
  RotationReply,
  TestReply,
  WebhookList,
  WebhookParams,
  WebhookQuery,
  WebhookReply,
} from './developer-schema.ts'
import { describeWebhook, findAppWebhook, listAppWebhooks, requireRecipient } from './developer-webhooks.ts'
import { lockWebhook } from './lock-webhook.ts'
import { pauseWebhook } from './queries.ts'
import { replayEvents } from './replay.ts'
import { resumeWebhook } from './resume-webhook.ts'
import { rotateWebhookSecret } from './rotate-webhook-secret.ts'
import { DEFAULT_OVERLAP_SECONDS, SecretRotation } from './schema.ts'
import type { Webhooks } from './start.ts'
import { requireSending, testWebhook } from './test-send.ts'

const SMALL_BODY = 64 * 1024

const reading = { config: { access: 'account', subject: 'webhook' } } as const
const writing = { ...reading, bodyLimit: SMALL_BODY } as const
/** The password again: the reply shows a secret. */
const confirmed = { config: { access: 'account', subject: 'webhook', confirmed: true }, bodyLimit: SMALL_BODY } as const

interface DeveloperRouteServices {
  db: Db
  webhooks: Webhooks
  eventKinds: EventKinds
}

type Act = Extract<(typeof ACTS)[number], `${string}_webhook`>
type Found = Awaited<ReturnType<typeof findAppWebhook>>

/** Webhooks for developers of the app and for operators, in the console: the same operations as the app has. */
export const developerWebhookRoutes = (app: Api, { db, webhooks, eventKinds }: DeveloperRouteServices) => {
  const { secrets, paused } = webhooks
  const rules = { secrets, opened: webhooks.opened, eventKinds }

  const find = async (account: SessionAccount, { id, webhook }: { id: string; webhook: string }) => {
    const app = await requireDeveloper(db, account, id)
    return { app, found: await findAppWebhook(db, app.id, webhook) }
  }

  /** Does something to a webhook, and records who did it. */
  const change = <T>(
    account: SessionAccount,
    act: Act,
    app: string,
    { owner, url }: Found,
    work: (db: Tx) => Promise<T>,
    after?: object,
  ) =>
    transact(db, async (db) => {
      const result = await work(db)
      await recordAct(db, account, { act, subject: url, app_id: app, store_id: owner.store, after })
      return result
    })

  app.addHook('onSend', async (_request, reply) => void reply.header('Cache-Control', 'no-store'))

  app.get(
    '/apps/:id/webhooks',
    { ...reading, schema: { params: IdParams, querystring: WebhookQuery, response: { 200: WebhookList, ...errors } } },
    async ({ session: { account }, params, query }) => {
      const { id } = await requireDeveloper(db, account, params.id)
      return { data: { ...(await listAppWebhooks(db, id, query)), is_on: webhooks.isOn } }
    },
  )

  app.get(
    '/apps/:id/webhooks/:webhook',
    { ...reading, schema: { params: WebhookParams, querystring: LogQuery, response: { 200: LogReply, ...errors } } },
    async ({ session: { account }, params, query }) => {
      const { app, found } = await find(account, params)
      const log = await readDeliveries(db, found.owner.store, found.id, { ...query, page_size: PAGE_SIZE })
      const { deliveries, next_cursor } = log
      return { data: { webhook: await describeWebhook(db, app.id, found.id), deliveries, next_cursor } }
    },
  )

  app.post(
    '/apps/:id/webhooks/:webhook/pause',
    { ...writing, schema: { params: WebhookParams, response: { 200: WebhookReply, ...errors } } },
    async ({ session: { account }, params }) => {
      const { app, found } = await find(account, params)
      const { owner, id } = found
      const reason = account.is_operator ? 'operator' : 'requested'
      const isPaused = await change(account, 'pause_webhook', app.id, found, async (db) => {
        const { state } = await lockWebhook(db, owner, id)
        await pauseWebhook(db, owner.store, id, reason)
        return state === 'on'
      })
      if (isPaused && reason === 'operator') paused.add(owner.installation, id)
      return { data: { webhook: await describeWebhook(db, app.id, id) } }
    },
  )

  app.post(
    '/apps/:id/webhooks/:webhook/resume',
    {
      ...writing,
      schema: { params: WebhookParams, body: DeveloperResumption, response: { 200: WebhookReply, ...errors } },
    },
    async ({ session: { account }, params, body: { from } }) => {
      const { app, found } = await find(account, params)
      requireRecipient(app, found)
      const { owner, id } = found
      const resume = async (db: Tx) =>
        resumeWebhook(db, owner.store, secrets.mark, await lockWebhook(db, owner, id), from)
      await change(account, 'resume_webhook', app.id, found, resume, { from })
      paused.remove(owner.installation, id)
      webhooks.expect(owner.store)
      return { data: { webhook: await describeWebhook(db, app.id, id) } }
    },
  )

  app.post(
    '/apps/:id/webhooks/:webhook/replay',
    {
      ...writing,
      schema: { params: WebhookParams, body: DeveloperReplay, response: { 200: ReplayReply, ...errors } },
    },
    async ({ session: { account }, params, body }) => {
      const { app, found } = await find(account, params)
      requireRecipient(app, found)
      const { owner, id } = found
      const replay = (db: Tx) => replayEvents(db, eventKinds, owner, id, body, app.id)
      const events = await change(account, 'replay_webhook', app.id, found, replay, body)
      webhooks.expect(owner.store)
      return { data: { webhook: await describeWebhook(db, app.id, id), events } }
    },
  )

  app.post(
    '/apps/:id/webhooks/:webhook/secret',
    {
      ...confirmed,
      schema: { params: WebhookParams, body: SecretRotation, response: { 200: RotationReply, ...errors } },
    },
    async ({ session: { account }, params, body: { overlap = DEFAULT_OVERLAP_SECONDS } }) => {
      const { app, found } = await find(account, params)
      const { owner, id } = found
      const rotate = async (db: Tx) => {
        await rotateWebhookSecret(db, owner, rules, id, overlap)
        const { generation } = await lockWebhook(db, owner, id)
        return secrets.show({ id, generation })
      }
      const secret = await change(account, 'rotate_webhook', app.id, found, rotate, { overlap })
      return { data: { webhook: await describeWebhook(db, app.id, id), secret } }
    },
  )

  app.post(
    '/apps/:id/webhooks/:webhook/test',
    { ...writing, schema: { params: WebhookParams, response: { 200: TestReply, ...errors } } },
    async ({ session: { account }, params }) => {
      const { app, found } = await find(account, params)
      requireRecipient(app, found)
      requireSending(webhooks)
      await change(account, 'test_webhook', app.id, found, async () => {})
      return { data: { test: await testWebhook(webhooks, found.owner.store, found, app) } }
    },
  )
}
