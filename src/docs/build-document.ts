import type { DemoCredentials } from '../demo/load.ts'
import type { RouteEntry } from '../http/route-table.ts'
import { type OpenApiDocument, openApiDocument } from '../openapi/document.ts'
import { quickStart, readGuides } from './guides.ts'
import {
  exampleId,
  exampleOfSchema,
  exampleReply,
  type RecordedExamples,
  readRecordedExamples,
} from './recorded-examples.ts'
import { requestExamples } from './request-examples.ts'

/** Moves on with the contract, not with the releases of this server. */
const CONTRACT_VERSION = '1.0.0'

interface DocumentTarget {
  baseUrl: string
  /** Written into the quick start and the body of get-token: only ever for the page of a server with a demo store. */
  demo?: DemoCredentials | undefined
}

/** The document with its guides, and with examples from the demo store. */
export const buildDocument = (routes: RouteEntry[], { baseUrl, demo }: DocumentTarget): OpenApiDocument => {
  const recordings: RecordedExamples = readRecordedExamples(baseUrl)
  const bodies = requestExamples(recordings.resources)
  const getToken = { ...(bodies.getToken as object), ...demo }
  return openApiDocument(routes, {
    baseUrl,
    version: CONTRACT_VERSION,
    description: [quickStart(baseUrl, demo), readGuides(baseUrl)].join('\n\n'),
    examples: {
      reply: (_id, route) => exampleReply(recordings, route),
      body: (id) => (id === 'getToken' ? getToken : bodies[id]),
      parameter: (route, name) => exampleId(recordings, route, name),
      shape: (name) => exampleOfSchema(recordings, name),
    },
  })
}
