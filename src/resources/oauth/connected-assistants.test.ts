import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import {
  authorizationRequest,
  decide,
  LOCAL_APPS,
  newProof,
  REDIRECT,
  sendForm,
  startAppSite,
} from '../../../tests/support/apps.ts'
import { connectAssistant } from '../../../tests/support/assistants.ts'
import { addPerson, consoleCaller, PASSWORD } from '../../../tests/support/console.ts'
import { API_PREFIX } from '../../config/config.ts'
import { COMMAND_LINE } from '../accounts/audit.ts'
import { disableAccount } from '../accounts/disable-account.ts'
import { linkAccount } from '../accounts/link-account.ts'
import { callOf, collectOperations, type Operation, parameterNames } from '../assistants/operations.ts'
import { PERMISSIONS } from '../permissions/catalogue.ts'

type Person = Awaited<ReturnType<typeof addPerson>>

const NDJSON = { 'content-type': 'application/x-ndjson' }

const SECRET = { ...LOCAL_APPS, TOKEN_SECRET: 'the same secret on both nodes, long enough' }

let api: TestApi
let other: TestApi
let owner: Person
let site: Awaited<ReturnType<typeof startAppSite>>
beforeAll(async () => {
  api = await startTestApi(SECRET)
  other = await startTestApi({ ...SECRET, DATABASE_POOL: '5' })
  owner = await addPerson(api, { role: 'owner', store: api.store.id })
  site = await startAppSite()
})

let clients = 0

/** A chat program, known by the address of its document. */
const addProgram = () => {
  const path = `/client-${++clients}.json`
  const client_id = site.origin + path
  site.documents.set(path, { client_id, client_name: `Desk ${clients}`, redirect_uris: [REDIRECT] })
  return { client_id, name: `Desk ${clients}` }
}

const addStaff = (...permissions: string[]) => addPerson(api, { role: 'staff', store: api.store.id, permissions })

/** A person lets a program in, ticking these permissions. */
const connect = async (
  person: Person,
  { client_id }: { client_id: string },
  permissions: readonly string[] = PERMISSIONS,
) => {
  const { verifier, challenge } = newProof()
  const request = authorizationRequest(client_id, challenge)
  const decided = await decide(person, api.store.id, request, { permissions: [...permissions] })
  expect(decided.status, decided.text).toBe(200)
  const code = new URL(decided.body.data.redirect).searchParams.get('code') as string
  const form = { grant_type: 'authorization_code', client_id, redirect_uri: REDIRECT, code, code_verifier: verifier }
  const { body, text, status } = await sendForm(api, '/oauth/token', form)
  expect(status, text).toBe(200)
  const headers = { authorization: `Bearer ${body.access_token}` }
  return {
    headers,
    refresh_token: body.refresh_token as string,
    scope: body.scope as string,
    install_id: body.install_id,
  }
}

const assistantsOf = async (person: Person) => (await person.console.get('/assistants')).body.data.assistants

/** A second node hears of a change a moment later. */
const expectEnded = (headers: Record<string, string>) =>
  Promise.all(
    [api, other].map((node) =>
      expect.poll(async () => (await node.anonymous.with(headers).get('/product')).status).toBe(401),
    ),
  )

test('the official client needs only the address of a store: its person agrees, ticks, and it is in', async () => {
  const program = addProgram()
  const { body } = await owner.console.get('/assistants')
  const { address } = body.data.stores.find(({ id }: { id: string }) => id === api.store.id)
  expect(address).toBe(`${api.origin}${API_PREFIX}/mcp?store=${api.store.id}`)
  let tokens: object | undefined
  let verifier = ''
  let place: URL | undefined
  const authProvider = {
    redirectUrl: REDIRECT,
    clientMetadata: { redirect_uris: [REDIRECT] },
    clientInformation: () => ({ client_id: program.client_id }),
    tokens: () => tokens as never,
    saveTokens: (given: object) => {
      tokens = given
    },
    redirectToAuthorization: (url: URL) => {
      place = url
    },
    saveCodeVerifier: (text: string) => {
      verifier = text
    },
    codeVerifier: () => verifier,
  }
  const start = () => new StreamableHTTPClientTransport(new URL(address), { authProvider })
  const first = start()
  await expect(new Client({ name: 'test', version: '1.0.0' }).connect(first)).rejects.toThrow(/unauthori[sz]ed/i)
  const asked = Object.fromEntries((place as URL).searchParams)
  expect(asked.resource).toBe(address)

  const seen = (await owner.console.get(`/authorize?${new URLSearchParams(asked)}`)).body.data.consent
  expect([seen.store, seen.required, seen.optional.length]).toEqual([api.store.id, [], PERMISSIONS.length])
  const elsewhere = await startTestApi()
  expect(await decide(owner, elsewhere.store.id, asked, { permissions: ['order:view'] })).toBeRefused(422, 'store')
  expect(await decide(owner, api.store.id, asked, { permissions: [] })).toBeRefused(422, 'permissions')
  const answer = await decide(owner, api.store.id, asked, { permissions: ['order:view', 'product:view'] })
  const { searchParams } = new URL(answer.body.data.redirect)
  await first.finishAuth(searchParams)

  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(start())
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['store_info', 'find', 'read', 'describe'])
  const { content } = (await client.callTool({ name: 'store_info', arguments: {} })) as { content: { text: string }[] }
  expect(JSON.parse(content[0]?.text ?? '').you).toEqual({
    app: program.name,
    on_behalf_of: owner.name,
    may: { order: 'view', product: 'view' },
  })
  await client.close()
  const [listed] = (await assistantsOf(owner)).filter(({ name }: { name: string }) => name === program.name)
  expect(listed).toMatchObject({
    store: api.store.name,
    person: owner.name,
    permissions: ['order:view', 'product:view'],
  })
})

test('an assistant is let in at the address of its own store only', async () => {
  const { headers } = await connect(owner, addProgram())
  const neighbour = await startTestApi()
  const call = (query: string, more = {}) =>
    api.anonymous
      .with({ ...headers, accept: 'application/json, text/event-stream' })
      .post(`/mcp${query}`, { jsonrpc: '2.0', id: 1, method: 'ping' }, more)
  expect((await call(`?store=${api.store.id}`)).status).toBe(200)
  expect(await call(`?store=${neighbour.store.id}`)).toFailWith('install_not_granted')
  const foreign = await neighbour.install(['product:view'])
  expect(await call('', { 'x-app-install-id': foreign.install_id })).toFailWith('install_not_granted')
  const refused = await api.anonymous.post(`/mcp?store=${api.store.id}`, {})
  expect(refused.headers.get('www-authenticate')).toBe(
    `Bearer realm="storefront-apps", resource_metadata="${api.origin}/.well-known/oauth-protected-resource${API_PREFIX}/mcp?store=${api.store.id}"`,
  )
})

const argumentsFor = (operation: Operation) =>
  Object.fromEntries(parameterNames(operation).path.map((name) => [name, crypto.randomUUID()]))

test('what the person may not do any more, and what was not ticked, is refused in every operation', async () => {
  const person = await addPerson(api, { role: 'owner', store: api.store.id })
  const program = addProgram()
  const { headers, install_id } = await connect(person, program)
  const assistant = await connectAssistant(api.origin, headers)
  const operations = [...collectOperations(api.app).values()].filter(({ route }) => route.config.permission)
  expect(operations.length).toBeGreaterThan(50)
  const members = api.db.updateTable('membership').where('account_id', '=', person.id)
  const ticks = api.db.updateTable('connected_assistant').where('account_id', '=', person.id)
  const granted = async () => (await api.anonymous.with(headers).get('/app/self')).body.data.installation.permissions
  let byPerson = true
  for (const permission of new Set(operations.map(({ route }) => route.config.permission as string))) {
    const rest = PERMISSIONS.filter((name) => name !== permission)
    // By turns, one and the other has it alone.
    byPerson = !byPerson
    await members.set({ role: 'staff', permissions: byPerson ? rest : [...PERMISSIONS] }).execute()
    await ticks.set({ permissions: byPerson ? [...PERMISSIONS] : rest }).execute()
    await expect.poll(granted).toEqual(rest.toSorted())
    for (const operation of operations.filter(({ route }) => route.config.permission === permission)) {
      const { method, url, body } = callOf(operation, argumentsFor(operation))
      const overHttp = await api.site.send(method, url, method === 'GET' ? undefined : body, headers)
      expect(overHttp.status, operation.id).toBe(403)
      const args = argumentsFor(operation)
      const called = operation.isRead
        ? assistant.call('read', { operation: operation.id, arguments: args })
        : assistant.call('plan', { operation: operation.id, items: [args] })
      await expect(called, operation.id).rejects.toThrow(permission)
    }
  }
  await assistant.close()
  const installed = await api.db
    .selectFrom('installation')
    .select('permissions')
    .where('id', '=', install_id)
    .executeTakeFirst()
  expect(installed?.permissions).toHaveLength(PERMISSIONS.length)
})

test('people who connect the same assistant share nothing: not their rights, not their plans', async () => {
  const program = addProgram()
  const everything = await connect(owner, program)
  const staff = await addStaff('app:install', ...PERMISSIONS.filter((name) => name !== 'app:install'))
  const reader = await connect(staff, program, ['product:view'])
  expect([reader.scope, reader.install_id]).toEqual(['product:view', everything.install_id])
  expect((await api.anonymous.with(everything.headers).get('/order')).status).toBe(200)
  expect(await api.anonymous.with(reader.headers).get('/order')).toFailWith('forbidden')

  const alike = await connect(staff, program)
  const [mine, theirs] = [
    await connectAssistant(api.origin, everything.headers),
    await connectAssistant(api.origin, alike.headers),
  ]
  const items = [{ name: 'Mine', email: 'mine@shop.example' }]
  const { value } = await mine.call('plan', { operation: 'createCustomer', items })
  const stolen = await theirs.call('apply', { plan: value.plan })
  expect(stolen.isError, JSON.stringify(stolen.value)).toBe(true)
  expect((await mine.call('apply', { plan: value.plan })).value.result).toBe('1 applied, 0 refused.')
  await Promise.all([mine, theirs].map(({ close }) => close()))
})

test('an assistant leaves nothing behind that outlives it: no webhook, no app, no narrower installation', async () => {
  const { headers } = await connect(owner, addProgram())
  const all = api.anonymous.with(headers)
  expect(await all.post('/webhook', { url: 'http://127.0.0.1:9/x', types: ['order.*'] })).toFailWith('forbidden')
  expect((await all.get('/webhook')).body.data.webhooks).toEqual([])
  expect(await all.put('/app/self', { permissions: ['product:view'] })).toFailWith('forbidden')
  expect(await all.post('/app/whatever/install', {})).toFailWith('forbidden')
})

test('a bulk job of an assistant does what its person has ticked, and stops when it is cut off', async () => {
  const { headers, install_id } = await connect(owner, addProgram(), ['customer:create', 'customer:view', 'order:view'])
  const all = api.anonymous.with(headers)
  const line = JSON.stringify({ name: 'Bulk', email: 'bulk@shop.example' })
  const { job } = (await all.post('/bulk?resource=customer', `${line}\n`, NDJSON)).body.data
  const ended = (id: string, status: string, error: string | null) =>
    expect
      .poll(() => api.db.selectFrom('bulk_job').select(['status', 'error']).where('id', '=', id).executeTakeFirst())
      .toMatchObject({ status, error })
  const { app_id, ...made } = await api.db
    .selectFrom('bulk_job')
    .select(['app_id', 'account_id', 'installation_id'])
    .where('id', '=', job.id)
    .executeTakeFirstOrThrow()
  expect(made).toEqual({ account_id: owner.id, installation_id: install_id })

  // As if they had been started before the installation, or this person, lost something.
  const job_of = async (resource: string) => {
    const id = crypto.randomUUID()
    const of = { store_id: api.store.id, app_id, app_name: 'Desk', ...made }
    const values = { ...of, id, resource, mode: 'create', dry_run: false, status: 'waiting' }
    await api.db.insertInto('bulk_job').values(values).execute()
    return id
  }
  await api.db
    .updateTable('installation')
    .set({ permissions: [...PERMISSIONS] })
    .where('id', '=', install_id)
    .execute()
  await ended(await job_of('order'), 'failed', 'The person no longer has the permission order:create.')
  await api.db.deleteFrom('connected_assistant').where('installation_id', '=', install_id).execute()
  await ended(await job_of('customer'), 'failed', 'The person no longer has access.')
})

test('whoever connected it cuts it off, or an owner does; nobody else can', async () => {
  const program = addProgram()
  const staff = await addStaff('app:install', 'product:view', 'order:view')
  const { headers, refresh_token } = await connect(staff, program, ['product:view', 'order:view'])
  const kept = await connect(owner, program, ['product:view'])
  const [{ id }] = await assistantsOf(staff)
  const path = `/stores/${api.store.id}/assistants`

  const stranger = await addPerson(api, { role: 'staff', store: api.store.id, permissions: ['app:uninstall'] })
  expect((await stranger.console.delete(`/assistants/${id}`)).status).toBe(404)
  expect((await stranger.console.get(path)).status).toBe(403)
  expect((await stranger.console.delete(`${path}/${id}`)).status).toBe(403)
  const neighbour = await startTestApi(LOCAL_APPS)
  const rival = await addPerson(neighbour, { role: 'owner', store: neighbour.store.id })
  expect((await rival.console.delete(`/stores/${neighbour.store.id}/assistants/${id}`)).status).toBe(404)
  expect((await rival.console.get(path)).status).toBe(404)
  expect((await api.anonymous.with(headers).get('/product')).status).toBe(200)

  const { assistants } = (await owner.console.get(path)).body.data
  const ofStaff = assistants.find((one: { id: string }) => one.id === id)
  expect(ofStaff).toMatchObject({ name: program.name, person: staff.name, permissions: ['order:view', 'product:view'] })
  expect(ofStaff.last_used_at).not.toBeNull()
  expect((await owner.console.delete(`${path}/${id}`)).status).toBe(200)
  await expectEnded(headers)
  expect((await owner.console.delete(`${path}/${id}`)).status).toBe(404)
  const refresh = { grant_type: 'refresh_token', client_id: program.client_id, refresh_token }
  expect((await sendForm(api, '/oauth/token', refresh)).body.error).toBe('invalid_grant')
  expect(await assistantsOf(staff)).toEqual([])
  expect((await api.anonymous.with(kept.headers).get('/product')).status).toBe(200)
  const acts = await api.db.selectFrom('audit_entry').selectAll().where('act', '=', 'cut_off_assistant').execute()
  expect(acts).toMatchObject([{ account_id: owner.id, subject: program.name, store_id: api.store.id }])

  const [mine] = (await assistantsOf(owner)).filter(({ name }: { name: string }) => name === program.name)
  expect((await owner.console.delete(`/assistants/${mine.id}`)).status).toBe(200)
  await expectEnded(kept.headers)
})

test('a stream of events ends when its assistant is cut off', async () => {
  const { headers } = await connect(owner, addProgram(), ['product:view'])
  const stream = await fetch(`${other.origin}${API_PREFIX}/event?cursor=now`, {
    headers: { ...headers, accept: 'text/event-stream' },
  })
  expect(stream.status).toBe(200)
  const ended = stream.text()
  const [newest] = (await assistantsOf(owner)).toSorted((a: { connected_at: string }, b: { connected_at: string }) =>
    b.connected_at.localeCompare(a.connected_at),
  )
  await owner.console.delete(`/assistants/${newest.id}`)
  expect(await ended).toContain('no longer valid')
})

test('a new password, a reset one and a disabled account cut off every assistant of the person', async () => {
  const changes: ((person: Person) => Promise<unknown>)[] = [
    ({ console }) => console.post('/password', { current_password: PASSWORD, password: 'another long sentence' }),
    async ({ email }) => {
      const code = await linkAccount(api.db, COMMAND_LINE, email)
      return consoleCaller(api).post('/link', { code, password: 'a third long sentence' })
    },
    ({ email }) => disableAccount(api.db, COMMAND_LINE, email),
  ]
  for (const change of changes) {
    const person = await addStaff('app:install', 'product:view')
    const { headers } = await connect(person, addProgram(), ['product:view'])
    expect((await api.anonymous.with(headers).get('/product')).status).toBe(200)
    await change(person)
    await expectEnded(headers)
    const left = await api.db
      .selectFrom('connected_assistant')
      .selectAll()
      .where('account_id', '=', person.id)
      .execute()
    expect(left).toEqual([])
  }
})

test('what an assistant does is known as its, and as that of its person', async () => {
  const program = addProgram()
  const person = await addStaff(...PERMISSIONS)
  const { headers } = await connect(person, program)
  const { id } = (await api.as().post('/order', {})).body.data.order
  const cursor = (await api.as().get('/event?cursor=now')).body.data.next_cursor
  const assistant = await connectAssistant(api.origin, headers)
  const items = [{ id, status: 'paid' }]
  const { plan } = (await assistant.call('plan', { operation: 'updateOrder', items })).value
  expect((await assistant.call('apply', { plan })).value.result).toBe('1 applied, 0 refused.')
  await assistant.close()
  await api.anonymous.with(headers).post('/customer', { name: 'Direct', email: 'direct@shop.example' })
  await api.as().put(`/order/${id}`, { is_archived: true })

  const { history } = (await api.as().get(`/order/${id}`)).body.data.order
  const [paid, archived] = history.slice(-2)
  expect(paid).toMatchObject({ app_name: program.name, account_name: person.name, via: 'assistant', to: 'paid' })
  expect(archived).not.toHaveProperty('via')

  const by = { app: { name: program.name }, account: { id: person.id, name: person.name }, via: 'assistant' }
  const eventsWith = async (filter: string) =>
    (await api.as().get(`/event?cursor=${cursor}${filter}`)).body.data.events as { type: string; by: object }[]
  const all = await eventsWith('')
  expect(all.map(({ type }) => type)).toEqual(['order.updated', 'customer.created', 'order.updated'])
  expect(all[2]?.by).toMatchObject({ account: null, via: null })
  for (const filter of ['&via=assistant', `&account_id=${person.id}`]) {
    const found = await eventsWith(filter)
    expect(found).toMatchObject([
      { type: 'order.updated', by },
      { type: 'customer.created', by },
    ])
  }

  await api.services.calls.flush()
  const operator = await addPerson(api, { role: 'operator' })
  const { calls } = (await operator.console.get('/calls?via=assistant')).body.data
  const own = calls.filter(({ app }: { app: string }) => app === program.name)
  expect(own.map(({ method, route }: Record<string, string>) => `${method} ${route}`)).toEqual(
    expect.arrayContaining(['PUT /api/apps/v1/order/:id', 'POST /api/apps/v1/mcp', 'POST /api/apps/v1/customer']),
  )
  for (const call of own) expect(call).toMatchObject({ account: person.name, via: 'assistant' })
  const [{ calls: counted, last_used_at }] = await assistantsOf(person)
  const outer = own.filter(({ route }: { route: string }) => !route?.includes(':id'))
  expect(counted).toBe(outer.length)
  expect(last_used_at).not.toBeNull()
})
