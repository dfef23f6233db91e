import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { createCarrier } from '../../src/carriers/manage-carriers.ts'
import { createCategory } from '../../src/categories/manage-categories.ts'
import { startTestApi } from '../support/api.ts'
import { form, picture } from '../support/uploads.ts'

/** A store that has something of everything an id can name. */
export const createFullStore = async () => {
  const api = await startTestApi()
  const all = await api.as()
  const own = { store_id: api.store.id }
  const make = async (path: string, body: unknown) => {
    const reply = await all.post(path, body)
    expect([200, 201], `${path}: ${reply.text}`).toContain(reply.status)
    return reply.body.data
  }
  const pdf = Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n')
  const image = (await make('/file', form({ file: { name: 'a.png', bytes: await picture() } }))).file
  const spare = (await make('/file', form({ file: { name: 'b.png', bytes: await picture() } }))).file
  const document = (await make('/file', form({ file: { name: 'c.pdf', bytes: pdf } }))).file
  const film = await readFile('src/demo/media/lamp-car.webm')
  const video = (await make('/file', form({ file: { name: 'd.webm', bytes: film } }))).file
  const category = await createCategory(api.db, api.store.id, `Kitchen ${randomUUID()}`)
  const { product } = await make('/product', {
    title: 'Mug',
    category_id: category.id,
    images: [{ id: image.id }],
    properties: [{ name: 'Clay', value: 'red' }],
    options: [{ order: 1, name: 'Size', values: [{ value: 'S' }, { value: 'L' }] }],
    variants: ['S', 'L'].map((value) => ({
      price: 10,
      quantity: 50,
      file: document.id,
      values: [{ order: 1, value }],
    })),
  })
  const simple = (await make('/product', { title: 'Hat', default: { price: 5, quantity: 50 } })).product
  const domain = await api.db
    .insertInto('domain')
    .values({ ...own, host: `${randomUUID()}.example` })
    .returning('id')
    .executeTakeFirstOrThrow()
  const payment = await api.db
    .insertInto('payment_method')
    .values({ ...own, name: 'Card' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const page = (await make('/landing-page', { title: 'Mugs', product_id: product.id, domain_id: domain.id }))
    .landing_page
  const carrier = await createCarrier(api.db, api.store.id, { name: 'Swift', code: randomUUID() })
  const { customer } = await make('/customer', { email: `${randomUUID()}@shop.example` })
  const { review } = await make('/review', {
    product_id: product.id,
    content: 'Fine',
    rating: 5,
    reviewer_name: 'Amel',
    image_ids: [image.id],
  })
  const { order } = await make('/order', {
    status: 'paid',
    customer_email: `${randomUUID()}@shop.example`,
    landing_page_id: page.id,
    payment_method_id: payment.id,
    variants: [{ variant_id: product.variants[0].id, quantity: 6 }],
  })
  const line = order.variants[0].id as string
  const returned = (await make(`/order/${order.id}/return`, { variants: [{ order_variant_id: line, quantity: 1 }] }))
    .return
  const { refund } = await make(`/order/${order.id}/refund`, { return_id: returned.id, amount: 1 })
  return {
    api,
    all,
    image,
    spare,
    document,
    video,
    category,
    product,
    simple,
    domain,
    payment,
    page,
    carrier,
    customer,
    review,
    order,
    line,
    returned,
    refund,
  }
}

export type FullStore = Awaited<ReturnType<typeof createFullStore>>

/** One id of every kind the store has, read from the tables themselves: a new table is a new kind. */
export const idsOf = async ({ api }: FullStore): Promise<Record<string, string>> => {
  const { rows: tables } = await sql<{ name: string }>`
    select c.relname::text as name from pg_class c
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and exists (
      select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'store_id')
    and exists (
      select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'id' and a.atttypid = 'uuid'::regtype)
    order by 1`.execute(api.db)
  const ids: Record<string, string> = { store: api.store.id }
  for (const { name } of tables) {
    const { rows } = await sql<{ id: string }>`
      select id from ${sql.table(name)} where store_id = ${api.store.id} order by id limit 1`.execute(api.db)
    if (rows[0]) ids[name] = rows[0].id
  }
  return ids
}
