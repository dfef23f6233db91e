import { type EventKinds, showsResource } from '../events/kinds.ts'
import { publishedEvent } from '../events/schema.ts'
import { publishedDelivery } from './schema.ts'

const header = (name: string, description: string, required: boolean) => ({
  name,
  in: 'header',
  description,
  required,
  schema: { type: 'string' },
})

/** Headers of a request to a receiver, by their name among the components of the document. */
const PARAMETERS = {
  WebhookId: header('webhook-id', 'Id of the event: the same for every attempt and every replay.', true),
  WebhookTimestamp: header('webhook-timestamp', 'When this attempt was made, in Unix seconds.', true),
  WebhookSignature: header(
    'webhook-signature',
    '`v1,` and the base64 of the HMAC-SHA256, by the secret, of `{webhook-id}.{webhook-timestamp}.{body}`. Two of them, ' +
      'separated by a space, while a secret is being rotated.',
    true,
  ),
  Traceparent: header(
    'traceparent',
    'Continues the trace of the request that caused the event, as in W3C Trace Context, if it had one. Others have a trace ' +
      'of their own if the operator traces.',
    false,
  ),
  WebhookReplay: header('webhook-replay', '`true` if the event is sent again on request.', false),
}

const pascal = (text: string) => text.replace(/(?:^|[_.])(\w)/g, (_, letter: string) => letter.toUpperCase())

const thin = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string', format: 'uuid' } },
  description: 'Its id alone, if it is gone or the payload is thin.',
}

const dataOf = (kind: string, action: string) =>
  showsResource(action) ? { anyOf: [{ $ref: `#/components/schemas/${pascal(kind)}` }, thin] } : thin

const RESPONSES = {
  '2XX': { description: 'Received. Anything in the body is ignored.' },
  '410': { description: 'The webhook is paused at once.' },
  '4XX': {
    description:
      'Sent again later, for 72 hours; `Retry-After` is respected. So are redirects, and replies after 15 seconds.',
  },
  '5XX': { description: 'Sent again later, for 72 hours; `Retry-After` is respected.' },
}

const pathItemOf = (type: string, [kind = '', action = '']: string[]) => ({
  post: {
    operationId: `on${pascal(type)}`,
    summary: `${type} is posted to the URL of a webhook`,
    description: 'Sent by the service to a receiver.',
    tags: ['Webhooks'],
    security: [],
    parameters: Object.keys(PARAMETERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            allOf: [
              { $ref: '#/components/schemas/Event' },
              { type: 'object', properties: { type: { const: type }, data: dataOf(kind, action) } },
            ],
          },
        },
      },
    },
    responses: RESPONSES,
  },
})

/** What receivers get, for the document: one entry for each type of event. */
export const describeWebhooks = (kinds: EventKinds) => ({
  parameters: PARAMETERS,
  schemas: { ...publishedEvent(kinds), ...publishedDelivery(kinds) },
  webhooks: Object.fromEntries(kinds.types.map((type) => [type, pathItemOf(type, type.split('.'))])),
})
