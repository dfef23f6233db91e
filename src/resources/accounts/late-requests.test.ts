import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import type { Reply } from '../../../tests/support/caller.ts'
import { addPerson, consoleCaller, cookieOf, PASSWORD } from '../../../tests/support/console.ts'
import { allWhileLocked } from '../../../tests/support/waiting.ts'
import { COMMAND_LINE } from './audit.ts'
import { revokeRole } from './change-role.ts'
import { disableAccount, enableAccount } from './disable-account.ts'
import { createPasswords } from './hash-password.ts'
import { invite } from './invitations.ts'
import { linkAccount } from './link-account.ts'
import { MAX_STAFF_ROLES } from './schema.ts'

// A password is checked before the transaction that relies on it: much may happen in between.

type Person = Awaited<ReturnType<typeof addPerson>>

const NEW_PASSWORD = 'a brand new password'

const signIn = (api: TestApi, { email }: { email: string }, password = PASSWORD) =>
  consoleCaller(api).post('/sign-in', { email, password })

const changeTo = (console: Person['console'], password: string) =>
  console.post('/password', { current_password: PASSWORD, password })

/** Whoever writes this account waits. */
const heldAccount = ({ id }: Person) => sql`update account set language = language where id = ${id}`

const isSignedIn = async (api: TestApi, reply: Reply) =>
  (await consoleCaller(api, cookieOf(reply)).get('/me')).status === 200

test('a sign-in with the old password that is under way when it changes gives no session', async () => {
  const api = await startTestApi()
  const person = await addPerson(api)
  const [changed, late] = await allWhileLocked(api.db, heldAccount(person), [
    () => changeTo(person.console, NEW_PASSWORD),
    () => signIn(api, person),
  ])
  expect(changed?.status).toBe(200)
  expect(late).toFailWith('sign_in_failed')
  expect((await person.console.get('/sessions')).body.data.sessions).toHaveLength(1)
  expect((await signIn(api, person, NEW_PASSWORD)).status).toBe(200)
})

test('a sign-in that is under way when the account is disabled gives no session, also not once it is enabled', async () => {
  const api = await startTestApi()
  const person = await addPerson(api)
  await addPerson(api)
  const [, late] = await allWhileLocked<unknown>(api.db, heldAccount(person), [
    () => disableAccount(api.db, COMMAND_LINE, person.email),
    () => signIn(api, person),
  ])
  expect(late).toFailWith('sign_in_failed')
  await enableAccount(api.db, COMMAND_LINE, person.email)
  expect(await isSignedIn(api, late as Reply)).toBe(false)
})

test('of two who change a password at once, the second one changes nothing', async () => {
  const api = await startTestApi()
  const person = await addPerson(api)
  const thief = consoleCaller(api, cookieOf(await signIn(api, person)))
  const [first, second] = await allWhileLocked(api.db, heldAccount(person), [
    () => changeTo(person.console, NEW_PASSWORD),
    () => changeTo(thief, 'the password of a thief'),
  ])
  expect(first?.status).toBe(200)
  expect(second).toFailWith('sign_in_failed')
  expect((await signIn(api, person, NEW_PASSWORD)).status).toBe(200)
  expect((await person.console.get('/me')).status).toBe(200)
  expect(await thief.get('/me')).toFailWith('sign_in_required')
})

test('a password that is hashed again at a sign-in does not replace one that was set meanwhile', async () => {
  const api = await startTestApi()
  const person = await addPerson(api)
  const caller = { account: person.email, address: '127.0.0.1' }
  const outdated = await createPasswords({ ln: 3, r: 8, p: 1 }).hash(PASSWORD, caller)
  await api.db.updateTable('account').set({ password: outdated }).where('id', '=', person.id).execute()
  const [changed] = await allWhileLocked(api.db, heldAccount(person), [
    () => changeTo(person.console, NEW_PASSWORD),
    () => signIn(api, person),
  ])
  expect(changed?.status).toBe(200)
  expect((await signIn(api, person, NEW_PASSWORD)).status).toBe(200)
  expect(await signIn(api, person)).toFailWith('sign_in_failed')
})

test('whoever joins with a password that changes meanwhile neither joins nor is signed in', async () => {
  const api = await startTestApi()
  const person = await addPerson(api)
  const owner = await addPerson(api, { role: 'owner', store: api.store.id })
  const invited = await owner.console.post(`/stores/${api.store.id}/invitations`, {
    email: person.email,
    role: 'owner',
  })
  const code = invited.body.data.link.split('#')[1]
  const [, late] = await allWhileLocked(api.db, heldAccount(person), [
    () => changeTo(person.console, NEW_PASSWORD),
    () => consoleCaller(api).post('/link', { code, password: PASSWORD }),
  ])
  expect(late).toFailWith('sign_in_failed')
  expect((await owner.console.get(`/stores/${api.store.id}/people`)).body.data.people).toHaveLength(1)
  expect((await person.console.post('/link/join', { code })).status, 'the link still works').toBe(200)
})

test('a link to reset a password ends when the password changes', async () => {
  const api = await startTestApi()
  const person = await addPerson(api)
  const code = await linkAccount(api.db, COMMAND_LINE, person.email)
  expect((await changeTo(person.console, NEW_PASSWORD)).status).toBe(200)
  const reply = await consoleCaller(api).post('/link', { code, password: 'the password of a thief' })
  expect(reply).toFailWith('not_found')
  expect((await signIn(api, person, NEW_PASSWORD)).status).toBe(200)
})

test('links that an operator has made to reset passwords end with the role of the operator', async () => {
  const api = await startTestApi()
  const [leaving, disabled, staying] = [await addPerson(api), await addPerson(api), await addPerson(api)]
  const victims = [await addPerson(api), await addPerson(api), await addPerson(api)]
  const link = async (operator: Person, victim: Person | undefined) => {
    const { body } = await operator.console.post(`/operator/accounts/${victim?.id}/link`)
    return body.data.link.split('#')[1] as string
  }
  const [gone, ended, kept] = [
    await link(leaving, victims[0]),
    await link(disabled, victims[1]),
    await link(staying, victims[2]),
  ]
  const removal = `/operator/accounts/${leaving.id}/roles/removal`
  expect((await staying.console.post(removal, { role: 'operator' })).status).toBe(200)
  expect((await staying.console.post(`/operator/accounts/${disabled.id}/disable`)).status).toBe(200)
  const use = (code: string) => consoleCaller(api).post('/link', { code, password: NEW_PASSWORD })
  expect(await use(gone)).toFailWith('not_found')
  expect(await use(ended)).toFailWith('not_found')
  expect((await use(kept)).status).toBe(200)
})

test('of two operators who remove or disable each other at the same moment, one stays', async () => {
  const api = await startTestApi()
  const [one, other] = [await addPerson(api), await addPerson(api)]
  await addPerson(api)
  const everybody = sql`select 1 from account where is_operator for update`
  const remove = (by: Person, { id }: Person) =>
    by.console.post(`/operator/accounts/${id}/roles/removal`, { role: 'operator' })
  const [first, second] = await allWhileLocked(api.db, everybody, [() => remove(one, other), () => remove(other, one)])
  expect(first?.status).toBe(200)
  expect(second).toFailWith('forbidden')
  expect((await one.console.get('/operator/accounts')).status).toBe(200)

  const third = await addPerson(api)
  const disable = (by: Person, { id }: Person) => by.console.post(`/operator/accounts/${id}/disable`)
  const replies = await allWhileLocked(api.db, everybody, [() => disable(third, one), () => disable(one, third)])
  expect(replies.map(({ status }) => status)).toEqual([200, 403])
})

test('an address is invited to a store once, also by two owners at the same moment', async () => {
  const api = await startTestApi()
  const owners = [1, 2].map(() => addPerson(api, { role: 'owner', store: api.store.id }))
  const [one, other] = (await Promise.all(owners)) as [Person, Person]
  const invite = ({ console }: Person) =>
    console.post(`/stores/${api.store.id}/invitations`, {
      email: 'new@shop.example',
      role: 'staff',
      permissions: ['order:view'],
    })
  const members = sql`select 1 from membership where store_id = ${api.store.id} for update`
  const [first, second] = await allWhileLocked(api.db, members, [() => invite(one), () => invite(other)])
  expect(first?.status).toBe(200)
  expect(second).toBeRefused(422, 'email')
  const code = first?.body.data.link.split('#')[1]
  expect((await consoleCaller(api).post('/link/check', { code })).status, 'the link that was given works').toBe(200)
})

test('operators who add roles to a store without people at the same moment do not exceed the limit together', async () => {
  const api = await startTestApi()
  const operators = [await addPerson(api), await addPerson(api)]
  await sql`insert into staff_role (store_id, name, permissions)
    select ${api.store.id}, 'Role ' || n, '{order:view}' from generate_series(2, ${MAX_STAFF_ROLES}) n`.execute(api.db)
  const replies = await allWhileLocked(
    api.db,
    sql`select 1 from store where id = ${api.store.id} for update`,
    operators.map(
      ({ console }, n) =>
        () =>
          console.post(`/stores/${api.store.id}/roles`, { name: `New ${n}`, permissions: ['order:view'] }),
    ),
  )
  expect(replies.map(({ status }) => status)).toEqual([200, 422])
})

test('nobody joins a store while it is suspended', async () => {
  const api = await startTestApi()
  const owner = await addPerson(api, { role: 'owner', store: api.store.id })
  const operator = await addPerson(api)
  const invite = async () => {
    const email = `${crypto.randomUUID()}@shop.example`
    const reply = await owner.console.post(`/stores/${api.store.id}/invitations`, { email, role: 'owner' })
    return reply.body.data.link.split('#')[1] as string
  }
  const codes = [await invite(), await invite()]
  await operator.console.post(`/operator/stores/${api.store.id}/suspend`)
  const join = (code: string | undefined) => consoleCaller(api).post('/link', { code, password: PASSWORD })
  expect(await join(codes[0])).toFailWith('store_suspended')
  expect(await operator.console.post('/link/join', { code: codes[1] })).toFailWith('store_suspended')
  await operator.console.post(`/operator/stores/${api.store.id}/resume`)
  expect((await join(codes[0])).status).toBe(200)
})

test('of two links to reset a password that are made at the same moment one works, and none of a disabled account', async () => {
  const api = await startTestApi()
  const person = await addPerson(api)
  await addPerson(api)
  const link = () => linkAccount(api.db, COMMAND_LINE, person.email)
  const held = sql`select 1 from account where id = ${person.id} for update`
  const use = (code: string) => consoleCaller(api).post('/link', { code, password: NEW_PASSWORD })
  const [first, second] = (await allWhileLocked(api.db, held, [link, link])) as [string, string]
  expect(await use(first)).toFailWith('not_found')
  expect((await use(second)).status).toBe(200)

  const [, late] = await allWhileLocked<unknown>(api.db, held, [
    () => disableAccount(api.db, COMMAND_LINE, person.email),
    () => link().catch((error: Error) => error.message),
  ])
  expect(late).toContain('is disabled')
})

test('who withdraws an invitation that is accepted at the same moment is told so', async () => {
  const api = await startTestApi()
  const grant = { role: 'operator' } as const
  const { code } = await invite(api.db, COMMAND_LINE, { email: 'invited@x.example', name: '' }, grant)
  const [joined, withdrawn] = await allWhileLocked<unknown>(api.db, sql`lock one_time_link in share mode`, [
    () => consoleCaller(api).post('/link', { code, email: 'other@x.example', password: PASSWORD }),
    () => revokeRole(api.db, COMMAND_LINE, 'invited@x.example', grant).catch((error: Error) => error.message),
  ])
  expect((joined as Reply).status).toBe(200)
  expect(withdrawn).toContain('There is no account')
  expect(
    await api.db.selectFrom('audit_entry').select('id').where('act', '=', 'withdraw_invitation').execute(),
  ).toHaveLength(0)
})

test('a link that waits while its inviter is removed works no more', async () => {
  const api = await startTestApi()
  const owner = await addPerson(api, { role: 'owner', store: api.store.id })
  const leaving = await addPerson(api, { role: 'owner', store: api.store.id })
  const stranger = await addPerson(api)
  const people = `/stores/${api.store.id}/people`
  const invited = await leaving.console.post(`/stores/${api.store.id}/invitations`, {
    email: 'again@x.example',
    role: 'owner',
  })
  const { invitation, link } = invited.body.data
  const held = sql`select 1 from one_time_link where invitation_id = ${invitation.id} for update`
  const [late, removed] = await allWhileLocked(api.db, held, [
    () => stranger.console.post('/link/join', { code: link.split('#')[1] }),
    () => owner.console.delete(`${people}/${leaving.id}`),
  ])
  expect(removed?.status).toBe(200)
  expect(late).toFailWith('not_found')
  expect((await owner.console.get(people)).body.data.people).toHaveLength(1)
})
