import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../tests/support/api.ts'
import { addPerson, consoleCaller, PASSWORD } from '../../tests/support/console.ts'

type Outcome = 'ok' | 'not_found' | 'forbidden' | 'sign_in_required' | 'validation_failed'

interface Case {
  body?: (api: TestApi, n: number) => object
  /** The outcome for every signed-in person, if it is the same for all; otherwise for each role. */
  everyone?: Outcome
  owner?: Outcome
  operator?: Outcome
  staff?: Outcome
  stranger?: Outcome
  visitor?: Outcome
}

const OWN = { everyone: 'ok', visitor: 'sign_in_required' } as const
const MEMBERS = {
  owner: 'ok',
  operator: 'ok',
  staff: 'ok',
  stranger: 'not_found',
  visitor: 'sign_in_required',
} as const
const OWNERS = { ...MEMBERS, staff: 'forbidden' } as const
const OPEN = { everyone: 'not_found', visitor: 'not_found' } as const

/** Every route of the console, with who may call it. `:account` is a member who may be changed. */
const ROUTES: Record<string, Case> = {
  'GET /state': { everyone: 'ok', visitor: 'ok' },
  'POST /sign-in': { everyone: 'validation_failed', visitor: 'validation_failed' },
  'POST /link/check': { ...OPEN, body: () => ({ code: 'x' }) },
  'POST /link': { ...OPEN, body: () => ({ code: 'x', password: PASSWORD }) },
  'GET /me': OWN,
  'PUT /me': { ...OWN, body: () => ({ theme: 'dark' }) },
  'GET /stores': OWN,
  'GET /sessions': OWN,
  'DELETE /sessions/:id': { everyone: 'not_found', visitor: 'sign_in_required' },
  'DELETE /sessions': OWN,
  'POST /password': { everyone: 'validation_failed', visitor: 'sign_in_required' },
  'POST /confirm': { ...OWN, body: () => ({ password: PASSWORD }) },
  'GET /views': OWN,
  'PUT /views': {
    ...MEMBERS,
    body: ({ store }, n) => ({ store_id: store.id, list: 'orders', name: `View ${n}`, query: '' }),
  },
  'DELETE /views/:id': { everyone: 'not_found', visitor: 'sign_in_required' },
  'POST /stores/:id/token': MEMBERS,
  'GET /stores/:id/people': OWNERS,
  'POST /stores/:id/people': { ...OWNERS, body: () => ({ email: `${randomUUID()}@shop.example`, role: 'owner' }) },
  'PUT /stores/:id/people/:account': { ...OWNERS, body: () => ({ role: 'staff', permissions: ['order:view'] }) },
  'POST /stores/:id/people/:account/link': { ...OWNERS, owner: 'forbidden' },
  'DELETE /stores/:id/people/:account': OWNERS,
  // Last, because it ends the sessions.
  'POST /sign-out': OWN,
}

const pathOf = (api: TestApi, url: string, account: string) => {
  const id = url.startsWith('/stores/') ? api.store.id : randomUUID()
  const query = url === '/views' ? `?store_id=${api.store.id}&list=orders` : ''
  return url.replace(':id', id).replace(':account', account) + query
}

test('every route of the console admits exactly the roles listed for it', async () => {
  const api = await startTestApi()
  const there = api.app.routeTable
    .filter(({ url, method }) => url.startsWith('/console/api/') && method !== 'HEAD')
    .map(({ method, url }) => `${method} ${url.replace('/console/api', '')}`)
  expect(Object.keys(ROUTES).sort()).toEqual(there.sort())

  const other = await startTestApi()
  const store = api.store.id
  const callers = {
    visitor: consoleCaller(api),
    stranger: (await addPerson(api, { role: 'owner', store: other.store.id })).console,
    staff: (await addPerson(api, { role: 'staff', store, permissions: ['order:view', 'setting:update'] })).console,
    owner: (await addPerson(api, { role: 'owner', store })).console,
    operator: (await addPerson(api)).console,
  }
  let calls = 0
  for (const [route, rules] of Object.entries(ROUTES))
    for (const [role, caller] of Object.entries(callers) as [keyof typeof callers, (typeof callers)['owner']][]) {
      const [method = '', url = ''] = route.split(' ')
      const member = url.includes(':account')
        ? (await addPerson(api, { role: 'staff', store, permissions: ['order:view'] })).id
        : ''
      const expected = rules[role] ?? rules.everyone
      const body = method === 'GET' || method === 'DELETE' ? undefined : (rules.body?.(api, ++calls) ?? {})
      const reply = await caller.send(method, pathOf(api, url, member), body)
      const outcome = reply.status === 200 ? 'ok' : reply.body.code
      expect(outcome, `${role}: ${route} ${reply.text}`).toBe(expected)
    }
})
