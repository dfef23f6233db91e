import type { FastifyReply, FastifyRequest } from 'fastify'
import { personOf } from '../../core/http/access.ts'
import { writeOnce } from '../../core/http/idempotency.ts'
import type { Versioned } from '../../core/http/versions.ts'
import type { JsonText } from '../../core/reading/json-text.ts'
import { rereadText, textVersion } from '../../core/reading/request-texts.ts'
import type { Db, Tx } from '../../core/storage/database.ts'
import { ApiError, notFound } from '../../errors.ts'
import { lockWebhook, type Owner } from './lock-webhook.ts'
import type { PausedWebhooks } from './paused.ts'
import { findWebhook } from './queries.ts'
import type { Webhook } from './schema.ts'

/** What the routes of webhooks share: every installation sees and changes only its own. */

export const WEBHOOK_ROUTE = { access: 'installation', extension: true } as const

export const ownerOf = ({ store, caller }: FastifyRequest): Owner => {
  const { installation } = caller
  // The console and assistants act with the permissions of a person, and nobody is there when an event is sent.
  if (personOf(caller) || !installation)
    throw new ApiError('forbidden', 'Webhooks belong to apps; the console and the assistants of people have none.')
  return { store, installation: installation.id, permissions: installation.permissions }
}

export const requireWebhook = async (db: Db, request: FastifyRequest, id: string) => {
  const webhook = await findWebhook(db, ownerOf(request), id)
  if (!webhook) throw notFound('webhook')
  return webhook
}

export const webhookText = async (db: Db, { texts }: FastifyRequest, id: string) => {
  const text = await texts.one(db, 'webhook', id)
  if (!text) throw notFound('webhook')
  return text as JsonText<Webhook>
}

/** Locking checks the owner, so that `If-Match` is never compared with the webhook of another installation. */
export const webhookVersion = (request: FastifyRequest, id: string): Versioned => ({
  ...textVersion(request, 'webhook', id),
  lock: (db) => lockWebhook(db, ownerOf(request), id),
})

/** Runs a write that changes a webhook; answers with its new text. */
export const changeWebhook = (
  db: Db,
  request: FastifyRequest,
  reply: FastifyReply,
  id: string,
  work: (db: Tx) => Promise<unknown>,
  afterwards?: () => Promise<void>,
) => {
  const render = rereadText(request, 'webhook')
  const answer = { status: 200, key: 'webhook', render, resource: webhookVersion(request, id) } as const
  return writeOnce(db, reply, { ...answer, ...(afterwards && { afterwards }) }, async (db) => {
    await work(db)
    return webhookText(db, request, id)
  })
}

/** The pause is no longer shown in the replies to this installation. */
export const forgetPause = (paused: PausedWebhooks, { caller }: FastifyRequest, id: string) =>
  paused.remove(caller.installation?.id ?? '', id)
