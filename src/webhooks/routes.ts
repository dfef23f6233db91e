import type { BlockList } from 'node:net'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { ApiError, notFound } from '../errors.ts'
import type { Api } from '../http/api.ts'
import { isDryRun } from '../http/dry-run.ts'
import { writeOnce } from '../http/idempotency.ts'
import { sendJson, sendText, sendWritten } from '../http/json-reply.ts'
import type { Versioned } from '../http/versions.ts'
import { tagOf } from '../http/versions.ts'
import { data, errors, IdParams, ref } from '../input/schemas.ts'
import { rereadText, textVersion } from '../reading/request-texts.ts'
import type { Db, Tx } from '../storage/database.ts'
import { sqlText } from '../storage/sql.ts'
import { runSql } from '../storage/statement.ts'
import { readDeliveries } from './delivery-log.ts'
import type { Egress } from './egress.ts'
import {
  createWebhook,
  deleteWebhook,
  lockWebhook,
  type Owner,
  pauseWebhook,
  resumeWebhook,
  rotateSecret,
  updateWebhook,
} from './manage-webhooks.ts'
import type { PausedWebhooks } from './paused.ts'
import { replayEvents } from './replay.ts'
import {
  DEFAULT_OVERLAP_SECONDS,
  DeliveryPage,
  DeliveryQuery,
  MAX_WEBHOOKS,
  newWebhook,
  Replay,
  Resumption,
  SecretRotation,
  TestResult,
  Webhook,
  WebhookWithSecret,
  webhookChanges,
} from './schema.ts'
import type { WebhookSecrets } from './signing.ts'
import { sendTest } from './test-send.ts'

export interface Webhooks {
  secrets: WebhookSecrets
  egress: Egress
  paused: PausedWebhooks
  /** Networks that the operator has opened. */
  opened: BlockList | undefined
  /** Whether this process sends anything. */
  isOn: boolean
  /** A webhook of the store was created, resumed or given something to send. */
  expect: (store: string) => void
}

const ownerOf = ({ store, caller }: FastifyRequest): Owner => {
  const { installation, account } = caller
  // Its permissions are those of a person, who is not there when an event is sent.
  if (account || !installation) throw new ApiError('forbidden', 'Webhooks belong to apps; the console has none.')
  return { store, installation: installation.id, permissions: installation.permissions }
}

interface OwnWebhook {
  id: string
  url: string
  generation: number
  key_mark: string
}

const requireOwn = async (db: Db, request: FastifyRequest, id: string): Promise<OwnWebhook> => {
  const { store, installation } = ownerOf(request)
  const [webhook] = await runSql<OwnWebhook>(
    db,
    sqlText`select id, url, generation, key_mark from webhook where store_id = $1 and id = $2 and installation_id = $3`,
    [store, id, installation],
  )
  if (!webhook) throw notFound('webhook')
  return webhook
}

const listIds = async (db: Db, { store, installation }: Owner) => {
  const rows = await runSql<{ id: string }>(
    db,
    sqlText`select id from webhook where store_id = $1 and installation_id = $2 order by created_at, id`,
    [store, installation],
  )
  return rows.map(({ id }) => id)
}

export const webhookRoutes = (app: Api, { db, webhooks }: { db: Db; webhooks: Webhooks }) => {
  const { secrets, paused, opened, isOn } = webhooks
  const { eventKinds } = app
  const rules = { secrets, opened, eventKinds }
  const key = 'webhook'
  const subject = 'webhook'
  const one = data({ webhook: ref(Webhook) })
  const shown = data({ webhook: ref(WebhookWithSecret) })
  const config = { access: 'installation', extension: true } as const
  const forgetPause = (request: FastifyRequest, id: string) => async () =>
    paused.remove(request.caller.installation?.id ?? '', id)

  const textOf = async (db: Db, { texts }: FastifyRequest, id: string) => {
    const text = await texts.one(db, key, id)
    if (!text) throw notFound(subject)
    return text
  }

  /** With its secret, which is derived and not stored: a retry gets it too. */
  const withSecret = async (db: Db, request: FastifyRequest, id: string) => {
    const text = await textOf(db, request, id)
    const { generation } = await requireOwn(db, request, id)
    return `${text.slice(0, -1)},"secret":${JSON.stringify(secrets.show({ id, generation }))}}`
  }

  /** Nobody else's webhook is compared with `If-Match`. */
  const versionOf = (request: FastifyRequest, id: string): Versioned => {
    const version = textVersion(request, key, id)
    return { ...version, lock: (db) => lockWebhook(db, ownerOf(request), id) }
  }

  const change = (
    request: FastifyRequest,
    id: string,
    work: (db: Tx) => Promise<unknown>,
    afterwards?: () => Promise<void>,
  ) => {
    const answer = { status: 200, key, render: rereadText(request, key), resource: versionOf(request, id) } as const
    return [
      { ...answer, ...(afterwards && { afterwards }) },
      async (db: Tx) => {
        await work(db)
        return textOf(db, request, id)
      },
    ] as const
  }

  app.get(
    '/webhook',
    {
      config,
      schema: {
        operationId: 'listWebhooks',
        summary: 'List webhooks',
        description: `The webhooks of the installation, at most ${MAX_WEBHOOKS}. Secrets are not shown.`,
        response: { 200: data({ webhooks: Type.Array(ref(Webhook)) }), ...errors },
      },
    },
    async (request, reply) => {
      const { installation, account } = request.caller
      const ids = account || !installation ? [] : await listIds(db, ownerOf(request))
      const texts = await request.texts.many(db, key, ids)
      return sendJson(reply, `{"data":{"webhooks":[${texts.join()}]}}`)
    },
  )

  app.get(
    '/webhook/:id',
    {
      config: { ...config, subject },
      schema: {
        operationId: 'getWebhook',
        summary: 'Fetch one webhook',
        params: IdParams,
        response: { 200: one, ...errors },
      },
    },
    async (request, reply) => {
      await requireOwn(db, request, request.params.id)
      const text = await textOf(db, request, request.params.id)
      return sendText(reply, key, text, tagOf(text))
    },
  )

  app.post(
    '/webhook',
    {
      config: { ...config, refuses: ['forbidden', 'cursor_expired'] },
      schema: {
        operationId: 'createWebhook',
        summary: 'Create a webhook',
        description:
          'Events are posted to its URL as they happen, signed by the rules of Standard Webhooks. A reply other than 2xx ' +
          'within 15 seconds is a failure: the event is sent again for 72 hours, with growing delays, and those of its ' +
          `resource behind it wait. An installation may have ${MAX_WEBHOOKS} webhooks.`,
        body: newWebhook(eventKinds),
        response: { 201: shown, ...errors },
      },
    },
    async (request, reply) => {
      const owner = ownerOf(request)
      const render = (db: Db, id: string) => withSecret(db, request, id)
      const afterwards = async () => webhooks.expect(owner.store)
      return writeOnce(db, reply, { status: 201, key, render, isSecret: true, afterwards }, async (db) => {
        const id = await createWebhook(db, owner, rules, request.body)
        return { part: await withSecret(db, request, id), whole: await textOf(db, request, id) }
      })
    },
  )

  app.put(
    '/webhook/:id',
    {
      config: { ...config, subject, refuses: ['forbidden'] },
      schema: {
        operationId: 'updateWebhook',
        summary: 'Update a webhook',
        description: 'Only the given fields change. What waits is sent as the webhook is then.',
        params: IdParams,
        body: webhookChanges(eventKinds),
        response: { 200: one, ...errors },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const owner = ownerOf(request)
      await requireOwn(db, request, id)
      const [answer, work] = change(request, id, (db) => updateWebhook(db, owner, rules, id, request.body))
      return writeOnce(db, reply, answer, work)
    },
  )

  app.delete(
    '/webhook/:id',
    {
      config: { ...config, subject },
      schema: {
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook',
        description: 'Its log is deleted with it. An event that is being sent may still arrive.',
        params: IdParams,
        response: { 200: data({}), ...errors },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const owner = ownerOf(request)
      const afterwards = forgetPause(request, id)
      return writeOnce(db, reply, { status: 200, resource: versionOf(request, id), afterwards }, async (db) => {
        await deleteWebhook(db, owner, id)
        return ''
      })
    },
  )

  app.post(
    '/webhook/:id/rotate-secret',
    {
      config: { ...config, subject },
      schema: {
        operationId: 'rotateWebhook',
        summary: 'Rotate the secret of a webhook',
        description:
          'Replaces the secret. During the overlap every event has two signatures, by the new secret and by the old one, ' +
          'so that receivers can be changed one after the other.',
        params: IdParams,
        body: SecretRotation,
        response: { 200: shown, ...errors },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const owner = ownerOf(request)
      const { overlap = DEFAULT_OVERLAP_SECONDS } = request.body
      const render = (db: Db, id: string) => withSecret(db, request, id)
      const resource = versionOf(request, id)
      return writeOnce(db, reply, { status: 200, key, render, resource, isSecret: true }, async (db) => {
        await rotateSecret(db, owner, rules, id, overlap)
        return { part: await withSecret(db, request, id), whole: await textOf(db, request, id) }
      })
    },
  )

  app.post(
    '/webhook/:id/pause',
    {
      config: { ...config, subject },
      schema: {
        operationId: 'pauseWebhook',
        summary: 'Pause a webhook',
        description: 'Nothing is sent until it is resumed. An event that is being sent may still arrive.',
        params: IdParams,
        response: { 200: one, ...errors },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const owner = ownerOf(request)
      const pause = async (db: Tx) => {
        await lockWebhook(db, owner, id)
        await pauseWebhook(db, owner.store, id, 'requested')
      }
      return writeOnce(db, reply, ...change(request, id, pause))
    },
  )

  app.post(
    '/webhook/:id/resume',
    {
      config: { ...config, subject, refuses: ['cursor_expired'] },
      schema: {
        operationId: 'resumeWebhook',
        summary: 'Resume a webhook',
        description: 'Goes on where it stopped, unless another place is given. What waits is tried at once.',
        params: IdParams,
        body: Resumption,
        response: { 200: one, ...errors },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const owner = ownerOf(request)
      const { from = 'stopped' } = request.body
      const resume = async (db: Tx) =>
        resumeWebhook(db, owner.store, secrets.mark, await lockWebhook(db, owner, id), from)
      const afterwards = async () => {
        await forgetPause(request, id)()
        webhooks.expect(owner.store)
      }
      return writeOnce(db, reply, ...change(request, id, resume, afterwards))
    },
  )

  const testing = new Set<string>()

  app.post(
    '/webhook/:id/test',
    {
      config: { ...config, subject },
      schema: {
        operationId: 'testWebhook',
        summary: 'Send a test event',
        description:
          'Sends an event of type `webhook.test` now, once, also while the webhook is paused, and tells what became of it. ' +
          'It is not part of the feed.',
        params: IdParams,
        response: { 200: data({ test: TestResult }), ...errors },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const webhook = await requireOwn(db, request, id)
      if (!isOn) throw new ApiError('unavailable', 'This server does not send webhooks.')
      if (isDryRun(request)) {
        reply.header('Preference-Applied', 'dry-run')
        return sendWritten(reply, 200, '{"data":{"test":{"is_delivered":false,"status":null,"error":null,"ms":null}}}')
      }
      if (testing.has(webhook.id))
        throw new ApiError('rate_limited', 'A test of this webhook is already under way.', { retryAfter: 5 })
      testing.add(webhook.id)
      try {
        const { app } = request.caller
        const { status, fault, ms } = await sendTest(webhooks, request.store, webhook, app)
        const test = { is_delivered: fault === null, status, error: fault, ms }
        return sendWritten(reply, 200, JSON.stringify({ data: { test } }))
      } finally {
        testing.delete(webhook.id)
      }
    },
  )

  app.post(
    '/webhook/:id/replay',
    {
      config: { ...config, subject },
      schema: {
        operationId: 'replayWebhook',
        summary: 'Send events again',
        description:
          'Sends events that the webhook has already come to once more, with the same `webhook-id` and the header ' +
          '`webhook-replay: true`: those of a time range, those with given ids, or all that failed. To send more, resume ' +
          'from a cursor.',
        params: IdParams,
        body: Replay,
        response: {
          200: data({
            replay: Type.Object(
              { events: Type.Integer({ minimum: 0, description: 'How many are sent again.' }) },
              { additionalProperties: false },
            ),
          }),
          ...errors,
        },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const owner = ownerOf(request)
      const resource = versionOf(request, id)
      const afterwards = async () => webhooks.expect(owner.store)
      return writeOnce(db, reply, { status: 200, key: 'replay', resource, afterwards }, async (db) => {
        const events = await replayEvents(db, eventKinds, owner, id, request.body, request.caller.app.id)
        return { part: JSON.stringify({ events }), whole: await textOf(db, request, id) }
      })
    },
  )

  app.get(
    '/webhook/:id/delivery',
    {
      config: { ...config, subject },
      schema: {
        operationId: 'getWebhookDeliveries',
        summary: 'Read the delivery log of a webhook',
        description:
          'What became of events, the newest first. What was delivered is listed for 7 days, what failed for 30.',
        params: IdParams,
        querystring: DeliveryQuery,
        response: { 200: data(DeliveryPage), ...errors },
      },
    },
    async (request, reply) => {
      const { id } = await requireOwn(db, request, request.params.id)
      const page = await readDeliveries(db, request.store, id, request.query)
      return sendJson(reply, JSON.stringify({ data: page }))
    },
  )
}
