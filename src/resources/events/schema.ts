import { type Static, Type } from 'typebox'
import { DateBound, nullable, oneOf, resource, several, Uuid } from '../../core/input/schemas.ts'
import type { EventKinds } from './kinds.ts'

const MAX_WAIT_SECONDS = 60

/** One of the values, or any text where the values are not known. */
export const oneOfKnown = (values: readonly string[] | undefined, options: Record<string, unknown> = {}) =>
  values ? oneOf(values, options) : Type.String(options)

const Named = Type.Object({ id: Uuid, name: nullable(Type.String()) }, { additionalProperties: false })
export type Named = Static<typeof Named>

/** `values` are the types and kinds that exist; the OpenAPI document lists them. */
const eventShape = (values?: EventKinds) =>
  Type.Object(
    {
      id: Type.String({ description: 'The same whenever and however the event is delivered.' }),
      type: oneOfKnown(values?.types, { description: 'What happened to which kind of resource.' }),
      timestamp: Type.String({
        format: 'date-time',
        description: 'When it happened. Never earlier than that of the event before.',
      }),
      position: Type.Integer({
        minimum: 0,
        description: 'Place in the feed of the store, from 1. Positions have no gaps. 0 in a `webhook.test`.',
      }),
      store_id: Uuid,
      resource: Type.Object(
        { kind: oneOfKnown(values?.names), id: Uuid },
        { additionalProperties: false, description: 'What the event is about.' },
      ),
      changed: Type.Array(Type.String(), {
        description:
          'Of an update: the fields that changed, such as `status`, or `variants.quantity` for a field of its parts.',
      }),
      previous: Type.Record(Type.String(), Type.Unknown(), {
        description:
          'Of an update: states, numbers and flags before the change, such as `{"status": "pending"}`. Fields of a part ' +
          'have its id: `variants.ID.quantity`. Never contains personal data.',
      }),
      app: nullable(
        Type.Object(
          { id: Uuid, name: nullable(Type.String()) },
          {
            additionalProperties: false,
            description: 'The app that made the change; `name` is null once the app is deleted.',
          },
        ),
      ),
      by: Type.Object(
        {
          app: nullable(Named),
          account: nullable(Named),
          via: nullable(oneOf(['assistant'])),
        },
        {
          additionalProperties: false,
          description:
            'Who made the change: the app, the person in the console or behind an assistant, and `via` if an assistant ' +
            'made it.',
        },
      ),
      as_of: Type.String({ format: 'date-time', description: 'When `data` was read: never before the change.' }),
      data: Type.Unsafe<object>({
        type: 'object',
        required: ['id'],
        properties: { id: Uuid },
        additionalProperties: true,
        description:
          'The resource as its GET shows it now. Only its `id` if it has been deleted, and with `payload=thin`.',
      }),
    },
    { additionalProperties: false },
  )

export const EventResource = resource('Event', eventShape())
export type Event = Static<typeof EventResource>

/** The schema of an event for the OpenAPI document, by its name there. */
export const publishedEvent = (kinds: EventKinds) => ({ Event: eventShape(kinds) })

const cursor = Type.Optional(
  Type.String({
    maxLength: 200,
    description:
      '`next_cursor` of an earlier reply, the cursor at the end of a snapshot, or `now`. Default: the oldest event kept.',
  }),
)

export const EventQuery = Type.Object({
  cursor,
  types: Type.Optional(
    several(Type.String({ maxLength: 60 }), {
      description: 'Types of events: `order.created`, all of a kind: `order.*`, or `*`. Default: all you may see.',
    }),
  ),
  changed: Type.Optional(
    several(Type.String({ maxLength: 100 }), {
      description:
        'Of updates, only those that changed one of these fields; `deliveries` includes `deliveries.status`. Created and ' +
        'deleted resources are not affected.',
    }),
  ),
  resource_id: Type.Optional(Uuid),
  via: Type.Optional(oneOf(['assistant'], { description: 'Only what assistants did.' })),
  account_id: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: 'Only what this person did.' })),
  ignore_self: Type.Boolean({ default: false, description: 'Leave out changes that your own app made.' }),
  from: Type.Optional(DateBound('Events since')),
  to: Type.Optional(DateBound('Events until')),
  page_size: Type.Integer({
    minimum: 1,
    maximum: 200,
    default: 50,
    description: 'Maximum number of events in a reply. There may be fewer, even if `more` is true.',
  }),
  payload: oneOf(['full', 'thin'], {
    default: 'full',
    description: '`full`: `data` is the whole resource. `thin`: `data` is its id.',
  }),
  wait: Type.Integer({
    minimum: 0,
    maximum: MAX_WAIT_SECONDS,
    default: 0,
    description: 'Seconds to wait for an event if there is none yet (long polling).',
  }),
})
export type EventQuery = Static<typeof EventQuery>

export const EventParams = Type.Object({
  id: Type.String({ maxLength: 40, description: 'Id of an event.' }),
})

export const EventPageBody = {
  events: Type.Array(Type.Unsafe<Static<typeof EventResource>>({ $ref: 'Event' })),
  next_cursor: Type.String({ description: 'Where to continue. Store it once the events are processed.' }),
  more: Type.Boolean({ description: 'More events are available now.' }),
}

export const snapshotQuery = ({ inSnapshots }: EventKinds) =>
  Type.Object({
    types: Type.Optional(
      several(oneOf(inSnapshots), { description: 'Kinds of resources. Default: all whose permission you have.' }),
    ),
    after: Type.Optional(
      Type.String({
        maxLength: 1_000,
        description: '`mark` of a line of an interrupted snapshot, to continue after it, with the same `types`.',
      }),
    ),
  })
