import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { isOnCitus } from '../../../tests/support/citus.ts'
import { ownsMostRows } from './store-condition.ts'

test('a store with most of the rows is searched by words alone, and finds only its own rows', async ({ skip }) => {
  skip(isOnCitus, 'a distributed database must see the store, so this does not apply')
  const open = async (orders: number) => {
    const api = await startTestApi()
    const caller = await api.as()
    for (let n = 0; n < orders; n++)
      await caller.post('/order', {
        customer_first_name: 'Everybody',
        customer_last_name: `of ${orders}`,
        customer_email: `everybody${n}@shop${orders}.example`,
      })
    const names = async (list: string, name: (row: Record<string, string>) => unknown) => {
      const { data } = (await caller.get(`/${list}?search=everybody`)).body
      expect(data.pagination.total).toBe(orders)
      return data[`${list}s`].map(name)
    }
    return {
      mostly: (kind: 'orders' | 'customer') => ownsMostRows(api.db, kind, api.store.id),
      orders: () => names('order', ({ customer_last_name }) => customer_last_name),
      customers: () => names('customer', ({ name }) => name),
      db: api.db,
    }
  }
  const large = await open(6)
  const small = await open(2)
  await sql`analyze orders, customer`.execute(large.db)
  for (const kind of ['orders', 'customer'] as const) {
    expect(await large.mostly(kind)).toBe(true)
    expect(await small.mostly(kind)).toBe(false)
  }
  expect(await large.orders()).toEqual(Array(6).fill('of 6'))
  expect(await large.customers()).toEqual(Array(6).fill('Everybody of 6'))
  expect(await small.orders()).toEqual(Array(2).fill('of 2'))
  expect(await small.customers()).toEqual(Array(2).fill('Everybody of 2'))
})
