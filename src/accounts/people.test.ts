import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../tests/support/api.ts'
import { addPerson, consoleCaller, PASSWORD, storeCaller } from '../../tests/support/console.ts'
import { COMMAND_LINE } from './audit.ts'
import { grantRole } from './change-role.ts'
import { createAccount } from './create-account.ts'

const newEmail = () => `${randomUUID()}@shop.example`

const owner = (api: TestApi) => addPerson(api, { role: 'owner', store: api.store.id })
const peopleOf = (api: TestApi) => `/stores/${api.store.id}/people`
const codeOf = (link: string) => link.split('#')[1] as string

const audit = async (api: TestApi, subject: string) =>
  api.db
    .selectFrom('audit_entry')
    .select(['act', 'actor', 'store_id', 'before', 'after'])
    .where('subject', '=', subject)
    .orderBy('id')
    .execute()

test('an invited person sets a password with the link, can do what was granted, and is removed', async () => {
  const api = await startTestApi()
  const amina = await owner(api)
  const email = newEmail()
  const invited = await amina.console.post(peopleOf(api), {
    email,
    name: 'Bilel',
    role: 'staff',
    permissions: ['order:view', 'customer:view'],
  })
  expect(invited.headers.get('cache-control')).toBe('no-store')
  const { person, link } = invited.body.data
  expect(person).toEqual({
    account_id: expect.any(String),
    email,
    name: '',
    role: 'staff',
    permissions: ['customer:view', 'order:view'],
    has_joined: false,
    is_you: false,
  })
  const one = `${peopleOf(api)}/${person.account_id}`

  // The first link is lost: the new one replaces it.
  const again = (await amina.console.post(`${one}/link`)).body.data.link
  expect(await consoleCaller(api).post('/link', { code: codeOf(link), password: PASSWORD })).toFailWith('not_found')
  expect((await consoleCaller(api).post('/link', { code: codeOf(again), password: PASSWORD })).status).toBe(200)
  expect(await amina.console.post(`${one}/link`), 'a link would set a new password').toFailWith('forbidden')
  const signedIn = await consoleCaller(api).post('/sign-in', { email, password: PASSWORD })
  const bilel = { console: consoleCaller(api, (signedIn.headers.get('set-cookie') ?? '').split(';')[0]) }
  const { people } = (await amina.console.get(peopleOf(api))).body.data
  expect(
    people.map(({ email, role, has_joined, is_you, name }: Record<string, unknown>) => [
      email,
      role,
      has_joined,
      is_you,
      name,
    ]),
  ).toEqual([
    [amina.email, 'owner', true, true, amina.name],
    [email, 'staff', true, false, 'Bilel'],
  ])
  const calls = await storeCaller(api, bilel)
  expect((await calls.get('/order')).status).toBe(200)
  expect(await calls.get('/product')).toFailWith('forbidden')
  expect(await bilel.console.get(peopleOf(api))).toFailWith('forbidden')

  // The new permissions replace the old ones at once.
  const changed = await amina.console.put(one, { role: 'staff', permissions: ['product:view'] })
  expect(changed.body.data.person.permissions).toEqual(['product:view'])
  await expect.poll(async () => (await calls.get('/order')).status).toBe(403)
  await expect.poll(async () => (await calls.get('/product')).status).toBe(200)
  expect((await amina.console.put(one, { role: 'owner' })).body.data.person).toMatchObject({
    role: 'owner',
    permissions: [],
  })
  expect((await bilel.console.get(peopleOf(api))).status).toBe(200)

  expect((await amina.console.delete(one)).status).toBe(200)
  expect(await bilel.console.get(peopleOf(api))).toFailWith('not_found')
  await expect.poll(async () => (await calls.get('/product')).status).not.toBe(200)
  expect(await amina.console.delete(one)).toFailWith('not_found')
  const entries = await audit(api, email)
  expect(entries.map(({ act }) => act)).toEqual([
    'create_account',
    'grant',
    'create_link',
    'accept_invitation',
    'sign_in',
    'grant',
    'grant',
    'revoke',
  ])
  const [, granted, , , , changedEntry, , revoked] = entries
  expect(granted).toMatchObject({ actor: amina.name, store_id: api.store.id })
  expect(changedEntry?.before).toMatchObject({ permissions: ['customer:view', 'order:view'] })
  expect(changedEntry?.after).toMatchObject({ permissions: ['product:view'] })
  expect(revoked?.before).toMatchObject({ role: 'owner' })
  expect(JSON.stringify(entries)).not.toContain(codeOf(link))
})

test('an invitation never reveals whether the email has an account, and never gives access to one', async () => {
  const api = await startTestApi()
  const amina = await owner(api)
  const operator = await addPerson(api)
  const elsewhere = await createAccount(
    api.db,
    COMMAND_LINE,
    { email: newEmail(), name: 'Waiting' },
    { role: 'operator' },
  )
  const invite = (email: string) =>
    amina.console.post(peopleOf(api), { email, role: 'staff', permissions: ['order:view'] })
  for (const email of [operator.email.toUpperCase(), elsewhere.account.email, newEmail()]) {
    const reply = await invite(email)
    expect(reply.status, email).toBe(200)
    const { person, link } = reply.body.data
    expect(person).toMatchObject({ name: '', has_joined: false, role: 'staff' })
    expect(link).toMatch(/\/console\/welcome#[\w-]{43}$/)
    const opened = await consoleCaller(api).post('/link', { code: codeOf(link), password: 'another password' })
    expect(opened.status, email).toBe(
      email === operator.email.toUpperCase() || email === elsewhere.account.email ? 404 : 200,
    )
    if (opened.status === 404)
      expect(await amina.console.post(`${peopleOf(api)}/${person.account_id}/link`)).toFailWith('forbidden')
  }
  // Existing links and passwords still work.
  expect((await consoleCaller(api).post('/sign-in', { email: operator.email, password: PASSWORD })).status).toBe(200)
  expect((await consoleCaller(api).post('/link', { code: elsewhere.code, password: PASSWORD })).status).toBe(200)
  expect(await invite(operator.email)).toBeRefused(422, 'email')
})

test('the last owner cannot be removed, staff need permissions, and writes need a recent password', async () => {
  const api = await startTestApi()
  const amina = await owner(api)
  const me = `${peopleOf(api)}/${amina.id}`
  expect(await amina.console.delete(me)).toBeRefused(422, 'role')
  expect(await amina.console.put(me, { role: 'staff', permissions: ['order:view'] })).toBeRefused(422, 'role')
  const email = newEmail()
  expect(await amina.console.post(peopleOf(api), { email, role: 'staff' })).toBeRefused(422, 'permissions')
  expect(await amina.console.post(peopleOf(api), { email, role: 'staff', permissions: ['order:all'] })).toBeRefused(
    422,
    'permissions.0',
  )
  expect(await amina.console.post(peopleOf(api), { email, role: 'operator' })).toBeRefused(422, 'role')
  expect(await amina.console.post(peopleOf(api), { email: 'nobody', role: 'owner' })).toBeRefused(422, 'email')
  expect((await audit(api, email)).length).toBe(0)
  const bilel = await addPerson(api, { role: 'staff', store: api.store.id, permissions: ['order:view'] })
  await grantRole(api.db, COMMAND_LINE, bilel.email, { role: 'owner', store: api.store.id })
  // Both try to remove the other at once: one owner is left.
  const replies = await Promise.all([amina.console.delete(`${peopleOf(api)}/${bilel.id}`), bilel.console.delete(me)])
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  const left = replies[0]?.status === 200 ? amina : bilel
  expect((await left.console.get(peopleOf(api))).body.data.people).toHaveLength(1)

  await sql`update session set confirmed_at = now() - interval '16 minutes' where account_id = ${left.id}`.execute(
    api.db,
  )
  const guest = { email, role: 'owner' }
  expect(await left.console.post(peopleOf(api), guest)).toFailWith('confirmation_required')
  expect((await left.console.get(peopleOf(api))).status).toBe(200)
  await left.console.post('/confirm', { password: PASSWORD })
  expect((await left.console.post(peopleOf(api), guest)).status).toBe(200)
})
