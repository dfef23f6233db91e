import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { isOnCitus } from '../../../tests/support/citus.ts'
import { addProduct } from '../../../tests/support/products.ts'

// What triggers count, whoever writes the rows and however many a statement adds.

/** The counters of orders and customers that are not 0. */
const countersOf = async (api: TestApi) => {
  const { rows } = await sql<{ name: string; total: number }>`
    select kind || ':' || facet as name, sum(delta)::int as total from tally
    where store_id = ${api.store.id} and kind in ('orders', 'customer') and facet not similar to '(day|updated)=%'
    group by 1 having sum(delta) <> 0`.execute(api.db)
  return Object.fromEntries(rows.map(({ name, total }) => [name, total]))
}

const states = (status: string, archived = false) => `&status=${status}&is_cancelled=false&is_archived=${archived}&`

const ordersOf = (counts: Record<string, number>) =>
  Object.fromEntries(Object.entries(counts).map(([facet, total]) => [`orders:${facet}`, total]))

test('a statement of one order, of several, of several stores or of none is counted exactly', async ({ skip }) => {
  skip(isOnCitus, 'a statement adds rows of one store there')
  const [mine, other] = [await startTestApi(), await startTestApi()]
  const { db } = mine
  await sql`insert into orders (store_id, ref, currency, delivery_statuses)
    values (${mine.store.id}, 'ONE', 'TND', '{unfulfilled,shipped}')`.execute(db)
  const delivered = { [`${states('pending')}delivery_status=unfulfilled&delivery_status=shipped&`]: 1 }
  expect(await countersOf(mine)).toEqual(ordersOf({ '': 1, ...delivered }))

  await sql`insert into orders (store_id, ref, currency, status, is_archived) values
    (${mine.store.id}, 'TWO', 'TND', 'paid', true), (${mine.store.id}, 'THREE', 'TND', 'pending', false),
    (${other.store.id}, 'FOUR', 'TND', 'paid', false)`.execute(db)
  const three = { '': 3, [states('pending')]: 1, [states('paid', true)]: 1, ...delivered }
  expect(await countersOf(mine)).toEqual(ordersOf(three))
  expect(await countersOf(other)).toEqual(ordersOf({ '': 1, [states('paid')]: 1 }))

  await sql`insert into orders (store_id, ref, currency) values (${mine.store.id}, 'ONE', 'TND')
    on conflict do nothing`.execute(db)
  await expect(
    db.transaction().execute(async (db) => {
      await sql`insert into orders (store_id, ref, currency) values (${mine.store.id}, 'FIVE', 'TND')`.execute(db)
      throw new Error('rolled back')
    }),
  ).rejects.toThrow('rolled back')
  expect(await countersOf(mine)).toEqual(ordersOf(three))

  await sql`delete from orders where ref in ('ONE', 'THREE', 'FOUR')`.execute(db)
  expect(await countersOf(mine)).toEqual(ordersOf({ '': 1, [states('paid', true)]: 1 }))
  expect(await countersOf(other)).toEqual({})
})

test('a customer whom an order creates is counted once, and not again by the next order', async () => {
  const api = await startTestApi()
  for (let n = 0; n < 2; n++)
    await api.as().post('/order', { customer_email: 'amel@example.com', customer_first_name: 'Amel', country_id: 'TN' })
  expect(await countersOf(api)).toMatchObject({ 'customer:': 1, 'customer:country=TN': 1, 'orders:': 2 })
})

/** What the stored changes add up to, and what the rows count for: name of the figure, its sum. */
const figuresOf = async (api: TestApi) => {
  const added = await sql<{ name: string; total: string }>`
    select concat_ws(' ', c.kind, c.key, c.currency, c.at, f.key) as name, trim_scale(sum(c.times * f.value::numeric)) as total
    from analytic_change c, jsonb_each_text(c.counts) f where c.store_id = ${api.store.id} and f.key <> 'first_orders'
    group by 1 having sum(c.times * f.value::numeric) <> 0 order by 1`.execute(api.db)
  const counted = await sql<{ name: string; total: string }>`
    select concat_ws(' ', c.kind, c.key, c.currency, c.at, f.key) as name, trim_scale(sum(f.value::numeric)) as total
    from orders o, unnest(all_counts(o, 1)) c, jsonb_each_text(c.counts) f where o.store_id = ${api.store.id}
    group by 1 having sum(f.value::numeric) <> 0 order by 1`.execute(api.db)
  return { added: added.rows, counted: counted.rows }
}

test('new orders, lines and deliveries of every kind count for what their rows say', async ({ skip }) => {
  skip(isOnCitus, 'a statement adds rows of one store there')
  const [mine, other] = [await startTestApi(), await startTestApi()]
  const { db } = mine
  for (const api of [mine, other]) {
    const goods = await addProduct(api)
    const { rows } = await sql<{ id: string }>`insert into landing_page (store_id, product_id, title, slug)
      values (${api.store.id}, ${goods.id}, 'Page', 'page') returning id`.execute(db)
    const page = rows[0]?.id
    await sql`insert into orders (store_id, ref, currency, status, is_cancelled, cancelled_at, paid_at, landing_page_id,
        customer_city, quantity, total, created_at, delivery_statuses)
      select ${api.store.id}, concat_ws('-', s, c, p, d), 'TND', s, c, case when c then now() end,
        case when s = 'paid' then timestamptz '2026-03-04T05:06:07Z' end, p, ' Sfax ', 3, 7.5, '2026-03-01T10:20:00Z', d
      from unnest('{pending,paid,abandoned}'::text[]) s, unnest('{true,false}'::boolean[]) c,
        unnest(array[null, ${page}::uuid]) p, (values ('{}'::text[]), ('{delivered}')) v (d)`.execute(db)
  }
  // Each of one order, then of all orders of both stores at once.
  for (const limit of [1, 1000]) {
    const some = sql`(select * from orders where store_id in (${mine.store.id}, ${other.store.id}) order by ref limit ${limit}) o`
    await sql`insert into order_line (store_id, order_id, product_id, title, is_digital, quantity, price, position)
      select o.store_id, o.id, p.id, 'Goods', false, n, 1.25, n from ${some}, generate_series(1, 3) n
        left join lateral (select id from product where store_id = o.store_id and n > 1) p on true`.execute(db)
    await sql`insert into delivery (store_id, order_id, is_return, status) select o.store_id, o.id, r, s from ${some},
      unnest('{true,false}'::boolean[]) r, unnest('{unfulfilled,shipped,delivered,cancelled}'::text[]) s`.execute(db)
  }
  for (const api of [mine, other]) {
    const { added, counted } = await figuresOf(api)
    expect(added.length).toBeGreaterThan(20)
    expect(added).toEqual(counted)
    const ofOrder = sql`from delivery d where d.store_id = o.store_id and d.order_id = o.id`
    const { rows } = await sql`select 1 from orders o where o.store_id = ${api.store.id} and (
      o.delivery_statuses <> array(select distinct d.status ${ofOrder} and not d.is_return order by 1)
      or o.return_statuses <> array(select distinct d.status ${ofOrder} and d.is_return order by 1))`.execute(db)
    expect(rows).toEqual([])
  }
})
