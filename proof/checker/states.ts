import type { Json } from '../record.ts'

/** The part of each resource that the model follows, taken from a reply. The rest belongs to other resources or to clocks. */

export const variantsOf = (product: Json): Json[] => {
  const all = [...(product.variants ?? []), ...(product.default ? [product.default] : [])]
  return all.filter((variant, at) => all.findIndex(({ id }) => id === variant.id) === at)
}

export interface ModelLine {
  id: string
  variant: string
  quantity: number
  price: number
  /** Units taken from stock, restocked ones included: not shown by the API. */
  taken: number
}

const lineShown = ({ id, quantity }: Json) => ({ id, quantity })

const deliveryShown = (delivery: Json) => ({
  id: delivery.id,
  status: delivery.status,
  tracking_number: delivery.tracking_number,
  lines: delivery.order_variants.map(lineShown),
})

export const returnShown = (returned: Json) => ({
  id: returned.id,
  reason: returned.reason,
  delivery: returned.delivery && deliveryShown(returned.delivery),
  lines: returned.return_variants.map((line: Json) => ({
    line: line.order_variant_id,
    quantity: line.quantity,
    restock: line.restock,
  })),
})

export const refundShown = ({ id, status, amount, reason }: Json) => ({ id, status, amount, reason })

const ORDER_FIELDS = [
  ...['status', 'currency', 'is_cancelled', 'is_archived', 'customer_email', 'customer_first_name', 'customer_address'],
  ...[
    'customer_id',
    'meta_data',
    'shipping_rate',
    'discount',
    'fee',
    'tip',
    'subtotal',
    'total',
    'quantity',
    'created_at',
  ],
]
const CUSTOMER_FIELDS = [
  'name',
  'email',
  'phone',
  'address',
  'city',
  'order_count',
  'amount_spent',
  'subscription_status',
]
const PRODUCT_FIELDS = ['title', 'slug', 'description', 'status', 'stock_tracked', 'allow_order_when_oos']
/** Resources of one row: what they show of others, and what a clock decides. */
const NOT_OWN = ['updated_at', 'product', 'images', 'domain', 'url', 'screenshot_url', 'product_count', 'order_count']

const pick = (body: Json, fields: readonly string[]) => Object.fromEntries(fields.map((field) => [field, body[field]]))

/** Entries of one write have no sequence: those of one app that follow each other are sorted by what they are about. */
export const sortedHistory = (entries: Json[]): Json[] => {
  let run = 0
  return entries
    .map(({ app_id, subject, subject_id, from, to }, at) => {
      if (at > 0 && entries[at - 1].app_id !== app_id) run++
      return { run, entry: { app_id, subject, subject_id, from, to } }
    })
    .sort(
      (a, b) => a.run - b.run || (a.entry.subject < b.entry.subject ? -1 : a.entry.subject > b.entry.subject ? 1 : 0),
    )
    .map(({ entry }) => entry)
}

/** What a reply shows of a resource, as far as the model follows it. */
export const shownState = (kind: string, body: Json): Json => {
  if (kind === 'customer') return pick(body, CUSTOMER_FIELDS)
  if (kind === 'product')
    return {
      ...pick(body, PRODUCT_FIELDS),
      variants: variantsOf(body)
        .map(({ id, price, quantity }) => ({ id, price, quantity }))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    }
  if (kind === 'order')
    return {
      ...pick(body, ORDER_FIELDS),
      lines: body.variants.map(({ id, quantity, price }: Json) => ({ id, quantity, price })),
      deliveries: body.deliveries.map(deliveryShown),
      returns: body.returns.map(returnShown),
      refunds: body.refunds.map(refundShown),
      history: sortedHistory(body.history),
    }
  return Object.fromEntries(Object.entries(body).filter(([field]) => !NOT_OWN.includes(field)))
}

/** A value that nobody could know: it equals every other. */
export const ANY = '\u0000any'

/** Compares values of JSON, whatever the sequence of their fields is. Returns the first path that differs. */
export const differs = (one: Json, other: Json, path = ''): string | undefined => {
  if (one === other || one === ANY || other === ANY) return undefined
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return `${path || 'value'}: ${JSON.stringify(one)} instead of ${JSON.stringify(other)}`
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  for (const name of names) {
    const found = differs(one[name], other[name], path ? `${path}.${name}` : name)
    if (found) return found
  }
  return undefined
}

/** Money in thousandths. */
export const thousandths = (amount: number) => Math.round(amount * 1000)
export const money = (amount: number) => amount / 1000
