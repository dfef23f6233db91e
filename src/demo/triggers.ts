import { randomUUID } from 'node:crypto'

// biome-ignore lint/suspicious/noExplicitAny: resources of every kind.
type Resource = any

/** Sends a request of the demo app and returns the `data` of the reply. */
export type Send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => Promise<Resource>

/** Makes something happen in the demo store, by the same requests as an app's. */
export type Trigger = (send: Send) => Promise<unknown>

/** Different on each run: slugs, codes and hosts are unique. */
const word = () => randomUUID().slice(0, 8)

const UNITS = 10

/** A variant with stock. If all are sold, more of the first one arrive. */
const sellableVariant = async (send: Send): Promise<string> => {
  const { products } = await send('GET', '/product?status=active&page_size=50&fields=default.id,default.quantity')
  const variants: { id: string; quantity: number }[] = products.map(({ default: own }: Resource) => own).filter(Boolean)
  const inStock = variants.find(({ quantity }) => quantity > 0)
  if (inStock) return inStock.id
  const [first] = variants
  if (!first) return (await addProduct(send)).default.id
  await send('POST', '/stock', { stock: [{ variant_id: first.id, delta: UNITS - first.quantity }] })
  return first.id
}

const addOrder = async (send: Send, more: object = {}): Promise<Resource> => {
  const variant_id = await sellableVariant(send)
  const { order } = await send('POST', '/order', {
    customer_first_name: 'Salma',
    customer_last_name: 'Trabelsi',
    customer_email: 'salma.trabelsi@customer.example',
    customer_phone: '+21620123456',
    customer_address: '12 avenue Habib Bourguiba',
    customer_city: 'Tunis',
    variants: [{ variant_id, quantity: 1 }],
    ...more,
  })
  return order
}

const addProduct = async (send: Send): Promise<Resource> =>
  (await send('POST', '/product', { title: `Trigger ${word()}`, price: 12.5, quantity: UNITS })).product

const firstOf = async (send: Send, path: string, key: string): Promise<Resource> =>
  (await send('GET', `${path}?page_size=1`))[key][0]

const deliverOrder = async (send: Send, status: string) => {
  const order = await addOrder(send)
  const delivery = order.deliveries[0] ?? (await send('POST', `/order/${order.id}/delivery`)).delivery
  await send('PUT', `/order/delivery/${delivery.id}`, { status })
}

const returnOrder = async (send: Send) => {
  const order = await addOrder(send, { status: 'paid' })
  const variants = [{ order_variant_id: order.variants[0].id, quantity: 1 }]
  return { order, made: (await send('POST', `/order/${order.id}/return`, { variants })).return }
}

const confirmOrder = (result: string) => async (send: Send) => {
  const { id } = await addOrder(send)
  await send('POST', `/order/${id}/confirmation`, { result })
}

const changeOrder = (changes: object) => async (send: Send) => {
  const { id } = await addOrder(send)
  await send('PUT', `/order/${id}`, changes)
}

/** Creates, changes and deletes a resource of its own, so that nothing of the demo store is lost. */
const lifeOf = (
  kind: string,
  path: string,
  create: (send: Send) => Promise<Resource>,
  changes: object | ((resource: Resource) => object),
  update: (id: string) => readonly ['POST' | 'PUT', string] = (id) => ['PUT', `${path}/${id}`],
): [string, Trigger][] => [
  [`${kind}.created`, create],
  [
    `${kind}.updated`,
    async (send) => {
      const resource = await create(send)
      await send(...update(resource.id), typeof changes === 'function' ? changes(resource) : changes)
    },
  ],
  [
    `${kind}.deleted`,
    async (send) => {
      const { id } = await create(send)
      await send('DELETE', `${path}/${id}`)
    },
  ],
]

const created =
  (path: string, key: string, body: (send: Send) => object | Promise<object>) =>
  async (send: Send): Promise<Resource> =>
    (await send('POST', path, await body(send)))[key]

const withProduct = (more: () => object) => async (send: Send) => ({
  product_id: (await addProduct(send)).id,
  ...more(),
})

/** What `event trigger` can make happen, by its name: types of events, and what an order usually goes through. */
export const TRIGGERS: ReadonlyMap<string, Trigger> = new Map<string, Trigger>([
  ['order.created', (send) => addOrder(send)],
  ['order.paid', changeOrder({ status: 'paid' })],
  ['order.updated', changeOrder({ is_archived: true })],
  ['order.confirmed', confirmOrder('confirmed')],
  ['order.refused', confirmOrder('refused')],
  ['order.shipped', (send) => deliverOrder(send, 'shipped')],
  ['order.delivered', (send) => deliverOrder(send, 'delivered')],
  ['order.returned', returnOrder],
  [
    'order.refunded',
    async (send) => {
      const { order, made } = await returnOrder(send)
      const { refund } = await send('POST', `/order/${order.id}/refund`, { return_id: made.id, amount: 1 })
      await send('PUT', `/order/refund/${refund.id}`, { status: 'refunded' })
    },
  ],
  ['order.cancelled', changeOrder({ is_cancelled: true })],
  [
    'order.deleted',
    async (send) => {
      const { id } = await addOrder(send)
      await send('DELETE', `/order/${id}`)
    },
  ],
  ...lifeOf('product', '/product', addProduct, { price: 14 }, (id) => ['POST', `/product/${id}/update`]),
  [
    'product.sold_out',
    async (send) => {
      const { default: variant } = await addProduct(send)
      await send('POST', '/stock', { stock: [{ variant_id: variant.id, delta: -UNITS }] })
    },
  ],
  ...lifeOf(
    'category',
    '/category',
    created('/category', 'category', () => ({ name: `Trigger ${word()}` })),
    () => ({ name: `Changed ${word()}` }),
  ),
  ...lifeOf(
    'customer',
    '/customer',
    created('/customer', 'customer', () => ({ name: 'Salma Trabelsi', email: `trigger-${word()}@customer.example` })),
    { city: 'Sousse' },
  ),
  ...lifeOf(
    'review',
    '/review',
    created(
      '/review',
      'review',
      withProduct(() => ({ content: 'Very good.', rating: 5, reviewer_name: 'Salma' })),
    ),
    { rating: 4 },
  ),
  ...lifeOf(
    'landing_page',
    '/landing-page',
    created(
      '/landing-page',
      'landing_page',
      withProduct(() => ({ title: `Trigger ${word()}` })),
    ),
    { title: 'Changed' },
  ),
  ...lifeOf(
    'bundle',
    '/bundle',
    created(
      '/bundle',
      'bundle',
      withProduct(() => ({ name: 'More for less', options: [{ name: 'Two', quantity: 2, price: 20 }] })),
    ),
    { name: 'Even more for less' },
  ),
  ...lifeOf(
    'policy',
    '/policy',
    created('/policy', 'policy', () => ({ type: 'custom', title: `Trigger ${word()}` })),
    { content: 'Changed.' },
  ),
  ...lifeOf(
    'domain',
    '/domain',
    created('/domain', 'domain', () => ({ host: `trigger-${word()}.example` })),
    () => ({ host: `changed-${word()}.example` }),
  ),
  [
    'shipping_carrier.created',
    created('/shipping-carrier', 'carrier', () => ({ name: 'Trigger', code: `trigger-${word()}` })),
  ],
  [
    'shipping_carrier.updated',
    async (send) => {
      const body = { name: 'Trigger', code: `trigger-${word()}` }
      const { carrier } = await send('POST', '/shipping-carrier', body)
      await send('PUT', `/shipping-carrier/${carrier.id}`, { name: 'Changed' })
    },
  ],
  [
    'payment_method.updated',
    async (send) => {
      const { id, name } = await firstOf(send, '/payment-method', 'payment_methods')
      const marked = name.endsWith(' *') ? name.slice(0, -2) : `${name} *`
      await send('PUT', `/payment-method/${id}`, { name: marked })
    },
  ],
  [
    'file.updated',
    async (send) => {
      const { id } = await firstOf(send, '/file', 'files')
      await send('PUT', `/file/${id}`, { alt: `Changed ${word()}` })
    },
  ],
])
