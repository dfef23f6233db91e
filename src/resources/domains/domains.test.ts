import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { addProduct } from '../../../tests/support/products.ts'
import { updateStore } from '../stores/update-store.ts'
import { MAX_DOMAINS } from './create-domain.ts'

const newHost = () => `${randomUUID()}.example`

const addDomain = async (api: TestApi, host = newHost()) =>
  (await api.as().post('/domain', { host })).body.data.domain as { id: string; host: string }

test('a store has its own domain, and others can be added', async () => {
  const api = await startTestApi()
  const viewer = await api.as('domain:view')
  const [own] = (await viewer.get('/domain')).body.data.domains
  expect(own).toEqual({
    id: expect.any(String),
    host: api.store.domain,
    unicode_host: api.store.domain,
    is_primary: true,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  })
  const made = await api.as('domain:create').post('/domain', { host: `متجر.${api.store.domain.toUpperCase()}` })
  expect(made.status).toBe(201)
  const { domain } = made.body.data
  expect(domain).toMatchObject({
    host: `xn--pgbep1f.${api.store.domain}`,
    unicode_host: `متجر.${api.store.domain}`,
    is_primary: false,
  })
  expect((await viewer.get(`/domain/${domain.id}`)).body.data.domain).toEqual(domain)
  const { domains, pagination } = (await viewer.get('/domain')).body.data
  expect(domains).toEqual([domain, own])
  expect(pagination.total).toBe(2)
})

test('a domain is a host name that no store uses yet, in any spelling', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const all = await api.as()
  const refused = [
    'https://x.example',
    'x.example:8080',
    'x.example/shop',
    'localhost',
    '127.0.0.1',
    '0x7f.1',
    '[::1]',
    '1.2.3',
    '-a.example',
    'a-.example',
    'a..example',
    '.example',
    'x.example.',
    'a_b.example',
    'x y.example',
    'a%2eb.example',
    'x.123',
    `${'a'.repeat(64)}.example`,
    '',
  ]
  for (const host of refused) expect(await all.post('/domain', { host }), host).toBeRefused(422, 'host')
  expect(await all.post('/domain', {})).toBeRefused(422, 'host')
  const name = `müller-${randomUUID().slice(0, 8)}.example`
  const { host } = await addDomain(api, name)
  expect(host).toMatch(/^xn--/)
  const theirs = await other.as()
  for (const form of [name, name.toUpperCase(), host, api.store.domain])
    expect(await theirs.post('/domain', { host: form })).toBeRefused(422, 'host')
  const wanted = newHost()
  const replies = await Promise.all([all, theirs, all, theirs].map((app) => app.post('/domain', { host: wanted })))
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422])
})

test('one domain is primary: orders and pages without a domain of their own link to it', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const product = await addProduct(api)
  const { landing_page } = (await all.post('/landing-page', { title: 'Sale', product_id: product.id })).body.data
  const { order } = (await all.post('/order', {})).body.data
  const { id, host } = await addDomain(api)
  const [, own] = (await all.get('/domain')).body.data.domains
  const changed = await all.put(`/domain/${id}`, { is_primary: true })
  expect(changed.body.data.domain).toMatchObject({ id, is_primary: true })
  expect((await all.get(`/domain/${own.id}`)).body.data.domain.is_primary).toBe(false)
  expect((await all.get(`/order/${order.id}`)).body.data.order.checkout_link).toContain(`https://${host}/`)
  expect((await all.get(`/landing-page/${landing_page.id}`)).body.data.landing_page.url).toBe(`https://${host}/sale`)
  expect(await all.put(`/domain/${id}`, { is_primary: false })).toBeRefused(422, 'is_primary')
  expect(await all.delete(`/domain/${id}`)).toBeRefused(422, 'id')
  expect((await all.delete(`/domain/${own.id}`)).status).toBe(200)

  const renamed = newHost()
  expect((await all.put(`/domain/${id}`, { host: renamed })).body.data.domain.host).toBe(renamed)
  expect((await all.get(`/order/${order.id}`)).body.data.order.checkout_link).toContain(`https://${renamed}/`)
  const several = await Promise.all([1, 2, 3].map(() => all.post('/domain', { host: newHost(), is_primary: true })))
  for (const { status } of several) expect(status).toBe(201)
  const { domains } = (await all.get('/domain')).body.data
  expect(domains.filter(({ is_primary }: { is_primary: boolean }) => is_primary)).toHaveLength(1)
})

test('a domain that landing pages use can be neither renamed nor deleted', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const product = await addProduct(api)
  const { id, host } = await addDomain(api)
  const body = { title: 'Sale', product_id: product.id, domain_id: id }
  const { landing_page } = (await all.post('/landing-page', body)).body.data
  expect(await all.put(`/domain/${id}`, { host: newHost() })).toBeRefused(422, 'host')
  const refused = await all.delete(`/domain/${id}`)
  expect(refused).toBeRefused(422, 'id')
  expect(refused.body.errors.id[0]).toContain('1 landing page uses')
  expect((await all.put(`/domain/${id}`, { host: host.toUpperCase() })).body.data.domain.host).toBe(host)
  expect((await all.get(`/landing-page/${landing_page.id}`)).body.data.landing_page.url).toBe(`https://${host}/sale`)
  await all.delete(`/landing-page/${landing_page.id}`)
  expect((await all.delete(`/domain/${id}`)).body).toEqual({ data: {} })
  expect(await all.get(`/domain/${id}`)).toFailWith('not_found')

  for (let round = 0; round < 5; round++) {
    const { id: domain_id } = await addDomain(api)
    const [page, gone] = await Promise.all([
      all.post('/landing-page', { title: 'Race', product_id: product.id, domain_id }),
      all.delete(`/domain/${domain_id}`),
    ])
    if (page.status === 201) {
      expect(gone).toBeRefused(422, 'id')
      expect((await all.get(`/domain/${domain_id}`)).status).toBe(200)
    } else {
      expect(page).toBeRefused(422, 'domain_id')
      expect(gone.status).toBe(200)
    }
  }
})

test('the operator’s command changes the primary domain, and a store has at most a hundred', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const second = await addDomain(api)
  await updateStore(api.db, api.store.id, { domain: second.host })
  const listed = async () => (await all.get('/domain')).body.data.domains as { host: string; is_primary: boolean }[]
  expect((await listed()).map(({ host, is_primary }) => [host, is_primary])).toEqual([
    [second.host, true],
    [api.store.domain, false],
  ])
  const third = newHost()
  await updateStore(api.db, api.store.id, { domain: third })
  expect((await listed()).find(({ is_primary }) => is_primary)?.host).toBe(third)
  expect(await listed()).toHaveLength(2)
  const rows = Array.from({ length: MAX_DOMAINS - 3 }, () => ({ store_id: api.store.id, host: newHost() }))
  await api.db.insertInto('domain').values(rows).execute()
  const replies = await Promise.all([1, 2, 3].map(() => all.post('/domain', { host: newHost() })))
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 422, 422])
})
