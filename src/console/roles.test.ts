import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../tests/support/api.ts'
import { addPerson, consoleCaller, PASSWORD } from '../../tests/support/console.ts'
import { COMMAND_LINE } from '../resources/accounts/audit.ts'
import { invite } from '../resources/accounts/invitations.ts'
import { createStaffRole } from '../resources/accounts/staff-roles.ts'
import { createApp } from '../resources/auth/create-app.ts'
import { createPlan } from '../resources/plans/manage-plans.ts'

type Outcome = 'ok' | 'not_found' | 'forbidden' | 'sign_in_required' | 'validation_failed'

interface Case {
  body?: (api: TestApi, n: number, app: { install_id: string }) => object
  /** The outcome for every signed-in person, if it is the same for all; otherwise for each role. */
  everyone?: Outcome
  owner?: Outcome
  operator?: Outcome
  staff?: Outcome
  stranger?: Outcome
  /** Of an app that is installed on the store. A stranger to it unless given. */
  developer?: Outcome
  visitor?: Outcome
}

const OWN = { everyone: 'ok', visitor: 'sign_in_required' } as const
const REFUSED = { everyone: 'validation_failed', visitor: 'sign_in_required' } as const
const NONE = { everyone: 'not_found', visitor: 'sign_in_required' } as const
/** Passkeys, at an address of numbers. */
const NOT_HERE = { everyone: 'forbidden', visitor: 'sign_in_required' } as const
const MEMBERS = {
  owner: 'ok',
  operator: 'ok',
  staff: 'ok',
  stranger: 'not_found',
  visitor: 'sign_in_required',
} as const
const OWNERS = { ...MEMBERS, staff: 'forbidden' } as const
const DEVELOPERS = {
  owner: 'not_found',
  operator: 'ok',
  staff: 'not_found',
  stranger: 'not_found',
  developer: 'ok',
  visitor: 'sign_in_required',
} as const
const OPERATORS = { everyone: 'forbidden', operator: 'ok', visitor: 'sign_in_required' } as const
const OPEN = { everyone: 'not_found', visitor: 'not_found' } as const

const revocation = (_api: TestApi, _n: number, { install_id }: { install_id: string }) => ({
  installations: [{ id: install_id, permissions: ['review:view'] }],
})

/**
 * Every route of the console, with who may call it. `:account` is a member who may be changed, `:invitation` one who has not
 * joined; `:role`, `:app`, `:plan` and `:webhook` exist.
 */
const ROUTES: Record<string, Case> = {
  'GET /state': { everyone: 'ok', visitor: 'ok' },
  'POST /sign-in': { everyone: 'validation_failed', visitor: 'validation_failed' },
  'POST /link/check': { ...OPEN, body: () => ({ code: 'x' }) },
  'POST /link': { ...OPEN, body: () => ({ code: 'x', password: PASSWORD }) },
  'POST /link/join': { everyone: 'not_found', visitor: 'sign_in_required', body: () => ({ code: 'x' }) },
  'GET /authorize': { everyone: 'validation_failed', visitor: 'sign_in_required' },
  'POST /authorize': { everyone: 'validation_failed', visitor: 'sign_in_required' },
  'GET /me': OWN,
  'PUT /me': { ...OWN, body: () => ({ theme: 'dark' }) },
  'GET /stores': OWN,
  'GET /sessions': OWN,
  'DELETE /sessions/:id': { everyone: 'not_found', visitor: 'sign_in_required' },
  'DELETE /sessions': OWN,
  'POST /password': { everyone: 'validation_failed', visitor: 'sign_in_required' },
  'POST /confirm': { ...OWN, body: () => ({ password: PASSWORD }) },
  'GET /second-factor': OWN,
  'POST /second-factor': { ...REFUSED, body: () => ({ code: '000000' }) },
  'POST /second-factor/challenge': NOT_HERE,
  'POST /second-factor/passkey': REFUSED,
  'POST /second-factor/authenticator': OWN,
  'PUT /second-factor/authenticator': { ...REFUSED, body: () => ({ code: '000000' }) },
  'DELETE /second-factor/authenticator': NONE,
  'POST /second-factor/recovery-codes': NONE,
  'POST /second-factor/passkeys/challenge': NOT_HERE,
  'POST /second-factor/passkeys': REFUSED,
  'DELETE /second-factor/passkeys/:id': NONE,
  'GET /views': OWN,
  'PUT /views': {
    ...MEMBERS,
    body: ({ store }, n) => ({ store_id: store.id, list: 'orders', name: `View ${n}`, query: '' }),
  },
  'DELETE /views/:id': { everyone: 'not_found', visitor: 'sign_in_required' },
  'POST /stores/:id/token': MEMBERS,
  'GET /stores/:id/people': OWNERS,
  'PUT /stores/:id/people/:account': { ...OWNERS, body: () => ({ role: 'staff', permissions: ['order:view'] }) },
  'DELETE /stores/:id/people/:account': OWNERS,
  'POST /stores/:id/invitations': { ...OWNERS, body: () => ({ email: `${randomUUID()}@shop.example`, role: 'owner' }) },
  'PUT /stores/:id/invitations/:invitation': {
    ...OWNERS,
    body: () => ({ role: 'staff', permissions: ['order:view'] }),
  },
  'POST /stores/:id/invitations/:invitation/link': OWNERS,
  'DELETE /stores/:id/invitations/:invitation': OWNERS,
  'GET /assistants': OWN,
  'DELETE /assistants/:id': NONE,
  'GET /stores/:id/assistants': OWNERS,
  'DELETE /stores/:id/assistants/:assistant': { ...OWNERS, owner: 'not_found', operator: 'not_found' },
  'POST /stores/:id/roles': { ...OWNERS, body: () => ({ name: randomUUID(), permissions: ['order:view'] }) },
  'PUT /stores/:id/roles/:role': { ...OWNERS, body: () => ({ permissions: ['product:view'] }) },
  'DELETE /stores/:id/roles/:role': OWNERS,
  'GET /operator/stores': OPERATORS,
  'POST /operator/stores': { ...OPERATORS, body: () => ({ id: randomUUID(), name: 'New' }) },
  'GET /operator/stores/:id': OPERATORS,
  'PUT /operator/stores/:id': { ...OPERATORS, body: () => ({ name: 'Renamed' }) },
  'POST /operator/stores/:id/suspend': OPERATORS,
  'POST /operator/stores/:id/resume': OPERATORS,
  'POST /operator/stores/:id/removal': { ...OPERATORS, operator: 'validation_failed', body: () => ({ name: 'Other' }) },
  'GET /operator/accounts': OPERATORS,
  'GET /operator/accounts/:id': OPERATORS,
  'POST /operator/accounts/:id/link': OPERATORS,
  'DELETE /operator/accounts/:id/sessions': OPERATORS,
  'GET /operator/accounts/:id/sessions': OPERATORS,
  'DELETE /operator/accounts/:id/sessions/:session': { ...OPERATORS, operator: 'not_found' },
  'DELETE /operator/accounts/:id/second-factor': OPERATORS,
  'GET /operator/second-factor': OPERATORS,
  'PUT /operator/second-factor': { ...OPERATORS, body: () => ({ second_factor: 'nobody' }) },
  'POST /operator/accounts/:id/roles': { ...OPERATORS, body: () => ({ role: 'operator' }) },
  'POST /operator/accounts/:id/roles/removal': {
    ...OPERATORS,
    body: ({ store }) => ({ role: 'staff', store_id: store.id }),
  },
  'POST /operator/accounts/:id/disable': OPERATORS,
  'POST /operator/accounts/:id/enable': OPERATORS,
  'POST /operator/invitations': {
    ...OPERATORS,
    body: () => ({ email: `${randomUUID()}@shop.example`, role: 'operator' }),
  },
  'POST /operator/invitations/:id/link': OPERATORS,
  'DELETE /operator/invitations/:id': OPERATORS,
  'GET /operator/apps': OPERATORS,
  'POST /operator/apps': {
    ...OPERATORS,
    operator: 'validation_failed',
    body: () => ({ listing: 'listed', manifest: '{' }),
  },
  'PUT /operator/apps/:app': { ...OPERATORS, body: () => ({ disabled: true }) },
  'POST /operator/apps/:app/refresh': { ...OPERATORS, operator: 'validation_failed' },
  'POST /operator/apps/:app/secret': OPERATORS,
  'GET /operator/plans': OPERATORS,
  'POST /operator/plans': {
    ...OPERATORS,
    body: (_api, n) => ({ name: `Plan ${n}`, price: 5, currency: 'TND', period: 'month', limits: {} }),
  },
  'PUT /operator/plans/:plan': { ...OPERATORS, body: () => ({ price: 6 }) },
  'GET /operator/invoices': OPERATORS,
  'POST /operator/invoices/:id/paid': { ...OPERATORS, operator: 'not_found' },
  'POST /operator/invoices/:id/void': { ...OPERATORS, operator: 'not_found' },
  'GET /operator/audit': OPERATORS,
  'GET /operator/system': OPERATORS,
  'POST /operator/doctor': OPERATORS,
  'GET /developer/apps': OWN,
  'GET /developer/apps/:id': DEVELOPERS,
  'POST /apps/:id/token': { ...DEVELOPERS, body: (_api, _n, { install_id }) => ({ installation_id: install_id }) },
  'GET /calls': OPERATORS,
  'GET /calls/:request': OPERATORS,
  'GET /apps/:id/calls': DEVELOPERS,
  'GET /apps/:id/calls/:request': DEVELOPERS,
  'GET /apps/:id/counts': DEVELOPERS,
  'GET /apps/:id/errors': DEVELOPERS,
  'GET /apps/:id/retries': DEVELOPERS,
  'GET /apps/:id/permissions': DEVELOPERS,
  'POST /apps/:id/permissions/ask': {
    ...DEVELOPERS,
    body: (_api, _n, { install_id }) => ({ installation_id: install_id, permissions: ['customer:view'] }),
  },
  'POST /apps/:id/permissions/revoke': { ...DEVELOPERS, body: revocation },
  'POST /apps/:id/permissions/restore': { ...DEVELOPERS, body: () => ({ undo: [randomUUID()] }) },
  'GET /apps/:id/webhooks': DEVELOPERS,
  'GET /apps/:id/webhooks/:webhook': DEVELOPERS,
  'POST /apps/:id/webhooks/:webhook/pause': DEVELOPERS,
  'POST /apps/:id/webhooks/:webhook/resume': { ...DEVELOPERS, body: () => ({ from: 'stopped' }) },
  'POST /apps/:id/webhooks/:webhook/replay': { ...DEVELOPERS, body: () => ({ failed: true }) },
  'POST /apps/:id/webhooks/:webhook/secret': DEVELOPERS,
  'POST /apps/:id/webhooks/:webhook/test': DEVELOPERS,
  'GET /stores/:id/installations/:installation/use': OWNERS,
  'GET /stores/:id/permissions/asked': OWNERS,
  'POST /stores/:id/permissions/asked/:installation': { ...OWNERS, body: () => ({ permissions: [] }) },
  'POST /stores/:id/permissions/revoke': { ...OWNERS, body: revocation },
  'POST /stores/:id/permissions/restore': { ...OWNERS, body: () => ({ undo: [randomUUID()] }) },
  // Last, because it ends the sessions.
  'POST /sign-out': OWN,
}

const needsPerson = (url: string) => url.includes(':account') || url.startsWith('/operator/accounts/')
const needsInvitation = (url: string) => url.includes(':invitation') || url.startsWith('/operator/invitations/')

const pathOf = (api: TestApi, url: string, other: string, app: { id: string; install_id: string; webhook: string }) => {
  const ofApp = url.startsWith('/apps/') || url.startsWith('/developer/')
  const ofStore = /^(\/operator)?\/stores\//.test(url)
  const id = ofStore ? api.store.id : ofApp ? app.id : other || randomUUID()
  const query = url === '/views' ? `?store_id=${api.store.id}&list=orders` : ''
  return (
    url
      .replace(':id', id)
      .replace(':installation', app.install_id)
      .replace(':request', 'r1')
      .replace(/:session|:assistant/, randomUUID())
      .replace(':webhook', app.webhook)
      .replace(/:account|:invitation|:role|:app|:plan/, other) + query
  )
}

test('every route of the console admits exactly the roles listed for it', async () => {
  const api = await startTestApi()
  const there = api.app.routeTable
    .filter(({ url, method }) => url.startsWith('/console/api/') && method !== 'HEAD')
    .map(({ method, url }) => `${method} ${url.replace('/console/api', '')}`)
  expect(Object.keys(ROUTES).sort()).toEqual(there.sort())

  const elsewhere = await startTestApi()
  const store = api.store.id
  const installed = await api.install(['product:view'])
  const ofApp = api.anonymous.with({ authorization: `Bearer ${await api.getToken(installed, { ...installed })}` })
  const made = await ofApp.post('/webhook', { url: 'https://nobody.invalid/', types: ['product.*'] })
  const app = {
    ...installed,
    webhook: made.body.data.webhook.id as string,
    id: (
      await api.db.selectFrom('app').select('id').where('client_id', '=', installed.client_id).executeTakeFirstOrThrow()
    ).id,
  }
  const callers = {
    visitor: consoleCaller(api),
    stranger: (await addPerson(api, { role: 'owner', store: elsewhere.store.id })).console,
    staff: (await addPerson(api, { role: 'staff', store, permissions: ['order:view', 'setting:update'] })).console,
    owner: (await addPerson(api, { role: 'owner', store })).console,
    operator: (await addPerson(api)).console,
    developer: (await addPerson(api, { role: 'developer', app: installed.client_id })).console,
  }
  await sql`insert into permission_use (store_id, installation_id, permission, day, refused)
    values (${store}, ${app.install_id}, 'customer:view', current_date, 1)`.execute(api.db)
  const askAgain = () =>
    sql`insert into permission_request (store_id, installation_id, permissions, asked_by)
      values (${store}, ${app.install_id}, '{customer:view}', 'Amina')
      on conflict (store_id, installation_id) do update set declined_at = null`.execute(api.db)
  let calls = 0
  for (const [route, rules] of Object.entries(ROUTES))
    for (const [role, caller] of Object.entries(callers) as [keyof typeof callers, (typeof callers)['owner']][]) {
      const [method = '', url = ''] = route.split(' ')
      const grant = { role: 'staff' as const, store, permissions: ['order:view'] }
      const person = { email: `${randomUUID()}@shop.example`, name: '' }
      let other = ''
      if (needsPerson(url)) other = (await addPerson(api, grant)).id
      if (needsInvitation(url)) other = (await invite(api.db, COMMAND_LINE, person, grant)).id
      if (url.includes(':role'))
        other = (
          await createStaffRole(api.db, COMMAND_LINE, store, { name: randomUUID(), permissions: ['order:view'] })
        ).id
      if (url.includes(':app')) other = (await createApp(api.db, randomUUID())).id
      if (url.includes(':plan'))
        other = (await createPlan(api.db, { name: randomUUID(), price: 1, currency: 'TND' })).id
      if (url.includes('/asked/')) await askAgain()
      const expected = rules[role] ?? rules.everyone ?? rules.stranger
      const body = method === 'GET' || method === 'DELETE' ? undefined : (rules.body?.(api, ++calls, app) ?? {})
      const reply = await caller.send(method, pathOf(api, url, other, app), body)
      const outcome = reply.status === 200 ? 'ok' : reply.body.code
      expect(outcome, `${role}: ${route} ${reply.text}`).toBe(expected)
    }
})
