import { Type } from 'typebox'
import type { Api } from '../../core/http/api.ts'
import { isDryRun } from '../../core/http/dry-run.ts'
import { writeOnce } from '../../core/http/idempotency.ts'
import { sendJson, sendWritten } from '../../core/http/json-reply.ts'
import { data, errors, IdParams, ref } from '../../core/input/schemas.ts'
import type { Db, Tx } from '../../core/storage/database.ts'
import { readDeliveries } from './delivery-log.ts'
import { lockWebhook } from './lock-webhook.ts'
import {
  changeWebhook,
  WEBHOOK_ROUTE as config,
  forgetPause,
  ownerOf,
  requireWebhook,
  webhookText,
  webhookVersion,
} from './own-webhooks.ts'
import { pauseWebhook } from './queries.ts'
import { replayEvents } from './replay.ts'
import { resumeWebhook } from './resume-webhook.ts'
import { DeliveryPage, DeliveryQuery, Replay, Resumption, TestResult, Webhook } from './schema.ts'
import type { Webhooks } from './start.ts'
import { requireSending, testWebhook } from './test-send.ts'

/** What an app does about deliveries: pause, resume, test, replay and read the log. */
export const deliveryRoutes = (app: Api, { db, webhooks }: { db: Db; webhooks: Webhooks }) => {
  const { secrets, paused } = webhooks
  const { eventKinds } = app
  const subject = 'webhook'
  const one = data({ webhook: ref(Webhook) })

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
      return changeWebhook(db, request, reply, id, pause)
    },
  )

  app.post(
    '/webhook/:id/resume',
    {
      config: { ...config, subject, refuses: ['cursor_expired'] },
      schema: {
        operationId: 'resumeWebhook',
        summary: 'Resume a webhook',
        description: 'Continues where it stopped, unless `from` says otherwise. Waiting events are retried at once.',
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
        forgetPause(paused, request, id)
        webhooks.expect(owner.store)
      }
      return changeWebhook(db, request, reply, id, resume, afterwards)
    },
  )

  app.post(
    '/webhook/:id/test',
    {
      config: { ...config, subject },
      schema: {
        operationId: 'testWebhook',
        summary: 'Send a test event',
        description:
          'Sends an event of type `webhook.test` once, even while the webhook is paused, and returns the result. The event ' +
          'is not part of the feed.',
        params: IdParams,
        response: { 200: data({ test: TestResult }), ...errors },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const webhook = await requireWebhook(db, request, id)
      requireSending(webhooks)
      if (isDryRun(request)) {
        reply.header('Preference-Applied', 'dry-run')
        return sendWritten(reply, 200, '{"data":{"test":{"is_delivered":false,"status":null,"error":null,"ms":null}}}')
      }
      const test = await testWebhook(webhooks, request.store, webhook, request.caller.app)
      return sendWritten(reply, 200, JSON.stringify({ data: { test } }))
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
          'Sends events that the webhook has already processed again, with the same `webhook-id` and the header ' +
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
      const resource = webhookVersion(request, id)
      const afterwards = async () => webhooks.expect(owner.store)
      return writeOnce(db, reply, { status: 200, key: 'replay', resource, afterwards }, async (db) => {
        const events = await replayEvents(db, eventKinds, owner, id, request.body, request.caller.app.id)
        return { part: JSON.stringify({ events }), whole: await webhookText(db, request, id) }
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
          'The result of each delivery, newest event first. Delivered events are listed for 7 days, failed ones for 30.',
        params: IdParams,
        querystring: DeliveryQuery,
        response: { 200: data(DeliveryPage), ...errors },
      },
    },
    async (request, reply) => {
      const { id } = await requireWebhook(db, request, request.params.id)
      const page = await readDeliveries(db, request.store, id, request.query)
      return sendJson(reply, JSON.stringify({ data: page }))
    },
  )
}
