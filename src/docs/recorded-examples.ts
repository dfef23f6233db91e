import { readFileSync } from 'node:fs'
import { API_PREFIX } from '../config/config.ts'
import type { Examples, RecordedReplies, RecordedRows } from '../core/http/resource.ts'
import type { RouteEntry } from '../core/http/route-table.ts'
import { type DocumentExamples, openApiPath, operationIdOf } from '../core/openapi/operation.ts'
import { DEFAULT_BASE_URL } from './guides.ts'

/** Recorded replies of the demo store. */
export interface RecordedExamples {
  replies: RecordedReplies
  resources: RecordedRows
}

const siteOf = (baseUrl: string) => baseUrl.slice(0, -API_PREFIX.length)

/** URLs are replaced with those of the server. */
export const readRecordedExamples = (baseUrl: string): RecordedExamples =>
  JSON.parse(
    readFileSync(new URL('./examples.json', import.meta.url), 'utf8').replaceAll(
      siteOf(DEFAULT_BASE_URL),
      siteOf(baseUrl),
    ),
  )

interface Documented {
  properties?: { data?: { properties?: Record<string, unknown> } }
}

/** The example reply of a write: the recorded resource of that kind. */
const replyOfWrite = ({ schema }: RouteEntry, rows: RecordedRows) => {
  const [success] = Object.entries((schema.response ?? {}) as Record<string, Documented>).filter(([status]) =>
    /^2\d\d$/.test(status),
  )
  const keys = Object.keys(success?.[1].properties?.data?.properties ?? {})
  if (!success || keys.some((key) => rows[key] === undefined)) return undefined
  return { data: Object.fromEntries(keys.map((key) => [key, rows[key]])) }
}

/**
 * Linters mistake anything with both `default` and `properties` for a schema, such as a product. Replies that contain a
 * product have no example of their own; the examples of their fields are shown instead.
 */
const looksLikeSchema = (value: unknown): boolean => {
  if (value === null || typeof value !== 'object') return false
  return ('default' in value && 'properties' in value) || Object.values(value).some(looksLikeSchema)
}

const exampleReply = ({ replies, resources }: RecordedExamples, route: RouteEntry) => {
  const reply = replies[operationIdOf(route)] ?? (route.config.produces ? undefined : replyOfWrite(route, resources))
  return looksLikeSchema(reply) ? undefined : reply
}

/** `landing_page` of `LandingPage`, `landing-page`. */
const keyOf = (name: string) =>
  name
    .replace(/(?<=.)[A-Z]/g, '_$&')
    .replaceAll('-', '_')
    .toLowerCase()

const REMOVES = /^(delete|unlink)/

/** An id of the demo store; none for deletions, so that sending the example request as is deletes nothing. */
const exampleId = (rows: RecordedRows, ids: Record<string, string>, route: RouteEntry, name: string) => {
  const operationId = operationIdOf(route)
  if (REMOVES.test(operationId) || !/^(id|\w+Id)$/.test(name)) return undefined
  const owner = openApiPath(route.url).split('/{')[0]?.split('/').at(-1) ?? ''
  return ids[operationId] ?? rows[keyOf(owner)]?.id
}

/** The examples that the resources declare, with recorded values. */
export const collectExamples = (routes: RouteEntry[], baseUrl: string): DocumentExamples => {
  const recorded = readRecordedExamples(baseUrl)
  const { replies, resources: rows } = recorded
  const declared = new Set(routes.flatMap(({ resource }) => resource?.examples ?? []))
  const collect = <T>(pick: (examples: Examples) => Record<string, T> | undefined) =>
    Object.assign({}, ...[...declared].map((examples) => pick(examples))) as Record<string, T>
  const bodies = collect(({ bodies }) => bodies?.(rows))
  const schemas = collect(({ schemas }) => schemas?.(rows, replies))
  const ids = collect(({ ids }) => ids?.(rows))
  const more = collect(({ replies }) => replies?.(rows))
  const pagination = Object.values(replies).find(({ data }) => data?.pagination)?.data.pagination
  return {
    reply: (route) => more[operationIdOf(route)] ?? exampleReply(recorded, route),
    body: (id) => bodies[id],
    parameter: (route, name) => exampleId(rows, ids, route, name),
    schema: (name) => schemas[name] ?? (name === 'Pagination' ? pagination : rows[keyOf(name)]),
  }
}
