import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { addPerson, addRole, consoleCaller, cookieOf, PASSWORD, storeCaller } from '../../../tests/support/console.ts'
import { COMMAND_LINE } from './audit.ts'
import { grantRole, revokeRole } from './change-role.ts'
import { disableAccount } from './disable-account.ts'
import { invite } from './invitations.ts'
import { removeExpired } from './sessions.ts'

const newEmail = () => `${randomUUID()}@shop.example`

const owner = (api: TestApi) => addPerson(api, { role: 'owner', store: api.store.id })
const peopleOf = (api: TestApi) => `/stores/${api.store.id}/people`
const invitationsOf = (api: TestApi) => `/stores/${api.store.id}/invitations`
const codeOf = (link: string) => link.split('#')[1] as string
const STAFF = { role: 'staff', permissions: ['order:view'] }

const audit = async (api: TestApi, subject: string) =>
  api.db
    .selectFrom('audit_entry')
    .select(['act', 'actor', 'store_id', 'before', 'after'])
    .where('subject', '=', subject)
    .orderBy('id')
    .execute()

/** Creates an account, or signs in to it, with the link of an invitation. */
const redeem = async (api: TestApi, link: string, given: object = {}) => {
  const reply = await consoleCaller(api).post('/link', { code: codeOf(link), password: PASSWORD, ...given })
  return { reply, console: consoleCaller(api, cookieOf(reply)) }
}

const storesOf = async (person: { console: ReturnType<typeof consoleCaller> }) =>
  (await person.console.get('/me')).body.data.stores.map(({ id, role }: Record<string, string>) => [id, role])

test('an invited person creates an account with the link, can do what was granted, and is removed', async () => {
  const api = await startTestApi()
  const amina = await owner(api)
  const email = newEmail()
  const invited = await amina.console.post(invitationsOf(api), {
    email,
    name: 'Bilel',
    role: 'staff',
    permissions: ['order:view', 'customer:view'],
  })
  expect(invited.headers.get('cache-control')).toBe('no-store')
  const { invitation, link } = invited.body.data
  expect(invitation).toEqual({
    id: expect.any(String),
    email,
    name: 'Bilel',
    role: 'staff',
    role_id: null,
    permissions: ['customer:view', 'order:view'],
    link_expires_at: expect.any(String),
  })

  // The first link is lost: the new one replaces it.
  const again = (await amina.console.post(`${invitationsOf(api)}/${invitation.id}/link`)).body.data.link
  expect((await redeem(api, link)).reply).toFailWith('not_found')
  expect((await consoleCaller(api).post('/link/check', { code: codeOf(again) })).body.data.link).toMatchObject({
    kind: 'invite',
    email,
    name: 'Bilel',
    role: 'staff',
    store_id: api.store.id,
  })
  const bilel = await redeem(api, again)
  expect(bilel.reply.status).toBe(200)
  expect((await redeem(api, again)).reply, 'a link works once').toFailWith('not_found')
  expect(await amina.console.post(`${invitationsOf(api)}/${invitation.id}/link`)).toFailWith('not_found')
  const listed = (await amina.console.get(peopleOf(api))).body.data
  expect(listed.invitations).toEqual([])
  expect(
    listed.people.map(({ email, role, is_you, name }: Record<string, unknown>) => [email, role, is_you, name]),
  ).toEqual([
    [amina.email, 'owner', true, amina.name],
    [email, 'staff', false, 'Bilel'],
  ])
  const one = `${peopleOf(api)}/${listed.people[1].account_id}`
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
    'invite',
    'create_link',
    'create_account',
    'accept_invitation',
    'grant',
    'grant',
    'revoke',
  ])
  const [invitedEntry, , , accepted, changedEntry, , revoked] = entries
  expect(invitedEntry).toMatchObject({ actor: amina.name, store_id: api.store.id })
  expect(accepted).toMatchObject({ actor: 'Bilel', store_id: api.store.id, after: { role: 'staff', invited: email } })
  expect(changedEntry?.before).toMatchObject({ permissions: ['customer:view', 'order:view'] })
  expect(changedEntry?.after).toMatchObject({ permissions: ['product:view'] })
  expect(revoked?.before).toMatchObject({ role: 'owner' })
  expect(JSON.stringify(entries)).not.toContain(codeOf(link))
})

test('two stores invite one address: each link gives access to its own store, whoever redeems it', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const amina = await owner(api)
  const bilel = await owner(other)
  const email = newEmail()
  const here = (await amina.console.post(invitationsOf(api), { email, ...STAFF })).body.data.link
  const there = (await bilel.console.post(invitationsOf(other), { email, role: 'owner' })).body.data.link
  // Amina keeps her link and creates an account of that address herself.
  const taker = await redeem(api, here)
  expect(await storesOf(taker), 'nothing of the other store').toEqual([[api.store.id, 'staff']])
  expect(await taker.console.get(peopleOf(other))).toFailWith('not_found')
  // The person whom Bilel sent his link to cannot use that account, and joins with another address.
  expect((await redeem(api, there, { password: 'another long password' })).reply).toFailWith('sign_in_failed')
  const invited = await redeem(api, there, { email: newEmail() })
  expect(await storesOf(invited)).toEqual([[other.store.id, 'owner']])
  expect(await storesOf(taker)).toEqual([[api.store.id, 'staff']])
})

test('the reply to an invitation is the same whether the address has an account or not', async () => {
  const api = await startTestApi()
  const amina = await owner(api)
  const operator = await addPerson(api)
  const waiting = newEmail()
  await invite(api.db, COMMAND_LINE, { email: waiting, name: 'Waiting' }, { role: 'operator' })
  const seen = []
  for (const email of [operator.email.toUpperCase(), waiting, newEmail()]) {
    const { status, body } = await amina.console.post(invitationsOf(api), { email, ...STAFF })
    const { id, ...invitation } = body.data.invitation
    expect(invitation.email, 'spelt as it was typed').toBe(email)
    const again = await amina.console.post(`${invitationsOf(api)}/${id}/link`)
    const check = await consoleCaller(api).post('/link/check', { code: codeOf(again.body.data.link) })
    const short = await consoleCaller(api).post('/link', { code: codeOf(again.body.data.link), password: 'short' })
    const shown = [status, again.status, check.status, check.body.data.link, short.status, short.body]
    seen.push(
      JSON.stringify([invitation, ...shown])
        .replaceAll(email, 'EMAIL')
        .replace(/"\d{4}-[^"]+"/g, 'TIME'),
    )
  }
  expect(new Set(seen).size, seen.join('\n')).toBe(1)
  const { people, invitations } = (await amina.console.get(peopleOf(api))).body.data
  expect(people.map(({ email }: { email: string }) => email)).toEqual([amina.email])
  expect(invitations).toHaveLength(3)
  const twice = { email: operator.email, ...STAFF }
  expect(await amina.console.post(invitationsOf(api), twice), 'invited before').toBeRefused(422, 'email')
})

test('somebody with an account joins while signed in, or with its password, and keeps that password', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const amina = await owner(api)
  const leila = await addPerson(api, { role: 'owner', store: other.store.id })
  const inviteTo = async (email: string) =>
    (await amina.console.post(invitationsOf(api), { email, ...STAFF })).body.data.link
  const link = await inviteTo(leila.email)
  expect(await consoleCaller(api).post('/link/join', { code: codeOf(link) })).toFailWith('sign_in_required')
  expect(await amina.console.post('/link/join', { code: codeOf(link) }), 'a member already').toFailWith('forbidden')
  const wrong = await redeem(api, link, { password: 'another long password' })
  expect(wrong.reply).toFailWith('sign_in_failed')
  expect(wrong.reply.headers.get('set-cookie')).toBeNull()
  expect(await storesOf(leila), 'nothing before she redeems it').toEqual([[other.store.id, 'owner']])
  expect((await leila.console.post('/link/join', { code: codeOf(link) })).status).toBe(200)
  expect((await storesOf(leila)).sort()).toEqual(
    [
      [api.store.id, 'staff'],
      [other.store.id, 'owner'],
    ].sort(),
  )
  expect(await leila.console.post('/link/join', { code: codeOf(link) })).toFailWith('not_found')

  // With another account than the address that was typed: the account that redeems the link joins.
  const karim = await addPerson(api, { role: 'owner', store: other.store.id })
  const second = await inviteTo(newEmail())
  const signedIn = await redeem(api, second, { email: karim.email.toUpperCase() })
  expect(signedIn.reply.status).toBe(200)
  const { people } = (await amina.console.get(peopleOf(api))).body.data
  expect(people.map(({ email }: { email: string }) => email).sort()).toEqual(
    [amina.email, karim.email, leila.email].sort(),
  )
  const signIn = await consoleCaller(api).post('/sign-in', { email: karim.email, password: PASSWORD })
  expect(signIn.status).toBe(200)
})

test('an invitation ends when it is withdrawn, when its inviter may no longer invite, and with the link', async () => {
  const api = await startTestApi()
  const amina = await owner(api)
  const bilel = await owner(api)
  const create = async (by: typeof amina) => {
    const { data } = (await by.console.post(invitationsOf(api), { email: newEmail(), ...STAFF })).body
    return { ...data, path: `${invitationsOf(api)}/${data.invitation.id}` }
  }
  const withdrawn = await create(amina)
  expect((await amina.console.delete(withdrawn.path)).status).toBe(200)
  expect((await redeem(api, withdrawn.link)).reply).toFailWith('not_found')
  expect(await amina.console.delete(withdrawn.path)).toFailWith('not_found')
  const other = await startTestApi()
  const stranger = await owner(other)
  const foreign = `${invitationsOf(other)}/${(await create(amina)).invitation.id}`
  for (const reply of [
    await stranger.console.delete(foreign),
    await stranger.console.put(foreign, STAFF),
    await stranger.console.post(`${foreign}/link`),
  ])
    expect(reply, 'of another store').toFailWith('not_found')

  const expired = await create(amina)
  await sql`update one_time_link set expires_at = now() - interval '1 second'`.execute(api.db)
  expect((await redeem(api, expired.link)).reply).toFailWith('not_found')
  await removeExpired(api.db, 12)
  const listed = (await amina.console.get(peopleOf(api))).body.data.invitations
  expect(listed.find(({ id }: { id: string }) => id === expired.invitation.id)).toMatchObject({ link_expires_at: null })
  const renewed = (await amina.console.post(`${expired.path}/link`)).body.data.link

  // An owner who was removed cannot come back with a link that he kept.
  const kept = await create(bilel)
  await revokeRole(api.db, COMMAND_LINE, bilel.email, { role: 'owner', store: api.store.id })
  expect((await redeem(api, kept.link)).reply).toFailWith('not_found')
  expect(await bilel.console.post('/link/join', { code: codeOf(kept.link) })).toFailWith('not_found')
  const taken = (await amina.console.post(`${kept.path}/link`)).body.data.link
  expect((await redeem(api, taken)).reply.status, 'another owner stands for it').toBe(200)

  // A change while the link is out counts at its redemption. Two who redeem it at once: one joins.
  const changed = await amina.console.put(expired.path, { role: 'staff', permissions: ['product:view'] })
  expect(changed.body.data.invitation.permissions).toEqual(['product:view'])
  const emails = [newEmail(), newEmail()]
  const both = await Promise.all(emails.map((email) => redeem(api, renewed, { email })))
  expect(both.map(({ reply }) => reply.status).sort()).toEqual([200, 404])
  const joined = both.find(({ reply }) => reply.status === 200) as (typeof both)[0]
  expect((await joined.console.get('/me')).body.data.stores[0].permissions).toEqual(['product:view'])
  const created = await api.db.selectFrom('account').select('email').where('email', 'in', emails).execute()
  expect(created, 'no account is left by who came second').toHaveLength(1)
})

test('the command line grants nothing to an address: a new role is a link, a change of a member is not', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const amina = await owner(api)
  const staff = { role: 'staff' as const, store: other.store.id, permissions: ['order:view'] }
  const code = (await grantRole(api.db, COMMAND_LINE, amina.email, staff)) as string
  const operatorCode = (await grantRole(api.db, COMMAND_LINE, amina.email, { role: 'operator' })) as string
  expect(await storesOf(amina)).toEqual([[api.store.id, 'owner']])
  expect((await amina.console.get('/me')).body.data.account.is_operator).toBe(false)
  expect((await amina.console.post('/link/join', { code })).status).toBe(200)
  expect(await storesOf(amina)).toHaveLength(2)
  const more = { ...staff, permissions: ['product:view'] }
  expect(await grantRole(api.db, COMMAND_LINE, amina.email, more)).toBeUndefined()
  const { stores } = (await amina.console.get('/me')).body.data
  expect(stores.find(({ id }: { id: string }) => id === other.store.id).permissions).toEqual([
    'order:view',
    'product:view',
  ])
  await revokeRole(api.db, COMMAND_LINE, amina.email, { role: 'operator' }).catch(() => {})
  expect(await amina.console.post('/link/join', { code: operatorCode }), 'withdrawn').toFailWith('not_found')

  // Somebody who was invited and has not joined: the new role replaces what was offered, and the link.
  const email = newEmail()
  const first = await invite(api.db, COMMAND_LINE, { email, name: '' }, staff)
  const second = await grantRole(api.db, COMMAND_LINE, email.toUpperCase(), { role: 'owner', store: other.store.id })
  expect(await consoleCaller(api).post('/link/check', { code: first.code })).toFailWith('not_found')
  const joined = await redeem(api, `#${second}`, { email })
  expect(await storesOf(joined)).toEqual([[other.store.id, 'owner']])
  await expect(grantRole(api.db, COMMAND_LINE, newEmail(), staff)).rejects.toThrow(/no account/)
  // A disabled account cannot join.
  const gone = await addPerson(api, staff)
  const late = (await grantRole(api.db, COMMAND_LINE, gone.email, { role: 'operator' })) as string
  await disableAccount(api.db, COMMAND_LINE, gone.email)
  expect(await gone.console.post('/link/join', { code: late })).toFailWith('sign_in_required')
  expect((await redeem(api, `#${late}`, { email: gone.email })).reply).toFailWith('sign_in_failed')
})

test('the last owner cannot be removed, staff need permissions, and writes need a recent password', async () => {
  const api = await startTestApi()
  const amina = await owner(api)
  const me = `${peopleOf(api)}/${amina.id}`
  expect(await amina.console.delete(me)).toBeRefused(422, 'role')
  expect(await amina.console.put(me, { role: 'staff', permissions: ['order:view'] })).toBeRefused(422, 'role')
  const email = newEmail()
  const send = (body: object) => amina.console.post(invitationsOf(api), { email, ...body })
  expect(await send({ role: 'staff' })).toBeRefused(422, 'permissions')
  expect(await send({ role: 'staff', permissions: ['order:all'] })).toBeRefused(422, 'permissions.0')
  expect(await send({ role: 'operator' })).toBeRefused(422, 'role')
  expect(await send({ email: 'nobody', role: 'owner' })).toBeRefused(422, 'email')
  expect(await send({ email: amina.email.toUpperCase(), role: 'owner' })).toBeRefused(422, 'email')
  expect((await audit(api, email)).length).toBe(0)
  // An owner who was only invited is none: the last one stays.
  expect((await send({ role: 'owner' })).status).toBe(200)
  expect(await amina.console.delete(me)).toBeRefused(422, 'role')
  const bilel = await addPerson(api)
  await addRole(api, bilel, { role: 'owner', store: api.store.id })
  await sql`update account set is_operator = false where id = ${bilel.id}`.execute(api.db)
  // Both try to remove the other at once: one owner is left.
  const replies = await Promise.all([amina.console.delete(`${peopleOf(api)}/${bilel.id}`), bilel.console.delete(me)])
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  const left = replies[0]?.status === 200 ? amina : bilel
  expect((await left.console.get(peopleOf(api))).body.data.people).toHaveLength(1)

  await sql`update session set confirmed_at = now() - interval '16 minutes' where account_id = ${left.id}`.execute(
    api.db,
  )
  const guest = { email: newEmail(), role: 'owner' }
  expect(await left.console.post(invitationsOf(api), guest)).toFailWith('confirmation_required')
  expect((await left.console.get(peopleOf(api))).status).toBe(200)
  await left.console.post('/confirm', { password: PASSWORD })
  expect((await left.console.post(invitationsOf(api), guest)).status).toBe(200)
})
