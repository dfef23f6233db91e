import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'

test('a policy is written, published, changed and deleted', async () => {
  const api = await startTestApi()
  const made = await api.as('policy:create').post('/policy', { type: 'refund', title: ' Retours & échanges' })
  expect(made.status).toBe(201)
  const { policy } = made.body.data
  expect(policy).toEqual({
    id: expect.any(String),
    type: 'refund',
    title: ' Retours & échanges',
    slug: 'retours-echanges',
    content: '',
    is_published: false,
    created_at: expect.any(String),
    updated_at: policy.created_at,
  })
  const path = `/policy/${policy.id}`
  const editor = await api.as('policy:update')
  const content = '# Returns\r\n\r\n<script>alert(1)</script>\t**30 days**'
  const changed = await editor.put(path, { content, is_published: true })
  expect(changed.body.data.policy).toMatchObject({ content, is_published: true, slug: 'retours-echanges' })
  expect(changed.body.data.policy.updated_at > policy.updated_at).toBe(true)
  const viewer = await api.as('policy:view')
  const read = await viewer.get(path)
  expect(read.body.data.policy).toEqual(changed.body.data.policy)
  expect((await editor.put(path, {})).body.data.policy).toEqual(read.body.data.policy)
  expect((await api.as('policy:delete').delete(path)).body).toEqual({ data: {} })
  expect(await viewer.get(path)).toFailWith('not_found')
  expect(await api.as().delete(path)).toFailWith('not_found')
})

test('a store has one policy of each type and any number of custom ones, each with its slug', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const add = (type: string, more: object = {}) => all.post('/policy', { type, title: 'Gifts', ...more })
  const slugs = []
  for (const type of ['terms', 'custom', 'custom', 'custom']) slugs.push((await add(type)).body.data.policy.slug)
  expect(slugs).toEqual(['gifts', 'gifts-2', 'gifts-3', 'gifts-4'])
  expect((await add('custom', { title: '!!!' })).body.data.policy.slug).toBe('custom')
  expect(await add('terms')).toBeRefused(422, 'type')
  expect(await add('custom', { slug: 'GIFTS' })).toBeRefused(422, 'slug')
  expect(await all.post('/policy', {})).toBeRefused(422, 'type', 'title')
  expect(await add('cookies', { title: ' ', slug: 'a b', content: 7, is_published: 'yes' })).toBeRefused(
    422,
    'type',
    'title',
    'slug',
    'content',
    'is_published',
  )
  expect(await add('custom', { content: 'x'.repeat(100_001) })).toBeRefused(422, 'content')
  const { policy } = (await add('privacy')).body.data
  expect(await all.put(`/policy/${policy.id}`, { type: 'terms' })).toBeRefused(422, 'type')
  expect(await all.put(`/policy/${policy.id}`, { slug: 'Gifts-2' })).toBeRefused(422, 'slug')
  const replies = await Promise.all([1, 2, 3].map(() => add('shipping')))
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 422, 422])

  const viewer = await api.as('policy:view')
  const total = async (query: string) => (await viewer.get(`/policy?${query}`)).body.data.pagination.total
  expect(await total('')).toBe(7)
  expect(await total('type=custom')).toBe(4)
  expect(await total('type=custom&is_published=true')).toBe(0)
  expect(await total('is_published=false')).toBe(7)
  const other = await startTestApi()
  expect((await other.as('policy:view').get('/policy')).body.data.policies).toEqual([])
})

test('policies that are created at the same time with one title all get slugs of their own', async () => {
  const api = await startTestApi()
  const app = api.as()
  const replies = await Promise.all(
    Array.from({ length: 6 }, () => app.post('/policy', { type: 'custom', title: 'Returns', content: 'Fair' })),
  )
  for (const reply of replies) expect(reply.status, reply.text).toBe(201)
  expect(new Set(replies.map(({ body }) => body.data.policy.slug)).size).toBe(6)
})
