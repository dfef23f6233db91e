import { type Static, Type } from 'typebox'
import { data, nullable, oneOf, Text, Uuid } from '../../core/input/schemas.ts'
import { DeliveryQuery, TestResult, Webhook, WebhookDelivery } from './schema.ts'

const Count = Type.Integer({ minimum: 0 })

export const PAGE_SIZE = 50

/** A webhook as developers of its app and operators see it. */
export const DeveloperWebhook = Type.Object({
  ...Webhook.properties,
  store_id: Uuid,
  store: Type.String(),
  /** Events of the store that it has not processed. */
  behind: Count,
  waiting: Count,
  failed: Count,
})
export type DeveloperWebhook = Static<typeof DeveloperWebhook>

export const WebhookParams = Type.Object({ id: Uuid, webhook: Uuid })
export const WebhookQuery = Type.Object({
  state: Type.Optional(oneOf(['on', 'paused', 'failing'])),
  cursor: Type.Optional(Uuid),
})
export type WebhookQuery = Static<typeof WebhookQuery>

/** A page of the log, of the same length for everybody. */
export const LogQuery = Type.Object({ state: DeliveryQuery.properties.state, cursor: DeliveryQuery.properties.cursor })

/** Where to continue. Apps may also name a cursor. */
export const DeveloperResumption = Type.Object({ from: oneOf(['stopped', 'now']) })

/** `ids`: of events. */
export const DeveloperReplay = Type.Object({
  ids: Type.Optional(Type.Array(Text(40), { minItems: 1, maxItems: 1_000 })),
  failed: Type.Optional(Type.Boolean()),
})

export const WebhookList = data({
  webhooks: Type.Array(DeveloperWebhook),
  next_cursor: nullable(Uuid),
  /** Whether this server sends webhooks. */
  is_on: Type.Boolean(),
})
export const WebhookReply = data({ webhook: DeveloperWebhook })
export const LogReply = data({
  webhook: DeveloperWebhook,
  deliveries: Type.Array(WebhookDelivery),
  next_cursor: nullable(Type.String()),
})
export const ReplayReply = data({ webhook: DeveloperWebhook, events: Count })
export const RotationReply = data({ webhook: DeveloperWebhook, secret: Type.String() })
export const TestReply = data({ test: TestResult })
