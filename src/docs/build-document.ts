import type { DemoCredentials } from '../demo/load.ts'
import { createEventKinds } from '../events/kinds.ts'
import type { RouteEntry } from '../http/route-table.ts'
import { type OpenApiDocument, openApiDocument } from '../openapi/document.ts'
import { describeWebhooks } from '../webhooks/openapi.ts'
import { quickStart, readGuides } from './guides.ts'
import { collectExamples } from './recorded-examples.ts'

/** Version of the contract, not of the server. */
const CONTRACT_VERSION = '1.0.0'

interface DocumentTarget {
  baseUrl: string
  /** Shown in the quick start and the example body of get-token; only on a server with a demo store. */
  demo?: DemoCredentials | undefined
}

/** The OpenAPI document with guides, and with examples from the demo store. */
export const buildDocument = (routes: RouteEntry[], { baseUrl, demo }: DocumentTarget): OpenApiDocument => {
  const examples = collectExamples(routes, baseUrl)
  const getToken = { ...(examples.body('getToken') as object), ...demo }
  return openApiDocument(routes, {
    baseUrl,
    version: CONTRACT_VERSION,
    description: [quickStart(baseUrl, demo), readGuides(baseUrl)].join('\n\n'),
    sent: describeWebhooks(createEventKinds(new Set(routes.flatMap(({ resource }) => resource ?? [])))),
    examples: { ...examples, body: (id) => (id === 'getToken' ? getToken : examples.body(id)) },
  })
}
