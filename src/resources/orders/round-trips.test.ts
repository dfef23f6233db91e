import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { isOnCitus } from '../../../tests/support/citus.ts'
import { expectOrderTextsToFitRows } from '../../../tests/support/kept-texts.ts'
import { addProduct } from '../../../tests/support/products.ts'
import { statementsOf } from '../../../tests/support/statements.ts'

/** The statements that a write waits for, from begin to commit. Commands without a result are sent with the next one. */
const roundTrips = async (work: () => Promise<{ status: number; text: string }>) => {
  const sent = await statementsOf(async () => {
    const reply = await work()
    expect(reply.status, reply.text).toBeLessThan(300)
  })
  const begin = sent.findIndex((text) => /^begin/i.test(text))
  return sent.slice(begin).filter((text) => !/^(begin|set local)/i.test(text))
}

test('an order is placed in four round trips, with a new, a known or no customer', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const goods = [await addProduct(api, { quantity: 50 }), await addProduct(api, { quantity: 50 })]
  const variants = goods.map(({ variant }) => ({ variant_id: variant, quantity: 1 }))
  await all.post('/order', { variants, country_id: 'TN' })
  for (const customer_email of ['', 'new@example.com', 'new@example.com']) {
    const body = { variants, customer_email, country_id: 'TN', status: 'paid' }
    const sent = await roundTrips(() => all.post('/order', body))
    expect(sent, sent.join('\n')).toHaveLength(4)
    expect(sent.at(-1)).toMatch(/^commit/i)
    const keyed = all.with({ 'idempotency-key': randomUUID() })
    expect((await roundTrips(() => keyed.post('/order', body))).length).toBeLessThanOrEqual(6)
  }
  await expectOrderTextsToFitRows(api.db, api.store.id)
})

test('the other writes to an order take few round trips', async ({ skip }) => {
  skip(isOnCitus, 'Citus takes no statement that writes several tables')
  const api = await startTestApi()
  const all = await api.as()
  const { variant } = await addProduct(api, { quantity: 50 })
  const body = { status: 'paid', customer_email: 'amina@example.com', variants: [{ variant_id: variant, quantity: 4 }] }
  const { order } = (await all.post('/order', body)).body.data
  const units = [{ order_variant_id: order.variants[0].id, quantity: 1 }]
  const path = `/order/${order.id}`
  const counts = {
    archive: await roundTrips(() => all.put(path, { is_archived: true })),
    split: await roundTrips(() => all.post(`${path}/delivery`, { variants: units })),
    ship: await roundTrips(() => all.put(`/order/delivery/${order.deliveries[0].id}`, { status: 'shipped' })),
    return: await roundTrips(() => all.post(`${path}/return`, { variants: units })),
    refund: await roundTrips(() => all.post(`${path}/refund`, { amount: 1 })),
  }
  const most = { archive: 7, split: 12, ship: 8, return: 12, refund: 9 }
  for (const [write, sent] of Object.entries(counts))
    expect(sent.length, `${write}: ${sent.join('\n')}`).toBeLessThanOrEqual(most[write as keyof typeof most])
  await expectOrderTextsToFitRows(api.db, api.store.id)
})
