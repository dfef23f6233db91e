import { type Static, Type } from 'typebox'
import { creation, DateBound, nullable, oneOf, resource, Timestamp, Uuid } from '../../core/input/schemas.ts'
import type { EventKinds } from '../events/kinds.ts'
import { oneOfKnown } from '../events/schema.ts'
import { MAX_URL_LENGTH } from './addresses.ts'
import { FAULTS } from './egress.ts'

export const MAX_WEBHOOKS = 10
const MAX_LANES = 16
export const MAX_REPLAYED = 10_000
/** Above this many waiting deliveries, no new events are read and no replays are accepted. */
export const MAX_WAITING = 20_000
export const MAX_OVERLAP_SECONDS = 7 * 86_400
export const DEFAULT_OVERLAP_SECONDS = 86_400

/** Why a webhook is paused. */
const PAUSE_REASONS = {
  requested: 'The app paused it.',
  operator: 'The operator of the service paused it.',
  failing: 'Every attempt failed for 72 hours.',
  gone: 'The receiver replied 410.',
  expired: 'The events after the last delivery are no longer kept: resume from `now`.',
  key_changed: 'The key of the service has changed: rotate the secret, then resume.',
  restored: 'The store was restored from a backup.',
} as const
export type PauseReason = keyof typeof PAUSE_REASONS

const listed = (sentences: Readonly<Record<string, string>>) =>
  Object.entries(sentences)
    .map(([word, sentence]) => `\`${word}\`: ${sentence}`)
    .join(' ')

const url = Type.String({
  maxLength: MAX_URL_LENGTH,
  description:
    'Where events are posted to: `https`, on port 443 or above 1023, a public address, no user name or password. ' +
    'Redirects are not followed.',
})
const typesOf = ({ patterns }: EventKinds) =>
  Type.Array(oneOf(patterns), {
    minItems: 1,
    maxItems: 100,
    description:
      'Types of events: `order.created`, all of a kind: `order.*`, or `*` for all that the app may see. Naming a type ' +
      'needs the permission of its kind. Permissions are checked again at each delivery.',
  })
const changed = nullable(
  Type.Array(Type.String({ maxLength: 100 }), {
    maxItems: 100,
    description:
      'Of updates, only those that changed one of these fields; `deliveries` includes `deliveries.status`. null: all.',
  }),
)
const ignore_self = Type.Boolean({ description: 'Leave out changes that the app itself made.' })
const payload = oneOf(['full', 'thin'], {
  description: '`full`: `data` is the whole resource, read when it is sent. `thin`: `data` is its id.',
})
const lanes = Type.Integer({
  minimum: 1,
  maximum: MAX_LANES,
  description:
    'How many events are sent at a time. Those of one resource are always sent one after the other, in order. With 1, ' +
    'all events are: one that fails delays all later ones.',
})

const fields = {
  id: Uuid,
  url,
  types: Type.Array(Type.String(), { description: 'The types of events that are sent.' }),
  changed,
  ignore_self,
  payload,
  lanes,
  state: oneOf(['on', 'paused']),
  reason: nullable(
    oneOf(Object.keys(PAUSE_REASONS) as PauseReason[], { description: `Why it is paused. ${listed(PAUSE_REASONS)}` }),
  ),
  paused_at: nullable(Timestamp),
  failing_since: nullable(Type.String({ format: 'date-time', description: 'Since when every attempt has failed.' })),
  previous_secret_until: nullable(
    Type.String({ format: 'date-time', description: 'Until when events are also signed with the previous secret.' }),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
}

export const Webhook = resource('Webhook', Type.Object(fields, { additionalProperties: false }))
export type Webhook = Static<typeof Webhook>

export const WebhookWithSecret = resource(
  'WebhookWithSecret',
  Type.Object(
    {
      ...fields,
      secret: Type.String({
        description: 'Signs the events (Standard Webhooks). Shown when it is created and rotated only: store it.',
      }),
    },
    { additionalProperties: false },
  ),
)
export type WebhookWithSecret = Static<typeof WebhookWithSecret>

export const newWebhook = (kinds: EventKinds) =>
  creation({
    url,
    types: typesOf(kinds),
    changed: Type.Optional(changed),
    ignore_self: Type.Optional({ ...ignore_self, default: false }),
    payload: Type.Optional({ ...payload, default: 'full' }),
    lanes: Type.Optional({ ...lanes, default: 4 }),
    cursor: Type.Optional(
      Type.String({
        maxLength: 200,
        description:
          'Delivery starts with the first event after this cursor, such as the one at the end of a snapshot. Default: `now`.',
      }),
    ),
  })
export type NewWebhook = Static<ReturnType<typeof newWebhook>>

export const webhookChanges = (kinds: EventKinds) =>
  Type.Object({
    url: Type.Optional(url),
    types: Type.Optional(typesOf(kinds)),
    changed: Type.Optional(changed),
    ignore_self: Type.Optional(ignore_self),
    payload: Type.Optional(payload),
    lanes: Type.Optional(lanes),
  })
export type WebhookChanges = Static<ReturnType<typeof webhookChanges>>

export const SecretRotation = Type.Object({
  overlap: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_OVERLAP_SECONDS,
      default: DEFAULT_OVERLAP_SECONDS,
      description: 'For how many seconds events are also signed with the old secret.',
    }),
  ),
})

export const Resumption = Type.Object({
  from: Type.Optional(
    Type.String({
      maxLength: 200,
      default: 'stopped',
      description:
        '`stopped`: continue where it stopped. `now`: skip the events since then; waiting ones are listed as failed. ' +
        'A cursor: send every event after it, including those delivered before.',
    }),
  ),
})

export const Replay = Type.Object(
  {
    from: Type.Optional(DateBound('Events since')),
    to: Type.Optional(DateBound('Events until')),
    ids: Type.Optional(
      Type.Array(Type.String({ maxLength: 40 }), { minItems: 1, maxItems: 1_000, description: 'Ids of events.' }),
    ),
    failed: Type.Optional(Type.Boolean({ description: 'true: all that are listed as failed.' })),
  },
  { description: `\`from\` and \`to\`, \`ids\`, or \`failed\`. At most ${MAX_REPLAYED.toLocaleString('en')} events.` },
)
export type Replay = Static<typeof Replay>

const status = nullable(Type.Integer({ description: 'HTTP status of the last reply; null without one.' }))
const error = nullable(
  oneOf(Object.keys(FAULTS), {
    description: `Why the last attempt failed. ${listed(FAULTS)} The reply of a receiver is never stored or shown.`,
  }),
)
const ms = nullable(Type.Integer({ minimum: 0, description: 'Milliseconds that the last attempt took.' }))

export const TestResult = Type.Object(
  { is_delivered: Type.Boolean({ description: 'Whether the receiver replied 2xx.' }), status, error, ms },
  { additionalProperties: false },
)

export const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const

/** `values` are the types and kinds that exist; the OpenAPI document lists them. */
const deliveryShape = (values?: EventKinds) =>
  Type.Object(
    {
      event_id: Type.String({ description: 'Id of the event: the header `webhook-id`.' }),
      type: oneOfKnown(values?.types),
      resource: Type.Object({ kind: oneOfKnown(values?.names), id: Uuid }, { additionalProperties: false }),
      state: oneOf(DELIVERY_STATES),
      is_replay: Type.Boolean(),
      attempts: Type.Integer({ minimum: 0 }),
      first_attempt_at: nullable(Timestamp),
      next_attempt_at: nullable(
        Type.String({
          format: 'date-time',
          description: 'null while an earlier event of the resource waits, and once it is delivered or has failed.',
        }),
      ),
      done_at: nullable(Timestamp),
      status,
      error,
      ms,
    },
    { additionalProperties: false },
  )

export const WebhookDelivery = resource('WebhookDelivery', deliveryShape())

/** The schema of a delivery for the OpenAPI document, by its name there. */
export const publishedDelivery = (kinds: EventKinds) => ({ WebhookDelivery: deliveryShape(kinds) })

export const DeliveryQuery = Type.Object({
  state: Type.Optional(
    oneOf(DELIVERY_STATES, { description: '`failed` are the dead letters: replay them with `{"failed": true}`.' }),
  ),
  page_size: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  cursor: Type.Optional(
    Type.String({ maxLength: 20, pattern: '^\\d{1,15}$', description: '`next_cursor` of the page before.' }),
  ),
})
export type DeliveryQuery = Static<typeof DeliveryQuery>

export const DeliveryPage = {
  deliveries: Type.Array(Type.Unsafe<Static<typeof WebhookDelivery>>({ $ref: 'WebhookDelivery' })),
  next_cursor: nullable(Type.String({ description: 'Where the next, older page begins; null on the last one.' })),
  behind: Type.Integer({ minimum: 0, description: 'Events of the store that the webhook has not processed yet.' }),
}
