import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../tests/support/api.ts'
import { addRegisteredApp, decide, manifestOf } from '../../tests/support/apps.ts'
import type { Reply } from '../../tests/support/caller.ts'
import { addPerson, consoleCaller, PASSWORD } from '../../tests/support/console.ts'
import { codeOf, createSoftPasskey, signInAgain } from '../../tests/support/second-factor.ts'
import { COMMAND_LINE } from '../resources/accounts/audit.ts'
import { disableAccount } from '../resources/accounts/disable-account.ts'
import { invite } from '../resources/accounts/invitations.ts'
import { createStaffRole } from '../resources/accounts/staff-roles.ts'
import { createApp } from '../resources/auth/create-app.ts'
import { suspendStore } from '../resources/operator/manage-stores.ts'
import { createPlan } from '../resources/plans/manage-plans.ts'
import { requireSecondFactor } from '../resources/second-factor/requirement.ts'
import { createStore } from '../resources/stores/create-store.ts'

/** Writes that decide nothing about access, with the reason. */
const NO_ACT: Record<string, string> = {
  'POST /link/check': 'reads',
  'POST /operator/doctor': 'reads',
  'PUT /me': 'one’s own name, language and colours',
  'POST /confirm': 'the password once more, by who has signed in already',
  'POST /second-factor/challenge': 'a question; its answer is an act',
  'POST /second-factor/authenticator': 'begins; it counts when a code has confirmed it',
  'POST /second-factor/passkeys/challenge': 'a question; its answer is an act',
  'PUT /views': 'one’s own list',
  'DELETE /views/:id': 'one’s own list',
  'POST /stores/:id/token': 'the console calls for a person, with what they may do anyway',
}

type Send = () => Promise<Reply>

let api: TestApi
let operator: Awaited<ReturnType<typeof addPerson>>
let owner: Awaited<ReturnType<typeof addPerson>>

beforeAll(async () => {
  api = await startTestApi()
  operator = await addPerson(api)
  owner = await addPerson(api, { role: 'owner', store: api.store.id })
  // Operators are required to have one below.
  await addAuthenticator(operator)
})

const password = 'another horse battery'
const staff = () => addPerson(api, { role: 'staff', store: api.store.id, permissions: ['order:view'] })
const newcomer = () => ({ email: `${randomUUID()}@shop.example`, name: '' })

const addAuthenticator = async ({ console }: Pick<typeof owner, 'console'>) => {
  const { secret } = (await console.post('/second-factor/authenticator')).body.data
  await console.put('/second-factor/authenticator', { code: codeOf(secret) })
  return secret as string
}

const withAuthenticator = async () => {
  const person = await staff()
  const secret = await addAuthenticator(person)
  await sql`update authenticator set last_step = 0 where account_id = ${person.id}`.execute(api.db)
  return { ...person, secret }
}

/** Browsers refuse passkeys at addresses of numbers. */
const byName = () => ({ app: api.app, origin: api.origin.replace('127.0.0.1', 'localhost') })

const beginPasskey = async () => {
  const person = await staff()
  const console = consoleCaller(byName(), person.cookie)
  const key = createSoftPasskey(byName().origin)
  const { options } = (await console.post('/second-factor/passkeys/challenge')).body.data
  return {
    person,
    console,
    key,
    add: () => console.post('/second-factor/passkeys', { name: 'Laptop', credential: key.create(options) }),
  }
}

const invitation = async (role: 'owner' | 'operator' = 'owner') => {
  const grant = role === 'owner' ? { role, store: api.store.id } : { role }
  return invite(api.db, COMMAND_LINE, newcomer(), grant)
}

const installed = async () => {
  const app = await api.install(['product:view', 'review:view'])
  const { id } = await api.db
    .selectFrom('app')
    .select('id')
    .where('client_id', '=', app.client_id)
    .executeTakeFirstOrThrow()
  return { ...app, id }
}

const withWebhook = async () => {
  const app = await installed()
  const caller = api.anonymous.with({
    authorization: `Bearer ${await api.getToken(app, { install_id: app.install_id })}`,
  })
  const made = await caller.post('/webhook', { url: 'https://nobody.invalid/', types: ['product.*'] })
  return `/apps/${app.id}/webhooks/${made.body.data.webhook.id}`
}

const revocation = ({ install_id }: { install_id: string }) => ({
  installations: [{ id: install_id, permissions: ['review:view'] }],
})

const refused = async () => {
  const app = await installed()
  await sql`insert into permission_use (store_id, installation_id, permission, day, refused)
    values (${api.store.id}, ${app.install_id}, 'customer:view', current_date, 1)`.execute(api.db)
  return { app, question: { installation_id: app.install_id, permissions: ['customer:view'] } }
}

const assistant = async () => {
  const { id } = await createApp(api.db, `Desk ${randomUUID()}`)
  const { rows } = await sql<{ id: string }>`with i as (insert into installation (store_id, app_id, permissions)
      values (${api.store.id}, ${id}, '{order:view}') returning id)
    insert into connected_assistant (installation_id, account_id, permissions)
      select i.id, ${owner.id}, '{order:view}' from i returning id`.execute(api.db)
  return rows[0]?.id
}

let price = 10
const invoice = async () => {
  price += 10
  const { id } = await createPlan(api.db, { name: randomUUID(), price, currency: 'TND' })
  const { body } = await api.as('plan:switch').post('/plan/switch', { plan_id: id })
  return body.data.plan_switch.invoice_id as string
}

const registered = async () => {
  const manifest = await manifestOf()
  const { client_id } = await addRegisteredApp(api, manifest)
  const { id } = await api.db
    .selectFrom('app')
    .select('id')
    .where('client_id', '=', client_id)
    .executeTakeFirstOrThrow()
  return { client_id, path: `/operator/apps/${id}`, manifest }
}

const store = () => createStore(api.db, { name: `Shop ${randomUUID()}` })

/** Each prepares one act, and returns what does it. */
const CONTROL: Record<string, () => Promise<Send>> = {
  'POST /sign-in': async () => {
    const { email } = await staff()
    return () => consoleCaller(api).post('/sign-in', { email, password: PASSWORD })
  },
  'POST /link': async () => {
    const { code } = await invitation()
    return () => consoleCaller(api).post('/link', { code, password })
  },
  'POST /link/join': async () => {
    const person = await staff()
    const { code } = await invite(api.db, COMMAND_LINE, person, { role: 'operator' })
    return () => person.console.post('/link/join', { code })
  },
  'POST /authorize': async () => {
    const { client_id } = await registered()
    return () => decide(owner, api.store.id, { client_id })
  },
  'DELETE /sessions/:id': async () => {
    const person = await staff()
    await signInAgain(api, person)
    const { sessions } = (await person.console.get('/sessions')).body.data
    const other = sessions.find((one: { is_current: boolean }) => !one.is_current)
    return () => person.console.delete(`/sessions/${other.id}`)
  },
  'DELETE /sessions': async () => {
    const person = await staff()
    return () => person.console.delete('/sessions')
  },
  'POST /password': async () => {
    const person = await staff()
    return () => person.console.post('/password', { current_password: PASSWORD, password })
  },
  'POST /second-factor': async () => {
    const person = await withAuthenticator()
    const { console } = await signInAgain(api, person)
    return () => console.post('/second-factor', { code: codeOf(person.secret) })
  },
  'POST /second-factor/passkey': async () => {
    const { person, key, add } = await beginPasskey()
    await add()
    const { console } = await signInAgain(byName(), person)
    const { options } = (await console.post('/second-factor/challenge')).body.data
    return () => console.post('/second-factor/passkey', { credential: key.get(options) })
  },
  'PUT /second-factor/authenticator': async () => {
    const person = await staff()
    const { secret } = (await person.console.post('/second-factor/authenticator')).body.data
    return () => person.console.put('/second-factor/authenticator', { code: codeOf(secret) })
  },
  'DELETE /second-factor/authenticator': async () => {
    const person = await withAuthenticator()
    return () => person.console.delete('/second-factor/authenticator')
  },
  'POST /second-factor/recovery-codes': async () => {
    const person = await withAuthenticator()
    return () => person.console.post('/second-factor/recovery-codes')
  },
  'POST /second-factor/passkeys': async () => (await beginPasskey()).add,
  'DELETE /second-factor/passkeys/:id': async () => {
    const { console, add } = await beginPasskey()
    await add()
    const { passkeys } = (await console.get('/second-factor')).body.data
    return () => console.delete(`/second-factor/passkeys/${passkeys[0].id}`)
  },
  'PUT /stores/:id/people/:account': async () => {
    const { id } = await staff()
    return () => owner.console.put(`/stores/${api.store.id}/people/${id}`, { role: 'owner' })
  },
  'DELETE /stores/:id/people/:account': async () => {
    const { id } = await staff()
    return () => owner.console.delete(`/stores/${api.store.id}/people/${id}`)
  },
  'POST /stores/:id/invitations': async () => () =>
    owner.console.post(`/stores/${api.store.id}/invitations`, { ...newcomer(), role: 'owner' }),
  'PUT /stores/:id/invitations/:invitation': async () => {
    const { id } = await invitation()
    const change = { role: 'staff', permissions: ['order:view'] }
    return () => owner.console.put(`/stores/${api.store.id}/invitations/${id}`, change)
  },
  'POST /stores/:id/invitations/:invitation/link': async () => {
    const { id } = await invitation()
    return () => owner.console.post(`/stores/${api.store.id}/invitations/${id}/link`)
  },
  'DELETE /stores/:id/invitations/:invitation': async () => {
    const { id } = await invitation()
    return () => owner.console.delete(`/stores/${api.store.id}/invitations/${id}`)
  },
  'DELETE /assistants/:id': async () => {
    const id = await assistant()
    return () => owner.console.delete(`/assistants/${id}`)
  },
  'DELETE /stores/:id/assistants/:assistant': async () => {
    const id = await assistant()
    return () => owner.console.delete(`/stores/${api.store.id}/assistants/${id}`)
  },
  'POST /stores/:id/roles': async () => () =>
    owner.console.post(`/stores/${api.store.id}/roles`, { name: randomUUID(), permissions: ['order:view'] }),
  'PUT /stores/:id/roles/:role': async () => {
    const { id } = await createStaffRole(api.db, COMMAND_LINE, api.store.id, {
      name: randomUUID(),
      permissions: ['order:view'],
    })
    return () => owner.console.put(`/stores/${api.store.id}/roles/${id}`, { permissions: ['product:view'] })
  },
  'DELETE /stores/:id/roles/:role': async () => {
    const role = { name: randomUUID(), permissions: ['order:view' as const] }
    const { id } = await createStaffRole(api.db, COMMAND_LINE, api.store.id, role)
    return () => owner.console.delete(`/stores/${api.store.id}/roles/${id}`)
  },
  'POST /operator/stores': async () => () =>
    operator.console.post('/operator/stores', { id: randomUUID(), name: randomUUID() }),
  'PUT /operator/stores/:id': async () => {
    const { id } = await store()
    return () => operator.console.put(`/operator/stores/${id}`, { name: randomUUID() })
  },
  'POST /operator/stores/:id/suspend': async () => {
    const { id } = await store()
    return () => operator.console.post(`/operator/stores/${id}/suspend`)
  },
  'POST /operator/stores/:id/resume': async () => {
    const { id } = await store()
    await suspendStore(api.db, COMMAND_LINE, id)
    return () => operator.console.post(`/operator/stores/${id}/resume`)
  },
  'POST /operator/stores/:id/removal': async () => {
    const { id, name } = await store()
    return () => operator.console.post(`/operator/stores/${id}/removal`, { name })
  },
  'POST /operator/accounts/:id/link': async () => {
    const { id } = await staff()
    return () => operator.console.post(`/operator/accounts/${id}/link`)
  },
  'DELETE /operator/accounts/:id/sessions': async () => {
    const { id } = await staff()
    return () => operator.console.delete(`/operator/accounts/${id}/sessions`)
  },
  'DELETE /operator/accounts/:id/sessions/:session': async () => {
    const { id } = await staff()
    const path = `/operator/accounts/${id}/sessions`
    const { sessions } = (await operator.console.get(path)).body.data
    return () => operator.console.delete(`${path}/${sessions[0].id}`)
  },
  'DELETE /operator/accounts/:id/second-factor': async () => {
    const { id } = await withAuthenticator()
    return () => operator.console.delete(`/operator/accounts/${id}/second-factor`)
  },
  'PUT /operator/second-factor': async () => {
    await requireSecondFactor(api.db, COMMAND_LINE, 'nobody')
    return () => operator.console.put('/operator/second-factor', { second_factor: 'operators' })
  },
  'POST /operator/accounts/:id/roles': async () => {
    const { id } = await staff()
    return () => operator.console.post(`/operator/accounts/${id}/roles`, { role: 'operator' })
  },
  'POST /operator/accounts/:id/roles/removal': async () => {
    const { id } = await staff()
    const role = { role: 'staff', store_id: api.store.id }
    return () => operator.console.post(`/operator/accounts/${id}/roles/removal`, role)
  },
  'POST /operator/accounts/:id/disable': async () => {
    const { id } = await staff()
    return () => operator.console.post(`/operator/accounts/${id}/disable`)
  },
  'POST /operator/accounts/:id/enable': async () => {
    const { id, email } = await staff()
    await disableAccount(api.db, COMMAND_LINE, email)
    return () => operator.console.post(`/operator/accounts/${id}/enable`)
  },
  'POST /operator/invitations': async () => () =>
    operator.console.post('/operator/invitations', { ...newcomer(), role: 'operator' }),
  'POST /operator/invitations/:id/link': async () => {
    const { id } = await invitation('operator')
    return () => operator.console.post(`/operator/invitations/${id}/link`)
  },
  'DELETE /operator/invitations/:id': async () => {
    const { id } = await invitation('operator')
    return () => operator.console.delete(`/operator/invitations/${id}`)
  },
  'POST /operator/apps': async () => {
    const manifest = JSON.stringify(await manifestOf())
    return () => operator.console.post('/operator/apps', { listing: 'listed', manifest })
  },
  'PUT /operator/apps/:app': async () => {
    const { path } = await registered()
    return () => operator.console.put(path, { disabled: true })
  },
  'POST /operator/apps/:app/refresh': async () => {
    const { path, manifest } = await registered()
    const content = JSON.stringify({ ...manifest, description: 'Counts twice.' })
    return () => operator.console.post(`${path}/refresh`, { manifest: content })
  },
  'POST /operator/apps/:app/secret': async () => {
    const { path } = await registered()
    return () => operator.console.post(`${path}/secret`)
  },
  'POST /operator/plans': async () => () =>
    operator.console.post('/operator/plans', {
      name: randomUUID(),
      price: 5,
      currency: 'TND',
      period: 'month',
      limits: {},
    }),
  'PUT /operator/plans/:plan': async () => {
    const { id } = await createPlan(api.db, { name: randomUUID(), price: 1, currency: 'TND' })
    return () => operator.console.put(`/operator/plans/${id}`, { price: 6 })
  },
  'POST /operator/invoices/:id/paid': async () => {
    const id = await invoice()
    return () => operator.console.post(`/operator/invoices/${id}/paid`, { reference: 'bank' })
  },
  'POST /operator/invoices/:id/void': async () => {
    const id = await invoice()
    return () => operator.console.post(`/operator/invoices/${id}/void`, {})
  },
  'POST /apps/:id/token': async () => {
    const { id, install_id } = await installed()
    return () => operator.console.post(`/apps/${id}/token`, { installation_id: install_id })
  },
  'POST /apps/:id/permissions/ask': async () => {
    const { app, question } = await refused()
    return () => operator.console.post(`/apps/${app.id}/permissions/ask`, question)
  },
  'POST /apps/:id/permissions/revoke': async () => {
    const app = await installed()
    return () => operator.console.post(`/apps/${app.id}/permissions/revoke`, revocation(app))
  },
  'POST /apps/:id/permissions/restore': async () => {
    const app = await installed()
    const { undo } = (await operator.console.post(`/apps/${app.id}/permissions/revoke`, revocation(app))).body.data
    return () => operator.console.post(`/apps/${app.id}/permissions/restore`, { undo })
  },
  'POST /apps/:id/webhooks/:webhook/pause': async () => {
    const path = await withWebhook()
    return () => operator.console.post(`${path}/pause`)
  },
  'POST /apps/:id/webhooks/:webhook/resume': async () => {
    const path = await withWebhook()
    await operator.console.post(`${path}/pause`)
    return () => operator.console.post(`${path}/resume`, { from: 'stopped' })
  },
  'POST /apps/:id/webhooks/:webhook/replay': async () => {
    const path = await withWebhook()
    return () => operator.console.post(`${path}/replay`, { failed: true })
  },
  'POST /apps/:id/webhooks/:webhook/secret': async () => {
    const path = await withWebhook()
    return () => operator.console.post(`${path}/secret`, {})
  },
  'POST /apps/:id/webhooks/:webhook/test': async () => {
    const path = await withWebhook()
    return () => operator.console.post(`${path}/test`)
  },
  'POST /stores/:id/permissions/asked/:installation': async () => {
    const { app, question } = await refused()
    await operator.console.post(`/apps/${app.id}/permissions/ask`, question)
    const path = `/stores/${api.store.id}/permissions/asked/${app.install_id}`
    return () => owner.console.post(path, { permissions: [] })
  },
  'POST /stores/:id/permissions/revoke': async () => {
    const given = revocation(await installed())
    return () => owner.console.post(`/stores/${api.store.id}/permissions/revoke`, given)
  },
  'POST /stores/:id/permissions/restore': async () => {
    const path = `/stores/${api.store.id}/permissions`
    const { undo } = (await owner.console.post(`${path}/revoke`, revocation(await installed()))).body.data
    return () => owner.console.post(`${path}/restore`, { undo })
  },
  'POST /sign-out': async () => {
    const person = await staff()
    return () => person.console.post('/sign-out')
  },
}

const entries = async () => (await api.db.selectFrom('audit_entry').select('id').execute()).length

const refuseEntries = () =>
  sql`alter table audit_entry add constraint full_disk check (false) not valid`.execute(api.db)
const takeEntries = () => sql`alter table audit_entry drop constraint full_disk`.execute(api.db)

test('every write of the console is an act in the audit log, in its own transaction, or it is said why not', async () => {
  const writes = api.app.routeTable
    .filter(({ url, method }) => url.startsWith('/console/api/') && !['GET', 'HEAD', 'OPTIONS'].includes(method))
    .map(({ method, url }) => `${method} ${url.replace('/console/api', '')}`)
  expect([...Object.keys(CONTROL), ...Object.keys(NO_ACT)].toSorted()).toEqual(writes.toSorted())
  for (const [route, prepare] of Object.entries(CONTROL)) {
    const hindered = await prepare()
    await refuseEntries()
    const reply = await hindered().finally(takeEntries)
    expect(reply, `${route} without room for its entry: ${reply.status} ${reply.text}`).toFailWith('server_error')
    const send = await prepare()
    const before = await entries()
    const done = await send()
    expect(done.status, `${route}: ${done.text}`).toBe(200)
    expect(await entries(), route).toBeGreaterThan(before)
  }
})

test('what the API and people do with apps is in the audit log, with the name of the app or of the person', async () => {
  const { client_id } = await addRegisteredApp(api, { permissions: { required: ['product:view'], optional: [] } })
  const manager = await api.install(['app:install', 'app:uninstall', 'product:view'])
  const token = await api.getToken(manager, { install_id: manager.install_id })
  const caller = api.anonymous.with({ authorization: `Bearer ${token}` })
  const actsOf = async (subject: string) =>
    api.db
      .selectFrom('audit_entry')
      .select(['act', 'actor', 'account_id'])
      .where('subject', '=', subject)
      .orderBy('at')
      .orderBy('id')
      .execute()
  const { name } = await api.db
    .selectFrom('app')
    .select('name')
    .where('client_id', '=', client_id)
    .executeTakeFirstOrThrow()
  const byApp = { actor: 'Test app', account_id: null }
  expect((await caller.post(`/app/${client_id}/install`, {})).status).toBe(201)
  expect((await caller.delete(`/app/${client_id}`)).status).toBe(200)
  expect(await actsOf(name)).toEqual([
    { act: 'install_app', ...byApp },
    { act: 'uninstall_app', ...byApp },
  ])
  // As the page of an app does it, for the person who is signed in.
  await decide(owner, api.store.id, { client_id })
  const { body } = await owner.console.post(`/stores/${api.store.id}/token`)
  const asOwner = api.anonymous.with({ authorization: `Bearer ${body.data.token}` })
  await refuseEntries()
  expect(await asOwner.delete(`/app/${client_id}`).finally(takeEntries)).toFailWith('server_error')
  expect((await asOwner.delete(`/app/${client_id}`)).status).toBe(200)
  expect((await actsOf(name)).at(-1)).toEqual({ act: 'uninstall_app', actor: owner.name, account_id: owner.id })
  expect((await caller.put('/app/self', { permissions: ['product:view'] })).status).toBe(200)
  expect((await actsOf('Test app')).at(-1)).toEqual({ act: 'change_permissions', ...byApp })
  const shown = (await operator.console.get('/operator/audit?who=apps')).body.data.entries
  expect([...new Set(shown.map(({ actor }: { actor: string }) => actor))]).toEqual(['Test app'])
  const commands = (await operator.console.get('/operator/audit?who=command_line')).body.data.entries
  expect([...new Set(commands.map(({ actor }: { actor: string }) => actor))]).toEqual(['command line'])
})
