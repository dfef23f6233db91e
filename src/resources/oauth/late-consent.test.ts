import type { ServerResponse } from 'node:http'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import {
  addRegisteredApp,
  authorizationRequest,
  decide,
  LOCAL_APPS,
  newProof,
  obtainCode,
  REDIRECT,
  sendForm,
  startAppSite,
} from '../../../tests/support/apps.ts'
import type { Reply } from '../../../tests/support/caller.ts'
import { addPerson } from '../../../tests/support/console.ts'
import { signInAgain } from '../../../tests/support/second-factor.ts'
import { whileLocked } from '../../../tests/support/waiting.ts'
import { COMMAND_LINE } from '../accounts/audit.ts'
import { revokeRole } from '../accounts/change-role.ts'
import { rotateSecret } from '../auth/rotate-secret.ts'

type Person = Awaited<ReturnType<typeof addPerson>>

let api: TestApi
let owner: Person
let site: Awaited<ReturnType<typeof startAppSite>>
beforeAll(async () => {
  api = await startTestApi(LOCAL_APPS)
  owner = await addPerson(api, { role: 'owner', store: api.store.id })
  site = await startAppSite()
})

let clients = 0

const addProgram = () => {
  const path = `/late-${++clients}.json`
  const client_id = site.origin + path
  const document = { client_id, client_name: `Late ${clients}`, redirect_uris: [REDIRECT] }
  site.documents.set(path, document)
  return { client_id, path, document }
}

/** What a person has decided reaches the service, and waits there for the document of the client while `meanwhile` happens. */
const decideSlowly = async (person: Pick<Person, 'console'>, meanwhile: () => Promise<unknown>) => {
  const { client_id, path, document } = addProgram()
  const request = authorizationRequest(client_id, newProof().challenge)
  const { consent } = (await person.console.get(`/authorize?${new URLSearchParams(request)}`)).body.data
  const asked = new Promise<ServerResponse>((resolve) => {
    site.documents.set(path, resolve)
  })
  const decision = { request, store: api.store.id, permissions: ['order:view'], revision: consent.revision }
  const decided = person.console.post('/authorize', decision)
  const reply = await asked
  await meanwhile()
  reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
  return decided
}

const assistantsOf = async (person: Pick<Person, 'console'>) =>
  (await person.console.get('/assistants')).body.data.assistants

const exchange = (client_id: string, { code, verifier }: { code: string; verifier: string }) =>
  sendForm(api, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id,
    redirect_uri: REDIRECT,
    code,
    code_verifier: verifier,
  })

const refresh = (client_id: string, refresh_token: string) =>
  sendForm(api, '/oauth/token', { grant_type: 'refresh_token', client_id, refresh_token })

test('a session that ends while it lets a client in lets nobody in', async () => {
  const person = await addPerson(api, { role: 'owner', store: api.store.id })
  const { console: thief } = await signInAgain(api, person)
  const late = await decideSlowly({ console: thief }, () =>
    person.console.post('/password', { current_password: 'correct horse battery', password: 'a brand new password' }),
  )
  expect(late).toFailWith('sign_in_required')
  expect(await assistantsOf(person)).toEqual([])
})

test('a session that is asked for a second factor meanwhile lets nobody in', async () => {
  const person = await addPerson(api, { role: 'owner', store: api.store.id })
  const { console: thief } = await signInAgain(api, person)
  const late = await decideSlowly({ console: thief }, () =>
    sql`insert into authenticator (account_id, salt) values (${person.id}, 'salt')`.execute(api.db),
  )
  expect(late).toFailWith('second_factor_required')
})

test('somebody who ceases to be an operator meanwhile lets nobody into a store', async () => {
  const person = await addPerson(api)
  await addPerson(api)
  const late = await decideSlowly(person, () => revokeRole(api.db, COMMAND_LINE, person.email, { role: 'operator' }))
  expect(late).toFailWith('not_found')
})

test('nothing is installed or let in while a store is suspended, but by operators', async () => {
  const operator = await addPerson(api)
  const suspended = await startTestApi(LOCAL_APPS)
  const { id } = suspended.store
  const person = await addPerson(api, { role: 'owner', store: id })
  const { client_id } = await addRegisteredApp(api)
  await operator.console.post(`/operator/stores/${id}/suspend`)
  expect(await decide(person, id, { client_id })).toFailWith('store_suspended')
  const program = authorizationRequest(addProgram().client_id, newProof().challenge)
  expect(await decide(person, id, program)).toFailWith('store_suspended')
  expect((await decide(operator, id, { client_id })).status).toBe(200)
})

test('what a client got before it was disabled stays worthless when it is enabled again', async () => {
  const operator = await addPerson(api)
  const { client_id } = addProgram()
  const used = await exchange(
    client_id,
    await obtainCode(owner, api.store.id, client_id, { permissions: ['order:view'] }),
  )
  expect(used.status, used.text).toBe(200)
  const unused = await obtainCode(owner, api.store.id, client_id, { permissions: ['order:view'] })
  const { id } = await api.db
    .selectFrom('app')
    .select('id')
    .where('client_id', '=', client_id)
    .executeTakeFirstOrThrow()
  for (const disabled of [true, false])
    expect((await operator.console.put(`/operator/apps/${id}`, { disabled })).status).toBe(200)
  expect((await refresh(client_id, used.body.refresh_token)).body.error).toBe('invalid_grant')
  expect((await exchange(client_id, unused)).body.error).toBe('invalid_grant')
  const again = await obtainCode(owner, api.store.id, client_id, { permissions: ['order:view'] })
  expect((await exchange(client_id, again)).status).toBe(200)
})

test('two people who are the first to let a client in, at the same moment, both do', async () => {
  const other = await addPerson(api, { role: 'owner', store: api.store.id })
  const { client_id } = addProgram()
  const request = authorizationRequest(client_id, newProof().challenge)
  const replies = await Promise.all(
    [owner, other, owner, other].map((person) =>
      decide(person, api.store.id, request, { permissions: ['order:view'] }),
    ),
  )
  expect(replies.map(({ status, text }) => [status, status === 200 ? '' : text])).toEqual(replies.map(() => [200, '']))
})

test('an app that is uninstalled while it asks for a token is told so', async () => {
  const app = await api.install(['order:view'])
  const form = {
    grant_type: 'client_credentials',
    client_id: app.client_id,
    client_secret: app.client_secret,
    install_id: app.install_id,
  }
  expect((await sendForm(api, '/oauth/token', form)).status).toBe(200)
  const reply: Reply = await whileLocked(api.db, sql`delete from installation where id = ${app.install_id}`, () =>
    sendForm(api, '/oauth/token', form),
  )
  expect([reply.status, reply.body.error]).toEqual([400, 'invalid_grant'])
})

test('nobody gets a token of an assistant without the person who has connected it', async () => {
  const { client_id } = addProgram()
  const { install_id } = await obtainCode(owner, api.store.id, client_id, { permissions: ['order:view'] })
  const { id } = await api.db
    .selectFrom('app')
    .select('id')
    .where('client_id', '=', client_id)
    .executeTakeFirstOrThrow()
  const developer = await addPerson(api, { role: 'developer', app: client_id })
  const operator = await addPerson(api)
  for (const person of [developer, operator])
    expect(await person.console.post(`/apps/${id}/token`, { installation_id: install_id })).toFailWith('forbidden')
  await expect(rotateSecret(api.db, client_id, { revokeTokens: false })).rejects.toThrow('no secret')
})
