import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { send } from '../../../tests/resilience/foreign-id-sweep.ts'
import { createFullStore, type FullStore, writeRoutes, writesFor } from '../../../tests/resilience/full-store.ts'
import { startTestApi } from '../../../tests/support/api.ts'
import type { Sample } from '../../../tests/support/samples.ts'

let store: FullStore
beforeAll(async () => {
  // A server that delivers events would change webhooks at any time.
  store = await createFullStore(() => startTestApi({ WEBHOOKS: 'off' }))
})

/** What each write does, sent with its sample: types of events with the fields that changed. */
const EVENTS: Record<string, string[]> = {
  'POST /bulk': [],
  'DELETE /bulk/:id': [],
  'POST /bundle': ['bundle.created'],
  'PUT /bundle/:id': ['bundle.updated options.price'],
  'DELETE /bundle/:id': ['bundle.deleted'],
  'POST /app/:client_id/install': ['app.installed'],
  'POST /app/:client_id/boot': [],
  'PUT /app/self': [],
  'DELETE /app/:client_id': ['app.uninstalled'],
  'POST /plan/switch': [],
  'POST /invoice/:id/pay': [],
  'POST /category': ['category.created'],
  'PUT /category/:id': ['category.updated name'],
  'DELETE /category/:id': ['category.deleted', 'product.updated category'],
  'POST /customer': ['customer.created'],
  'PUT /customer/:id': ['customer.updated name'],
  'DELETE /customer/:id': ['customer.deleted'],
  'POST /domain': ['domain.created'],
  'PUT /domain/:id': ['domain.updated host'],
  'DELETE /domain/:id': ['domain.deleted'],
  'POST /file': ['file.created', 'product.updated images'],
  'PUT /file/:id': ['file.updated alt'],
  'POST /file/:id': ['file.deleted'],
  'POST /file/unused': ['file.deleted'],
  'DELETE /file/:id/link/:fileable_type/:fileable_id': ['product.updated images'],
  'POST /landing-page': ['landing_page.created'],
  'PUT /landing-page/:id': ['landing_page.updated product_id'],
  'POST /landing-page/:id/publish': ['landing_page.updated published_at'],
  'POST /landing-page/:id/unpublish': ['landing_page.updated published_at'],
  'DELETE /landing-page/:id': ['landing_page.deleted', 'order.updated landing_page'],
  'POST /order': ['order.created', 'product.updated variants.quantity'],
  'POST /order/claim': [],
  'POST /order/:id/confirmation': [
    'order.confirmed',
    'order.updated confirmation.at confirmation.attempts confirmation.by confirmation.state',
  ],
  'POST /order/:id/note': ['order.updated history'],
  'POST /order/:id/merge': [
    'order.updated cancelled_at is_cancelled',
    'order.updated quantity subtotal total variants',
  ],
  'PUT /order/:id/variants': [
    'order.updated deliveries.order_variants quantity subtotal total variants.quantity',
    'product.updated variants.quantity',
  ],
  'PUT /order/:id': ['order.updated is_archived'],
  'PUT /order/delivery/:deliveryId': ['order.updated deliveries.tracking_number'],
  'POST /order/:id/delivery': ['order.updated deliveries deliveries.order_variants.quantity'],
  'POST /order/:id/return': ['order.updated deliveries returns'],
  'POST /order/:id/refund': ['order.updated refunds'],
  'PUT /order/refund/:id': ['order.updated refunds.status'],
  'DELETE /order/:id': [
    'customer.updated amount_spent latest_order order_count',
    'order.deleted',
    'product.updated variants.quantity',
  ],
  'POST /parcel/result': [],
  'POST /parcel/cash': ['order.updated paid_at status'],
  'PUT /payment-method/:id': ['payment_method.updated name payment_types'],
  'POST /policy': ['policy.created'],
  'PUT /policy/:id': ['policy.updated content'],
  'DELETE /policy/:id': ['policy.deleted'],
  'POST /product': ['product.created'],
  'DELETE /product/:id': ['product.deleted'],
  'POST /review': ['review.created'],
  'PUT /review/:id': ['review.updated rating'],
  'DELETE /review/:id': ['review.deleted'],
  'PUT /setting': ['setting.changed'],
  'POST /shipping-carrier': ['shipping_carrier.created'],
  'PUT /shipping-carrier/:id': ['shipping_carrier.updated name'],
  'DELETE /shipping-carrier/:id': ['shipping_carrier.updated status'],
  'POST /stock': ['product.updated variants.quantity'],
  'POST /webhook': [],
  'PUT /webhook/:id': [],
  'POST /webhook/:id/rotate-secret': [],
  'POST /webhook/:id/replay': [],
  'POST /webhook/:id/pause': [],
  'POST /webhook/:id/resume': [],
  'POST /webhook/:id/test': [],
  'DELETE /webhook/:id': [],
}

/** Has two samples, of a product with options and of one without. */
const PRODUCT_UPDATES = [
  ['product.updated images options.values.value ugc_videos variants.image variants.price variants.title'],
  ['product.updated variants.file variants.price'],
]

// biome-ignore lint/suspicious/noExplicitAny: resources of every kind.
type Json = any

/** Resources by kind and id. */
type Copy = Map<string, Json>

const takeSnapshot = async (): Promise<{ copy: Copy; cursor: string }> => {
  const lines = (await store.all.get('/snapshot')).text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  const rows = lines.filter(({ data }) => data)
  return { copy: new Map(rows.map(({ type, data }) => [`${type} ${data.id}`, data])), cursor: lines.at(-1).cursor }
}

/** The events behind the cursor, which are also applied to the copy. */
const follow = async (copy: Copy, cursor: string) => {
  const { events, next_cursor } = (await store.all.get(`/event?cursor=${cursor}&page_size=200`)).body.data
  for (const { resource, data } of events) {
    const key = `${resource.kind} ${resource.id}`
    if (Object.keys(data).length === 1) copy.delete(key)
    else copy.set(key, data)
  }
  const brief: string[] = events.map(({ type, changed }: Json) => [type, ...changed].join(' '))
  return { events: [...new Set(brief)].sort(), cursor: next_cursor as string }
}

/** Other resources within a resource are reduced to their ids: their own events tell when they change. */
const withoutOthers = (copy: Copy): Json => {
  const ids = new Set([...copy.values()].map(({ id }) => id))
  for (const [key, { variants, default: single }] of copy)
    if (key.startsWith('product ')) for (const variant of [...variants, single]) ids.add(variant?.id)
  const reduce = (value: Json, kind: string, isWhole: boolean): Json => {
    if (Array.isArray(value)) return value.map((one) => reduce(one, kind, isWhole))
    if (typeof value !== 'object' || value === null) return value
    const isOther = !isWhole && ids.has(value.id) && !(kind === 'product' && 'price' in value)
    if (isOther) return value.id
    // The address of a file has a signature, and changes when it becomes public.
    const { url: _, thumbnail: __, ...fields } = value
    return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, reduce(field, kind, false)]))
  }
  return Object.fromEntries(
    [...copy].sort().map(([key, value]) => [key, reduce(value, key.split(' ')[0] as string, true)]),
  )
}

const isUpdate = ({ route }: Sample) => /^PUT |\/update$|\/(un)?publish$/.test(route)

/** Signals of orders follow the country of their store a moment later. */
const untilPhonesAreRead = () =>
  expect
    .poll(async () => {
      const { rows } = await sql`select from store where phones_country is distinct from country_id`.execute(
        store.api.db,
      )
      return rows.length
    })
    .toBe(0)

test('each write leaves exactly its events, which bring a copy up to date; the same update again leaves none', async () => {
  const updates = [...PRODUCT_UPDATES]
  let { copy, cursor } = await takeSnapshot()
  const writes = writesFor(store)
  for (const sample of writes) {
    const { status } = await send(store, sample)
    await untilPhonesAreRead()
    const seen = await follow(copy, cursor)
    const isRefused = sample.refused || status >= 400
    const expected = isRefused
      ? []
      : sample.route === 'POST /product/:id/update'
        ? updates.shift()
        : EVENTS[sample.route]
    expect(seen.events, sample.route).toEqual(expected)
    const now = await takeSnapshot()
    expect(withoutOthers(copy), sample.route).toEqual(withoutOthers(now.copy))
    copy = now.copy
    cursor = seen.cursor
    if (!isUpdate(sample)) continue
    expect((await send(store, sample)).status, sample.route).toBe(200)
    const again = await follow(copy, cursor)
    expect(again.events, `${sample.route}, again`).toEqual([])
    expect((await takeSnapshot()).copy, `${sample.route}, again`).toEqual(now.copy)
    cursor = again.cursor
  }
  // Signed by the operator's payment service; plans.test.ts sends it.
  const tried = new Set([...writes.map(({ route }) => route), 'POST /billing/paid'])
  expect(writeRoutes(store.api).filter((route) => !tried.has(route))).toEqual([])
})
