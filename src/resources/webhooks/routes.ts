import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { personOf } from '../../core/http/access.ts'
import type { Api } from '../../core/http/api.ts'
import { writeOnce } from '../../core/http/idempotency.ts'
import { sendJson, sendText } from '../../core/http/json-reply.ts'
import { tagOf } from '../../core/http/versions.ts'
import { data, errors, IdParams, ref } from '../../core/input/schemas.ts'
import { withFields } from '../../core/reading/json-parts.ts'
import { value } from '../../core/reading/json-text.ts'
import type { Db } from '../../core/storage/database.ts'
import { requireRoom, tenantOf } from '../plans/limits.ts'
import { createWebhook } from './create-webhook.ts'
import { deleteWebhook } from './delete-webhook.ts'
import {
  changeWebhook,
  WEBHOOK_ROUTE as config,
  forgetPause,
  ownerOf,
  requireWebhook,
  webhookText,
  webhookVersion,
} from './own-webhooks.ts'
import { listWebhookIds } from './queries.ts'
import { rotateWebhookSecret } from './rotate-webhook-secret.ts'
import {
  DEFAULT_OVERLAP_SECONDS,
  MAX_WEBHOOKS,
  newWebhook,
  SecretRotation,
  Webhook,
  WebhookWithSecret,
  webhookChanges,
} from './schema.ts'
import type { Webhooks } from './start.ts'
import { updateWebhook } from './update-webhook.ts'

export const webhookRoutes = (app: Api, { db, webhooks }: { db: Db; webhooks: Webhooks }) => {
  const { secrets, paused, opened } = webhooks
  const { eventKinds } = app
  const rules = { secrets, opened, eventKinds }
  const key = 'webhook'
  const subject = 'webhook'
  const one = data({ webhook: ref(Webhook) })
  const shown = data({ webhook: ref(WebhookWithSecret) })

  /** With its secret, which is derived and not stored: a retry gets it too. */
  const withSecret = async (db: Db, request: FastifyRequest, id: string) => {
    const text = await webhookText(db, request, id)
    const { generation } = await requireWebhook(db, request, id)
    return withFields<WebhookWithSecret, 'secret'>(text, { secret: value(secrets.show({ id, generation })) })
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
      const { caller } = request
      const ids = personOf(caller) || !caller.installation ? [] : await listWebhookIds(db, ownerOf(request))
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
      await requireWebhook(db, request, request.params.id)
      const text = await webhookText(db, request, request.params.id)
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
          'Events are posted to its URL as they happen, signed according to Standard Webhooks. Anything but a 2xx reply ' +
          'within 15 seconds is a failure: the event is retried for 72 hours, with growing delays, and later events of ' +
          `its resource wait. An installation may have ${MAX_WEBHOOKS} webhooks.`,
        body: newWebhook(eventKinds),
        response: { 201: shown, ...errors },
      },
    },
    async (request, reply) => {
      const owner = ownerOf(request)
      const render = (db: Db, id: string) => withSecret(db, request, id)
      const afterwards = async () => webhooks.expect(owner.store)
      return writeOnce(db, reply, { status: 201, key, render, isSecret: true, afterwards }, async (db) => {
        await requireRoom(db, tenantOf(request), 'webhooks')
        const id = await createWebhook(db, owner, rules, request.body)
        return { part: await withSecret(db, request, id), whole: await webhookText(db, request, id) }
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
        description: 'Only the given fields change. They also apply to events that wait for a retry.',
        params: IdParams,
        body: webhookChanges(eventKinds),
        response: { 200: one, ...errors },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const owner = ownerOf(request)
      await requireWebhook(db, request, id)
      return changeWebhook(db, request, reply, id, (db) => updateWebhook(db, owner, rules, id, request.body))
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
      const afterwards = async () => forgetPause(paused, request, id)
      return writeOnce(db, reply, { status: 200, resource: webhookVersion(request, id), afterwards }, async (db) => {
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
          'Replaces the secret. During the overlap every event has two signatures, one with the new secret and one with ' +
          'the old, so that receivers can be switched one after the other.',
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
      const resource = webhookVersion(request, id)
      return writeOnce(db, reply, { status: 200, key, render, resource, isSecret: true }, async (db) => {
        await rotateWebhookSecret(db, owner, rules, id, overlap)
        return { part: await withSecret(db, request, id), whole: await webhookText(db, request, id) }
      })
    },
  )
}
