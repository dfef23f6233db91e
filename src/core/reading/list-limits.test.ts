import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'

/** Orders as an older release without limits could store them. */
const addLargeOrders = async (api: TestApi, count: number, megabytes: number) => {
  const { rows } = await sql<{ id: string }>`
    insert into orders (store_id, ref, currency, meta_data)
    select ${api.store.id}, 'R' || n, 'TND', jsonb_build_object('note', repeat('x', ${megabytes * 2 ** 20}::int))
    from generate_series(1, ${count}::int) n returning id`.execute(api.db)
  return rows.map(({ id }) => id)
}

test('a page of more than 32 MB is rejected with an error on page_size, and a smaller page works', async () => {
  const api = await startTestApi()
  await addLargeOrders(api, 9, 4)
  const caller = await api.as('order:view')
  const reply = await caller.get('/order?page_size=9')
  expect(reply).toBeRefused(422, 'page_size')
  expect(reply.body.errors.page_size[0]).toBe('must be less than 9: the reply would have more than 32 MB')
  const smaller = await caller.get('/order?page_size=5')
  expect(smaller.status).toBe(200)
  expect(smaller.body.data.orders).toHaveLength(5)
  expect(smaller.body.data.pagination).toMatchObject({ total: 9, last_page: 2 })
})

test('a single row that is too large has its own error, and other rows are served', async () => {
  const api = await startTestApi()
  const [id] = await addLargeOrders(api, 1, 40)
  const caller = await api.as('order:view')
  expect(await caller.get(`/order/${id}`)).toFailWith('server_error')
  expect((await caller.get('/order?status=paid')).status).toBe(200)
})
