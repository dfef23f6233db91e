import type { Random } from '../random.ts'
import type { Json, WriteKind } from '../record.ts'
import { type KnownOrder, type Pool, recent } from './pool.ts'

export interface Draft {
  kind: WriteKind
  method: string
  path: string
  body?: Json
  /** Kind of the resource in the feed. */
  resource: string | null
  id?: string
  /** Key of the resource in `data` of the reply. */
  shown?: string
  /** It makes parts with ids that only the reply tells, so it is retried until it is answered. */
  mustBeAnswered?: boolean
}

/** Resources of one row whose fields are stored as they are given. */
export const PLAIN: Record<
  string,
  {
    path: string
    fields: (mark: string, random: Random, pool: Pool) => Json
    shared?: (random: Random) => Json
    shown: string
  }
> = {
  category: {
    path: '/category',
    shown: 'category',
    fields: (mark) => ({ name: `Category ${mark}` }),
    // A name belongs to one category: some of these are refused.
    shared: (random) => ({ name: `Shared ${random.below(4)}` }),
  },
  review: {
    path: '/review',
    shown: 'review',
    fields: (mark, random, pool) => ({
      product_id: pool.products[0]?.id,
      content: `Review ${mark}`,
      rating: 1 + random.below(5),
      reviewer_name: 'Amel',
      status: random.pick(['pending', 'hidden', 'published']),
    }),
  },
  policy: {
    path: '/policy',
    shown: 'policy',
    fields: (mark) => ({ title: `Policy ${mark}`, content: `Text ${mark}` }),
  },
  landing_page: {
    path: '/landing-page',
    shown: 'landing_page',
    fields: (mark, _, pool) => ({ title: `Page ${mark}`, slug: `page-${mark}`, product_id: pool.products[0]?.id }),
  },
  shipping_carrier: {
    path: '/shipping-carrier',
    shown: 'carrier',
    fields: (mark) => ({ name: `Carrier ${mark}`, code: `c-${mark}` }),
  },
}

/** What a change of these must not name again. */
const FIXED = ['product_id', 'slug', 'code', 'reviewer_name']
const SHARED_EMAILS = 12

type Make = (mark: string, random: Random, pool: Pool) => Draft | undefined

/** Often the newest, so that several writes meet at one order. */
const order = (random: Random, pool: Pool): KnownOrder | undefined => {
  const known = recent(pool.orders)
  return random.chance(0.3) ? known.at(-1) : known.length > 0 ? random.pick(known) : undefined
}

const email = (random: Random) => `buyer${random.below(SHARED_EMAILS)}@shop.example`

const createOrder: Make = (mark, random, pool) => {
  const products = Array.from({ length: 1 + random.below(3) }, () => random.pick(pool.products.slice(0, 6)))
  return {
    kind: 'createOrder',
    method: 'POST',
    path: '/order',
    resource: 'order',
    shown: 'order',
    body: {
      status: random.pick(['pending', 'pending', 'paid', 'paid', 'abandoned']),
      ...(random.chance(0.7) && { customer_email: email(random) }),
      customer_first_name: 'Buyer',
      customer_address: mark,
      meta_data: { mark },
      ...(random.chance(0.3) && { shipping_rate: random.below(9_000) / 1000, fee: random.below(900) / 100 }),
      ...(random.chance(0.3) && { discount: random.below(20_000) / 1000 }),
      ...(random.chance(0.2) && { tip_type: 'percent', tip_value: random.below(30) }),
      variants: products.map(({ variants }) => ({ variant_id: random.pick(variants), quantity: 1 + random.below(3) })),
    },
  }
}

const updateOrder: Make = (mark, random, pool) => {
  const known = order(random, pool)
  if (!known) return undefined
  return {
    kind: 'updateOrder',
    method: 'PUT',
    path: `/order/${known.id}`,
    resource: 'order',
    id: known.id,
    shown: 'order',
    body: {
      meta_data: { mark },
      ...(random.chance(0.4) && { status: random.pick(['pending', 'paid', 'abandoned']) }),
      ...(random.chance(0.4) && { is_cancelled: random.chance(0.5) }),
      ...(random.chance(0.2) && { is_archived: random.chance(0.5) }),
      ...(random.chance(0.2) && { customer_email: email(random) }),
    },
  }
}

const ofOrder = (known: KnownOrder, kind: WriteKind, part: string, body: Json): Draft => ({
  kind,
  method: 'POST',
  path: `/order/${known.id}/${part}`,
  resource: 'order',
  id: known.id,
  shown: part,
  mustBeAnswered: true,
  body,
})

const MAKERS: [number, Make][] = [
  [14, createOrder],
  [16, updateOrder],
  [
    4,
    (_, random, pool) => {
      const known = order(random, pool)
      return (
        known && { kind: 'deleteOrder', method: 'DELETE', path: `/order/${known.id}`, resource: 'order', id: known.id }
      )
    },
  ],
  [
    8,
    (mark, random, pool) => {
      const known = order(random, pool)
      if (!known || known.deliveries.length === 0) return undefined
      const status = random.pick(['unfulfilled', 'fulfilled', 'shipped', 'delivered', 'cancelled'])
      const tracking = { tracking_number: mark, shipping_carrier: pool.carriers[0] }
      return {
        kind: 'updateDelivery',
        method: 'PUT',
        path: `/order/delivery/${random.pick(known.deliveries)}`,
        resource: 'order',
        id: known.id,
        shown: 'delivery',
        body: random.chance(0.5) ? { status, ...tracking } : tracking,
      }
    },
  ],
  [
    3,
    (_, random, pool) => {
      const known = order(random, pool)
      const line = known && random.pick(known.lines)
      return (
        line && ofOrder(known, 'splitDelivery', 'delivery', { variants: [{ order_variant_id: line.id, quantity: 1 }] })
      )
    },
  ],
  [
    5,
    (mark, random, pool) => {
      const known = order(random, pool)
      const line = known && random.pick(known.lines)
      const variant = line && { order_variant_id: line.id, quantity: 1, restock: random.chance(0.6) }
      return variant && ofOrder(known, 'returnOrder', 'return', { reason: mark, variants: [variant] })
    },
  ],
  [
    5,
    (mark, random, pool) => {
      const known = order(random, pool)
      return known && ofOrder(known, 'refundOrder', 'refund', { reason: mark, amount: 1 + random.below(5_000) / 1000 })
    },
  ],
  [
    4,
    (mark, random, pool) => {
      const known = order(random, pool)
      if (!known || known.refunds.length === 0) return undefined
      const status = random.pick(['pending', 'refunded'])
      const path = `/order/refund/${random.pick(known.refunds)}`
      const body = { status, reason: mark }
      return { kind: 'updateRefund', method: 'PUT', path, resource: 'order', id: known.id, shown: 'refund', body }
    },
  ],
  [
    16,
    (_, random, pool) => {
      const hot = pool.products.slice(0, 6)
      const lines = Array.from({ length: 1 + random.below(3) }, () => random.pick(random.pick(hot).variants))
      const stock = [...new Set(lines)].map((variant_id) =>
        random.chance(0.85)
          ? { variant_id, delta: random.chance(0.55) ? 1 + random.below(4) : -1 - random.below(4) }
          : { variant_id, quantity: random.below(12) },
      )
      const path = `/stock${random.chance(0.3) ? '?atomic=true' : ''}`
      return { kind: 'updateStock', method: 'POST', path, resource: null, shown: 'stock', body: { stock } }
    },
  ],
  [
    6,
    (mark, random) => ({
      kind: 'createCustomer',
      method: 'POST',
      path: '/customer',
      resource: 'customer',
      shown: 'customer',
      body: { email: random.chance(0.2) ? email(random) : `${mark}@shop.example`, name: 'Customer', address: mark },
    }),
  ],
  [
    9,
    (mark, random, pool) => {
      if (pool.customers.length === 0) return undefined
      const id = random.pick(recent(pool.customers))
      const body = { address: mark, ...(random.chance(0.5) && { city: random.pick(['Tunis', 'Sfax', 'Oran']) }) }
      return {
        kind: 'updateCustomer',
        method: 'PUT',
        path: `/customer/${id}`,
        resource: 'customer',
        id,
        shown: 'customer',
        body,
      }
    },
  ],
  [
    2,
    (mark, random) => ({
      kind: 'createProduct',
      method: 'POST',
      path: '/product',
      resource: 'product',
      shown: 'product',
      body: {
        title: `Product ${mark}`,
        default: { price: 1 + random.below(90_000) / 1000, quantity: random.below(50) },
      },
    }),
  ],
  [
    5,
    (mark, random, pool) => {
      const { id } = random.pick(pool.products.slice(0, 12))
      const body = { title: `Product ${mark}`, ...(random.chance(0.3) && { description: mark }) }
      return {
        kind: 'updateProduct',
        method: 'POST',
        path: `/product/${id}/update`,
        resource: 'product',
        id,
        shown: 'product',
        body,
      }
    },
  ],
  [
    1,
    (_, random, pool) => {
      const spare = pool.products.slice(12)
      if (spare.length === 0) return undefined
      const { id } = random.pick(spare)
      return { kind: 'deleteProduct', method: 'DELETE', path: `/product/${id}`, resource: 'product', id }
    },
  ],
  [
    5,
    (mark, random, pool) => {
      const kind = random.pick(Object.keys(PLAIN))
      const { path, fields, shared, shown } = PLAIN[kind] as (typeof PLAIN)[string]
      const body = shared && random.chance(0.5) ? shared(random) : fields(mark, random, pool)
      return { kind: 'createPlain', method: 'POST', path, resource: kind, shown, body }
    },
  ],
  [
    6,
    (mark, random, pool) => {
      const kind = random.pick(Object.keys(PLAIN))
      const { path, fields, shown } = PLAIN[kind] as (typeof PLAIN)[string]
      const ids = recent(pool.plain[kind] ?? [])
      if (ids.length === 0) return undefined
      const id = random.pick(ids)
      const given = Object.entries(fields(mark, random, pool)).filter(([name]) => !FIXED.includes(name))
      return {
        kind: 'updatePlain',
        method: 'PUT',
        path: `${path}/${id}`,
        resource: kind,
        id,
        shown,
        body: Object.fromEntries(given),
      }
    },
  ],
  [
    2,
    (_, random, pool) => {
      const kind = random.pick(Object.keys(PLAIN))
      const ids = recent(pool.plain[kind] ?? []).slice(1)
      if (ids.length === 0) return undefined
      const id = random.pick(ids)
      return { kind: 'deletePlain', method: 'DELETE', path: `${PLAIN[kind]?.path}/${id}`, resource: kind, id }
    },
  ],
]

const TOTAL = MAKERS.reduce((sum, [weight]) => sum + weight, 0)

/** A random write over what exists. `mark` is a value that no other write sets. */
export const draftWrite = (mark: string, random: Random, pool: Pool): Draft => {
  for (;;) {
    let at = random.below(TOTAL)
    const [, make] = MAKERS.find(([weight]) => {
      at -= weight
      return at < 0
    }) as (typeof MAKERS)[number]
    const draft = make(mark, random, pool)
    if (draft) return draft
  }
}
