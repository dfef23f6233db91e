import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { finishedJob } from '../../../tests/support/bulk.ts'
import { form } from '../../../tests/support/uploads.ts'
import { API_PREFIX } from '../../config/config.ts'
import { transact } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { COMMAND_LINE } from '../accounts/audit.ts'
import { invite } from '../accounts/invitations.ts'
import type { Limits } from './limit-names.ts'
import { createPlan, updatePlan } from './manage-plans.ts'
import { renewSubscriptions } from './renew-subscriptions.ts'
import { addPeriods, roundTo } from './rules.ts'
import { choosePlan } from './switch-plan.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqrTwjU'

let plans = 0
const planOf = (api: TestApi, price: number, limits: Limits = {}, more: object = {}) =>
  createPlan(api.db, { name: `Plan ${++plans}`, price, currency: 'TND', limits, ...more })

const assign = (api: TestApi, plan: { id: string }, store = api.store.id) =>
  transact(api.db, (db) => choosePlan(db, api.config, store as StoreId, plan.id))

const startWithPlan = async (limits: Limits, env: Record<string, string> = {}) => {
  const api = await startTestApi(env)
  const plan = await planOf(api, 10, limits)
  await assign(api, plan)
  return { api, plan, all: await api.as() }
}

/** Moves the running period into the past, so that the job finds it ended. */
const endPeriod = (api: TestApi, months = 1) =>
  sql`update subscription set anchor = anchor - ${`${months} month`}::interval,
    period_start = period_start - ${`${months} month`}::interval, period_end = period_end - ${`${months} month`}::interval
    where store_id = ${api.store.id}`.execute(api.db)

const invoicesOf = async (api: TestApi) =>
  (await (await api.as('invoice:view')).get('/invoice?order_direction=ASC')).body.data.invoices

test('without any plan nothing is limited, and there is nothing to pay', async () => {
  const api = await startTestApi()
  const all = await api.as()
  expect((await all.get('/plan')).body.data).toEqual({ plans: [], subscription: null, use: {} })
  expect((await all.post('/product', { title: 'Mug' })).status).toBe(201)
  expect((await all.get('/invoice')).body.data).toMatchObject({ invoices: [], pagination: { total: 0 } })
  expect((await all.get('/plan')).headers.get('x-ratelimit-limit')).toBeNull()
})

test('limits hold exactly under 64 writers at once, and what exists can still be changed and deleted', async () => {
  const { all } = await startWithPlan({ products: 5, orders: 7, webhooks: 1 })
  const product = (n: number) => all.post('/product', { title: `Mug ${n}` })
  const made = await Promise.all(Array.from({ length: 64 }, (_, n) => product(n)))
  const created = made.filter(({ status }) => status === 201)
  expect(created).toHaveLength(5)
  const refused = made.find(({ status }) => status !== 201)
  expect(refused).toMatchObject({
    status: 403,
    body: { code: 'plan_limit', errors: { products: ['limit: 5', 'used: 5'] } },
  })
  const orders = await Promise.all(Array.from({ length: 64 }, () => all.post('/order', {})))
  expect(orders.filter(({ status }) => status === 201)).toHaveLength(7)
  expect((await all.get('/order?page_size=1')).body.data.pagination.total).toBe(7)

  const id: string = created[0]?.body.data.product.id
  expect((await all.get('/plan')).body.data.use).toEqual({
    products: { used: 5, limit: 5 },
    orders: { used: 7, limit: 7 },
    webhooks: { used: 0, limit: 1 },
  })
  expect((await all.post(`/product/${id}/update`, { title: 'Cup' })).status).toBe(200)
  expect((await all.delete(`/product/${id}`)).status).toBe(200)
  expect((await product(100)).status).toBe(201)
  expect((await product(101)).status).toBe(403)

  const order = orders.find(({ status }) => status === 201)?.body.data.order
  expect((await all.put(`/order/${order.id}`, { customer_city: 'Sfax' })).status).toBe(200)
  expect((await all.delete(`/order/${order.id}`)).status).toBe(200)
  expect((await all.post('/order', {})).body.code).toBe('plan_limit')

  const webhook = { url: 'https://app.example/hook', types: ['order.*'] }
  expect((await all.post('/webhook', webhook)).status).toBe(201)
  expect((await all.post('/webhook', webhook)).body.code).toBe('plan_limit')
  const other = await startTestApi()
  expect((await (await other.as()).post('/order', {})).status).toBe(201)
})

test('a retry with its key gets its reply although the limit is reached, and a dry run takes no place', async () => {
  const { all } = await startWithPlan({ products: 1 })
  expect((await all.post('/product?dry_run=true', { title: 'Mug' })).status).toBe(201)
  const key = { 'idempotency-key': 'one' }
  expect((await all.post('/product', { title: 'Mug' }, key)).status).toBe(201)
  expect((await all.post('/product', { title: 'Mug' }, key)).status).toBe(201)
  expect((await all.post('/product', { title: 'Cup' })).status).toBe(403)
})

test('lines of a bulk job beyond the limit fail, and lines that update do not', async () => {
  const { all } = await startWithPlan({ products: 2 })
  const lines = ['a', 'b', 'c', 'a'].map((slug) => JSON.stringify({ slug, title: slug })).join('\n')
  const headers = { 'content-type': 'application/x-ndjson' }
  const { job } = (await all.post('/bulk?resource=product&mode=upsert&match=slug', lines, headers)).body.data
  await finishedJob(all, job.id)
  const result = (await all.get(`/bulk/${job.id}/result`)).text
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text))
  expect(result.map(({ status, code }) => code ?? status)).toEqual(['created', 'created', 'plan_limit', 'updated'])
})

test('files count towards the limit of storage once, however often they are sent', async () => {
  const { all } = await startWithPlan({ storage: 1000 })
  const upload = (bytes: Buffer) => all.post('/file', form({ file: { name: 'a.bin', bytes } }))
  expect((await upload(Buffer.alloc(600, 1))).status).toBe(201)
  expect((await upload(Buffer.alloc(600, 1))).status).toBe(201)
  const refused = await upload(Buffer.alloc(401, 2))
  expect(refused.body).toMatchObject({ code: 'plan_limit', errors: { storage: ['limit: 1000', 'used: 600'] } })
  expect((await upload(Buffer.alloc(400, 2))).status).toBe(201)
  expect((await all.get('/file')).body.data.pagination.total).toBe(3)
})

test('calls beyond the limit of the plan are refused with 429, and the limit goes with the plan', async () => {
  const { api, all, plan } = await startWithPlan({ calls: 3 })
  for (let call = 0; call < 3; call++) await all.get('/plan')
  const refused = await all.get('/plan')
  expect(refused.status).toBe(429)
  expect(refused.headers.get('x-ratelimit-limit')).toBe('3')
  await updatePlan(api.db, plan.id, { limits: {} })
  await expect.poll(async () => (await all.get('/plan')).status).toBe(200)
})

test('apps and people count towards their limits, and who is invited has a place', async () => {
  const { api, all } = await startWithPlan({})
  await all.get('/plan')
  const plan = await planOf(api, 20, { apps: 3, people: 2 })
  await assign(api, plan)
  const installs = await Promise.allSettled(Array.from({ length: 8 }, () => api.install(['product:view'])))
  // One was installed before.
  expect(installs.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  const invited = await Promise.allSettled(
    Array.from({ length: 8 }, (_, n) =>
      invite(
        api.db,
        COMMAND_LINE,
        { email: `staff-${n}@shop.example`, name: '' },
        { role: 'staff', store: api.store.id, permissions: ['product:view'] },
      ),
    ),
  )
  expect(invited.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  expect((await all.get('/plan')).body.data.use).toEqual({
    apps: { used: 3, limit: 3 },
    people: { used: 2, limit: 2 },
  })
})

test('80 and 100 percent of a limit are events', async () => {
  const { all, plan } = await startWithPlan({ products: 5 })
  for (const title of ['a', 'b', 'c', 'd', 'e']) await all.post('/product', { title })
  const feed = await all.get('/event?types=plan.*')
  expect(feed.status, feed.text).toBe(200)
  const { events } = feed.body.data
  expect(events.map(({ type, changed, resource }: never) => [type, changed, (resource as { id: string }).id])).toEqual([
    ['plan.switched', [], plan.id],
    ['plan.limit_near', ['products'], plan.id],
    ['plan.limit_reached', ['products'], plan.id],
  ])
})

test('upward at once with the rest of the period charged, downward at its end, and back again', async () => {
  const api = await startTestApi({ BILLING_TAX_PERCENT: '19', BILLING_SELLER: 'Hosting SARL' })
  const [small, large, tiny] = [await planOf(api, 30), await planOf(api, 60), await planOf(api, 9, { products: 1 })]
  const all = await api.as()
  const choose = (plan: { id: string }, query = '') => all.post(`/plan/switch${query}`, { plan_id: plan.id })
  await choose(small)
  await sql`update subscription set period_start = now() - interval '15 days', period_end = now() + interval '15 days'
    where store_id = ${api.store.id}`.execute(api.db)
  const preview = (await choose(large, '?dry_run=true')).body.data.plan_switch
  expect(preview.amount).toBeCloseTo(15, 2)
  expect((await all.get('/plan')).body.data.subscription.plan_id).toBe(small.id)
  const { plan_switch } = (await choose(large)).body.data
  expect((await all.get('/plan')).body.data.subscription.plan_id).toBe(large.id)
  const [first, second] = await invoicesOf(api)
  expect(first).toMatchObject({
    seller: 'Hosting SARL',
    subtotal: 30,
    tax: 5.7,
    total: 35.7,
    status: 'open',
  })
  expect(second).toMatchObject({ id: plan_switch.invoice_id, number: first.number + 1, subtotal: plan_switch.amount })
  expect(second.lines.map(({ amount }: { amount: number }) => amount)).toEqual([
    expect.closeTo(30, 2),
    expect.closeTo(-15, 2),
  ])

  for (const title of ['Mug', 'Cup']) await all.post('/product', { title })
  const refused = await choose(tiny)
  expect(refused.body).toMatchObject({ code: 'plan_limit', errors: { products: ['limit: 1', 'used: 2'] } })
  expect((await choose(small)).body.data.plan_switch).toMatchObject({ amount: 0, invoice_id: null })
  expect((await all.get('/plan')).body.data.subscription).toMatchObject({ plan_id: large.id, next_plan_id: small.id })
  await choose(large)
  expect((await all.get('/plan')).body.data.subscription.next_plan_id).toBeNull()
  await choose(small)
  await endPeriod(api)
  expect(await renewSubscriptions(api.db, api.config)).toBe(1)
  expect((await all.get('/plan')).body.data.subscription).toMatchObject({ plan_id: small.id, next_plan_id: null })
  expect(await invoicesOf(api)).toHaveLength(3)
})

test('orders that were placed while nothing limited them count under the next plan that does', async () => {
  const { api, plan, all } = await startWithPlan({ orders: 3 })
  const place = async (times: number) => {
    for (let n = 0; n < times; n++) expect((await all.post('/order', {})).status).toBe(201)
  }
  await place(2)
  const open = await planOf(api, 20)
  await assign(api, open)
  await place(4)
  const refused = await all.post('/plan/switch', { plan_id: plan.id })
  expect(refused.body).toMatchObject({ code: 'plan_limit', errors: { orders: ['limit: 3', 'used: 6'] } })
  await updatePlan(api.db, open.id, { limits: { orders: 7 } })
  expect((await all.get('/plan')).body.data.use).toEqual({ orders: { used: 6, limit: 7 } })
  await place(1)
  await updatePlan(api.db, open.id, { limits: {} })
  await expect.poll(async () => (await all.post('/order', {})).status).toBe(201)
  await updatePlan(api.db, open.id, { limits: { orders: 10 } })
  expect((await all.get('/plan')).body.data.use).toEqual({ orders: { used: 8, limit: 10 } })
})

test('a plan whose price has changed is credited at the price that was paid for the period', async () => {
  const api = await startTestApi()
  const [small, large, largest] = [await planOf(api, 30), await planOf(api, 80), await planOf(api, 100)]
  const all = await api.as()
  await assign(api, small)
  await sql`update subscription set period_start = now() - interval '15 days', period_end = now() + interval '15 days'
    where store_id = ${api.store.id}`.execute(api.db)
  await updatePlan(api.db, small.id, { price: 60 })
  const choose = async (plan: { id: string }) =>
    (await all.post('/plan/switch', { plan_id: plan.id })).body.data.plan_switch.amount
  expect(await choose(large)).toBeCloseTo(40 - 15, 2)
  await updatePlan(api.db, large.id, { price: 10 })
  // Less than what was paid for the rest: it follows at the end of the period.
  expect(await choose(await planOf(api, 20))).toBe(0)
  expect(await choose(largest)).toBeCloseTo(50 - 40, 2)
  await endPeriod(api)
  await updatePlan(api.db, largest.id, { price: 120 })
  expect(await renewSubscriptions(api.db, api.config)).toBe(1)
  expect((await invoicesOf(api)).map(({ subtotal }: { subtotal: number }) => Math.round(subtotal))).toEqual([
    30, 25, 10, 120,
  ])
})

test('a plan that is not offered, of nobody, or chosen without the permission is refused', async () => {
  const api = await startTestApi()
  const plan = await planOf(api, 10)
  await updatePlan(api.db, plan.id, { is_offered: false })
  const all = await api.as()
  expect((await all.post('/plan/switch', { plan_id: plan.id })).body.errors).toHaveProperty('plan_id')
  expect((await all.post('/plan/switch', { plan_id: api.store.id })).status).toBe(422)
  expect((await (await api.as('invoice:view')).post('/plan/switch', { plan_id: plan.id })).status).toBe(403)
  const shown = (await all.get('/plan')).body.data
  expect(shown.subscription).toBeNull()
  expect(shown.plans.map(({ id }: { id: string }) => id)).not.toContain(plan.id)
})

test('each period is invoiced once by many jobs at once, and numbers have no gaps over all stores', async () => {
  const api = await startTestApi()
  const plan = await planOf(api, 10)
  const stores = [api, ...(await Promise.all([1, 2, 3].map(() => startTestApi())))]
  await Promise.all(stores.map(({ store }) => assign(api, plan, store.id)))
  // Periods that were missed while the service was down.
  await sql`update subscription set anchor = anchor - interval '3 months', period_start = period_start - interval '3 months',
    period_end = period_end - interval '3 months' where plan_id = ${plan.id}`.execute(api.db)
  await Promise.all(Array.from({ length: 8 }, () => renewSubscriptions(api.db, api.config)))
  const { rows } = await sql<{ store_id: string; number: number; period_start: Date; period_end: Date }>`
    select store_id, number, period_start, period_end from invoice order by number`.execute(api.db)
  expect(rows.map(({ number }) => number)).toEqual(rows.map((_, n) => n + 1))
  for (const { store } of stores) {
    const own = rows.filter(({ store_id }) => store_id === store.id)
    // The first, and those of the three months that were missed.
    expect(own).toHaveLength(4)
    const renewals = own.slice(1)
    for (const [n, { period_start }] of renewals.entries())
      if (n > 0) expect(period_start).toEqual(renewals[n - 1]?.period_end)
  }
  expect(await renewSubscriptions(api.db, api.config)).toBe(0)
})

test('an invoice leads to the payment page, and only a signed report of the whole amount pays it', async () => {
  const api = await startTestApi({
    BILLING_SECRET: SECRET,
    BILLING_URL: 'https://pay.example/?invoice={invoice}&amount={amount}&signature={signature}',
  })
  await assign(api, await planOf(api, 49))
  const all = await api.as()
  const [invoice] = await invoicesOf(api)
  const { payment } = (await all.post(`/invoice/${invoice.id}/pay`, {})).body.data
  expect(payment).toMatchObject({ amount: 49, currency: 'TND' })
  expect(payment.url).toMatch(
    new RegExp(`^https://pay\\.example/\\?invoice=${invoice.id}&amount=49&signature=[0-9a-f]{64}$`),
  )

  const report = (body: object, { secret = SECRET, at = new Date(), sent = body as object } = {}) => {
    const text = JSON.stringify(body)
    return fetch(`http://127.0.0.1:${api.port}${API_PREFIX}/billing/paid`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': new Webhook(secret).sign('msg_1', at, text),
      },
      body: JSON.stringify(sent),
    })
  }
  const paid = { invoice_id: invoice.id, amount: 49, currency: 'TND', reference: 'pay_1' }
  const status = async () => (await invoicesOf(api))[0].status
  const forged = [
    report(paid, { secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` }),
    report(paid, { at: new Date(Date.now() - 3_600_000) }),
    report({ ...paid, amount: 1 }, { sent: paid }),
  ]
  for (const reply of await Promise.all(forged)) expect(reply.status).toBe(401)
  const plain = await fetch(`http://127.0.0.1:${api.port}${API_PREFIX}/billing/paid`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(paid),
  })
  expect(plain.status).toBe(401)
  expect((await report({ ...paid, amount: 1 })).status).toBe(422)
  expect((await report({ ...paid, currency: 'EUR' })).status).toBe(422)
  expect((await report({ ...paid, invoice_id: api.store.id })).status).toBe(404)
  expect(await status()).toBe('open')
  expect((await report(paid)).status).toBe(200)
  expect((await report(paid)).status).toBe(200)
  expect(await status()).toBe('paid')
  expect((await all.post(`/invoice/${invoice.id}/pay`, {})).status).toBe(422)
  const { events } = (await all.get('/event?types=invoice.*')).body.data
  expect(events.map(({ type }: { type: string }) => type)).toEqual(['invoice.created', 'invoice.paid'])
})

test('without a secret nobody can report a payment, and without a page there is no address', async () => {
  const api = await startTestApi()
  await assign(api, await planOf(api, 49))
  const [invoice] = await invoicesOf(api)
  const all = await api.as()
  expect((await all.post(`/invoice/${invoice.id}/pay`, {})).body.data.payment.url).toBeNull()
  const body = { invoice_id: invoice.id, amount: 49, currency: 'TND' }
  expect((await all.post('/billing/paid', body)).status).toBe(404)
})

test('invoices of another store do not exist, and an invoice that is not paid in time is overdue', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  await assign(api, await planOf(api, 49))
  const [invoice] = await invoicesOf(api)
  const stranger = await other.as()
  expect((await stranger.get(`/invoice/${invoice.id}`)).status).toBe(404)
  expect((await stranger.post(`/invoice/${invoice.id}/pay`, {})).status).toBe(404)
  expect((await stranger.get('/invoice')).body.data.invoices).toEqual([])
  expect((await (await api.as('plan:switch')).get('/invoice')).status).toBe(403)
  await sql`update invoice set due_at = now() - interval '1 hour'`.execute(api.db)
  const all = await api.as()
  expect((await all.get(`/invoice/${invoice.id}`)).body.data.invoice.status).toBe('overdue')
  expect((await all.get('/invoice?status=overdue')).body.data.pagination.total).toBe(1)
  expect((await all.get('/invoice?status=open')).body.data.pagination.total).toBe(0)
})

test('periods that begin on the 31st end on the last day of shorter months', () => {
  const anchor = new Date('2026-01-31T10:00:00Z')
  const ends = [1, 2, 3, 13].map((count) => addPeriods(anchor, 'month', count).toISOString().slice(0, 10))
  expect(ends).toEqual(['2026-02-28', '2026-03-31', '2026-04-30', '2027-02-28'])
  expect(addPeriods(new Date('2028-02-29T00:00:00Z'), 'year', 1).toISOString().slice(0, 10)).toBe('2029-02-28')
  expect([roundTo('TND', 1234n), roundTo('EUR', 1235n), roundTo('JPY', 1500n)]).toEqual([1234n, 1240n, 2000n])
})
