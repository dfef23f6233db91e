import pg from 'pg'
import { APP } from './data.mjs'
import { api } from './paths.mjs'

/** An order that meets the condition, with its delivery and a line of two units. */
const orderThat = async (client, condition) => {
  const { rows } = await client.query(`
    select o.id, d.id as delivery, l.id as line from orders o
    join bench_shop s on s.id = o.store_id and s.shop = 1
    join delivery d on d.store_id = o.store_id and d.order_id = o.id
    join order_line l on l.store_id = o.store_id and l.order_id = o.id and l.quantity = 2
    where ${condition} and not o.is_cancelled order by md5(o.id::text) limit 1`)
  return rows[0]
}

/** A picture of one pixel. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==',
  'base64',
)

const upload = (fields) => {
  const part = (name, more = '') => `--plans\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`
  const texts = Object.entries(fields).map(([name, value]) => `${part(name)}${value}\r\n`)
  const head = `${texts.join('')}${part('file', '; filename="plan.png"')}`
  return {
    type: 'multipart/form-data; boundary=plans',
    body: Buffer.concat([Buffer.from(head), PICTURE, Buffer.from('\r\n--plans--\r\n')]),
  }
}

/**
 * One request for each endpoint that writes, in an order in which all succeed, and the reads that depend on them.
 */
export const writes = async (connection, targets, headers) => {
  const client = new pg.Client(connection)
  await client.connect()
  const unsent = await orderThat(client, `d.status = 'unfulfilled'`)
  const sent = await orderThat(client, `d.status = 'delivered' and o.status = 'paid'`)
  const { rows } = await client.query('select file_id, product_id from file_link where file_id = any($1)', [
    targets.file,
  ])
  const linked = rows.at(-1)
  await client.end()
  const json = { ...headers, 'Content-Type': 'application/json' }
  const send = (method, path, body) => ({
    name: `${method} ${path.replaceAll(/[0-9a-f-]{36}/g, '{id}')}`,
    method,
    path: path.startsWith('{') ? path : `${api}${path}`,
    headers: body ? json : headers,
    body: body && JSON.stringify(body),
  })
  const form = (path, { type, body }) => ({
    ...send('POST', path),
    headers: { ...headers, 'Content-Type': type },
    body,
  })
  const once = (request) => ({ ...request, headers: { ...request.headers, 'Idempotency-Key': 'plans' } })
  const { product, customer, review, page, file, variants } = targets
  const lines = (id, quantity = 1) => [{ order_variant_id: id, quantity }]
  return [
    send('POST', '/auth/get-token', APP),
    send('POST', '/customer', { email: 'plans@example.com', phone: '+216 20 123 456' }),
    send('PUT', `/customer/${customer[0]}`, { name: 'Another Name' }),
    send('POST', '/product', { title: 'Plan', variants: [{ price: 1 }] }),
    send('POST', `/product/${product[0]}/update`, { title: 'Another title' }),
    send('POST', '/review', { product_id: product[0], rating: 5, content: 'Good', reviewer_name: 'Amel' }),
    send('PUT', `/review/${review[0]}`, { status: 'published' }),
    send('DELETE', `/review/${review[1]}`),
    send('POST', '/landing-page', { title: 'Offer', slug: 'plan', product_id: product[0] }),
    send('PUT', `/landing-page/${page[0]}`, { title: 'Another offer' }),
    send('POST', `/landing-page/${page[0]}/publish`),
    send('DELETE', `/landing-page/${page[1]}`),
    form('/file', upload({ fileable_type: 'product', fileable_id: product[0] })),
    send('GET', '{data.file.permanent_url}'),
    send('GET', '{data.file.thumbnail}'),
    send('POST', `/file/${file[0]}`),
    send('DELETE', `/file/${linked.file_id}/link/product/${linked.product_id}`),
    once({
      ...send('POST', '/order', {
        customer_email: 'plans@example.com',
        variants: variants.slice(0, 2).map((variant_id) => ({ variant_id, quantity: 1 })),
      }),
    }),
    send('PUT', `/order/${unsent.id}`, { customer_first_name: 'Amel', is_archived: true }),
    send('POST', `/order/${unsent.id}/delivery`, { variants: lines(unsent.line) }),
    send('PUT', `/order/delivery/${unsent.delivery}`, { status: 'shipped' }),
    send('POST', `/order/${sent.id}/return`, { variants: lines(sent.line) }),
    send('POST', `/order/${sent.id}/refund`, { amount: 1 }),
    send('PUT', '/order/refund/{data.refund.id}', { status: 'refunded' }),
  ]
}
