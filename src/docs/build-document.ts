import type { Config } from '../config/config.ts'
import type { Api } from '../core/http/api.ts'
import { type OpenApiDocument, openApiDocument } from '../core/openapi/document.ts'
import type { DemoCredentials } from '../demo/credentials-file.ts'
import { publishedBulkJob } from '../resources/bulk/schema.ts'
import { describeWebhooks } from '../resources/webhooks/openapi.ts'
import { quickStart, readGuides } from './guides.ts'
import { publicAddress } from './index-routes.ts'
import { collectExamples } from './recorded-examples.ts'

/** Version of the contract, not of the server. */
const CONTRACT_VERSION = '1.0.0'

interface DocumentTarget {
  baseUrl: string
  /** Shown in the quick start and the example body of get-token; only on a server with a demo store. */
  demo?: DemoCredentials | undefined
}

/** Named schemas with the values that resources declare: types of events, resources of bulk jobs. */
export const declaredSchemas = ({ eventKinds, bulkResources }: Api) => ({
  ...describeWebhooks(eventKinds).schemas,
  ...publishedBulkJob(bulkResources),
})

/** The OpenAPI document with guides, and with examples from the demo store. */
export const buildDocument = (app: Api, { baseUrl, demo }: DocumentTarget): OpenApiDocument => {
  const examples = collectExamples(app.routeTable, baseUrl)
  const getToken = { ...(examples.body('getToken') as object), ...demo }
  return openApiDocument(app.routeTable, {
    baseUrl,
    version: CONTRACT_VERSION,
    description: [quickStart(baseUrl, demo), readGuides(baseUrl)].join('\n\n'),
    sent: describeWebhooks(app.eventKinds),
    declaredSchemas: declaredSchemas(app),
    examples: { ...examples, body: (id) => (id === 'getToken' ? getToken : examples.body(id)) },
  })
}

/** The document of this server. */
export const publishedDocument = (app: Api, { baseUrl }: Pick<Config, 'baseUrl'>, demo?: DemoCredentials) =>
  buildDocument(app, { baseUrl: publicAddress(app, baseUrl), demo })
