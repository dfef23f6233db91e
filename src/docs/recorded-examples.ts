import { readFileSync } from 'node:fs'
import { API_PREFIX } from '../config/config.ts'
import type { RouteEntry } from '../http/route-table.ts'
import { openApiPath, operationIdOf } from '../openapi/operation.ts'
import { WRITTEN_FOR } from './guides.ts'

type Row = { id: string }
type Nested = Record<string, unknown>

/** Resources of the demo store, as the API showed them when they were recorded. */
export interface RecordedResources {
  product: Row & { variants: Row[]; options: Row[]; image: Row }
  order: Row & { variants: Row[]; history: Row[]; payment_method: unknown; customer_country: unknown }
  /** Has goods that have not been sent. */
  waiting_order: Row & { variants: Row[] }
  return: Row & { return_variants: { order_variant_id: string }[] }
  refund: Row & { refund_variants: Row[] }
  carrier: Row
  category: Row
  [resource: string]: unknown
}

export interface RecordedExamples {
  /** Whole replies of reads, by operation id. */
  replies: Record<string, unknown>
  /** By the key they have in `data`. */
  resources: RecordedResources
}

const siteOf = (baseUrl: string) => baseUrl.slice(0, -API_PREFIX.length)

/** Addresses in them are those of the server that is asked. */
export const readRecordedExamples = (baseUrl: string): RecordedExamples =>
  JSON.parse(
    readFileSync(new URL('./examples.json', import.meta.url), 'utf8').replaceAll(siteOf(WRITTEN_FOR), siteOf(baseUrl)),
  )

interface Documented {
  properties?: { data?: { properties?: Record<string, unknown> } }
}

/** What a write shows: the resource of that kind, as a read showed it. */
const replyOfWrite = ({ schema }: RouteEntry, resources: RecordedResources) => {
  const [success] = Object.entries((schema.response ?? {}) as Record<string, Documented>).filter(([status]) =>
    /^2\d\d$/.test(status),
  )
  const keys = Object.keys(success?.[1].properties?.data?.properties ?? {})
  if (!success || keys.some((key) => resources[key] === undefined)) return undefined
  return { data: Object.fromEntries(keys.map((key) => [key, resources[key]])) }
}

/**
 * Linters take whatever has both `default` and `properties` for a schema, and find a product to be a wrong one. Replies
 * with a product in them are shown by the examples of their fields instead.
 */
const looksLikeSchema = (value: unknown): boolean => {
  if (value === null || typeof value !== 'object') return false
  return ('default' in value && 'properties' in value) || Object.values(value).some(looksLikeSchema)
}

export const exampleReply = ({ replies, resources }: RecordedExamples, route: RouteEntry) => {
  const reply = replies[operationIdOf(route)] ?? (route.config.produces ? undefined : replyOfWrite(route, resources))
  return looksLikeSchema(reply) ? undefined : reply
}

/** An example of each named shape, from wherever one was recorded. */
export const exampleOfSchema = ({ replies, resources }: RecordedExamples, name: string): unknown => {
  const { product, order, refund } = resources
  const data = (id: string) => (replies[id] as Nested | undefined)?.data as Nested
  const shapes: Record<string, unknown> = {
    App: data('getCurrentApp')?.app,
    Pagination: data('listProducts')?.pagination,
    Product: product,
    Option: product.options[0],
    Variant: product.variants[0],
    File: product.image,
    Category: resources.category,
    Order: order,
    OrderVariant: order.variants[0],
    Delivery: resources.delivery,
    Return: resources.return,
    ReturnVariant: resources.return.return_variants[0],
    Refund: refund,
    RefundVariant: refund.refund_variants[0],
    OrderEvent: order.history[0],
    PaymentMethod: order.payment_method,
    Customer: resources.customer,
    Country: order.customer_country,
    ShippingCarrier: resources.carrier,
    LandingPage: resources.landing_page,
    Review: resources.review,
  }
  return shapes[name]
}

/** Where the id in a path comes from, by what stands before it. */
const OWNERS: Record<string, string> = {
  product: 'product',
  order: 'order',
  customer: 'customer',
  review: 'review',
  'landing-page': 'landing_page',
  'order/delivery': 'delivery',
  'order/refund': 'refund',
  file: 'file',
}

const REMOVES = /^(delete|unlink)/

/** An id that exists in the demo store; none where sending the request as it stands would remove something. */
export const exampleId = ({ resources }: RecordedExamples, route: RouteEntry, name: string) => {
  const operationId = operationIdOf(route)
  if (REMOVES.test(operationId) || !/^(id|deliveryId)$/.test(name)) return undefined
  if (operationId === 'splitDelivery') return resources.waiting_order.id
  const owner = /^\/(.+?)\/\{/.exec(openApiPath(route.url))?.[1] ?? ''
  return (resources[OWNERS[owner] ?? ''] as Row | undefined)?.id
}
