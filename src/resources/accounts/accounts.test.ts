import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { addPerson, consoleCaller, cookieOf, OWN_PAGE, PASSWORD, storeCaller } from '../../../tests/support/console.ts'
import { waitForListeners } from '../../core/storage/listener.ts'
import { ACCESS_CHANNEL } from '../auth/access-cache.ts'
import { createInstallation } from '../auth/create-installation.ts'
import { disableApp } from '../auth/disable-app.ts'
import { listInstallations } from '../auth/queries.ts'
import { COMMAND_LINE } from './audit.ts'
import { grantRole, revokeRole } from './change-role.ts'
import { disableAccount, enableAccount } from './disable-account.ts'
import { createPasswords } from './hash-password.ts'
import { linkAccount } from './link-account.ts'
import { firstLinkCode } from './one-time-links.ts'
import { MAX_VIEWS } from './schema.ts'

/** Hides all other accounts while a test needs a service without an operator. */
const withoutOperators = async <T>(api: TestApi, work: () => Promise<T>) => {
  await sql`delete from account where is_operator`.execute(api.db)
  await sql`delete from one_time_link where kind = 'first'`.execute(api.db)
  return work()
}

const firstCode = async (api: TestApi, renew = false) => {
  const code = await firstLinkCode(api.db, api.services.firstCode, { renew })
  if (!code) throw new Error('There is an operator.')
  return code
}

const auditedActs = async (api: TestApi, subject: string) =>
  (await api.db.selectFrom('audit_entry').select('act').where('subject', '=', subject).orderBy('id').execute()).map(
    ({ act }) => act,
  )

describe('the first link', () => {
  const operator = { email: 'first@shop.example', name: 'Amina', password: PASSWORD }

  test('creates an operator once, and nobody after that', async () => {
    const api = await startTestApi()
    await withoutOperators(api, async () => {
      const visitor = consoleCaller(api)
      expect((await visitor.get('/state')).body.data).toEqual({
        needs_operator: true,
        signed_in: false,
        is_safe: true,
        demo_store: null,
      })
      const code = await firstCode(api)
      expect(await firstCode(api), 'every node prints the same').toBe(code)
      const stored = await sql<{ text: string }>`select string_agg(l::text, '') as text from one_time_link l`.execute(
        api.db,
      )
      expect(stored.rows[0]?.text).not.toContain(code)
      expect((await visitor.post('/link/check', { code })).body.data.link).toEqual({
        kind: 'first',
        email: '',
        name: '',
        role: null,
        place: '',
        store_id: null,
      })
      expect(await visitor.post('/link', { code: `${code}x`, ...operator })).toFailWith('not_found')
      expect(await visitor.post('/link', { code, ...operator, email: 'nonsense', password: 'short' })).toBeRefused(
        422,
        'email',
        'password',
      )
      // Two at once: one wins.
      const replies = await Promise.all(
        [1, 2].map((n) => visitor.post('/link', { code, ...operator, email: `f${n}@x.example` })),
      )
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 404])
      const signedIn = consoleCaller(api, cookieOf(replies.find(({ status }) => status === 200) as (typeof replies)[0]))
      expect((await signedIn.get('/me')).body.data.account).toMatchObject({ is_operator: true, name: 'Amina' })
      expect((await visitor.get('/state')).body.data).toMatchObject({ needs_operator: false, signed_in: false })
      expect((await signedIn.get('/state')).body.data.signed_in).toBe(true)
      expect(await visitor.post('/link', { code, ...operator })).toFailWith('not_found')
      expect(await firstLinkCode(api.db, api.services.firstCode, { renew: true })).toBeUndefined()
    })
  })

  test('expires after an hour, and a new one replaces it', async () => {
    const api = await startTestApi()
    await withoutOperators(api, async () => {
      const visitor = consoleCaller(api)
      const old = await firstCode(api)
      const renewed = await firstCode(api, true)
      expect(await visitor.post('/link/check', { code: old })).toFailWith('not_found')
      const { rows } = await sql<{ left: number }>`select extract(epoch from expires_at - now())::int as left
        from one_time_link where kind = 'first'`.execute(api.db)
      expect(rows[0]?.left).toBeGreaterThan(3500)
      expect(rows[0]?.left).toBeLessThanOrEqual(3600)
      await sql`update one_time_link set expires_at = now() - interval '1 second'`.execute(api.db)
      expect(await visitor.post('/link', { code: renewed, ...operator })).toFailWith('not_found')
      expect(await firstCode(api)).not.toBe(renewed)
    })
  })
})

describe('signing in', () => {
  test('a wrong password, an unknown account and a disabled one get the same reply after the same work', async () => {
    const api = await startTestApi()
    const person = await addPerson(api)
    const gone = await addPerson(api)
    await disableAccount(api.db, COMMAND_LINE, gone.email)
    const visitor = consoleCaller(api)
    const { done } = api.services.passwords
    const attempt = async (email: string, password: string) => {
      const before = done.hashes
      const reply = await visitor.post('/sign-in', { email, password })
      expect(reply.headers.get('set-cookie')).toBeNull()
      expect(reply.headers.get('www-authenticate'), 'a browser would ask for a password itself').toBeNull()
      return { status: reply.status, text: reply.text, hashes: done.hashes - before }
    }
    const wrong = await attempt(person.email, 'not this one, sorry')
    expect(wrong).toMatchObject({ status: 401, hashes: 1 })
    expect(await attempt('nobody@shop.example', PASSWORD)).toEqual(wrong)
    expect(await attempt(gone.email, PASSWORD)).toEqual(wrong)
    await enableAccount(api.db, COMMAND_LINE, gone.email)
    expect((await visitor.post('/sign-in', { email: gone.email.toUpperCase(), password: PASSWORD })).status).toBe(200)
    expect(await visitor.post('/sign-in', { email: person.email })).toBeRefused(422, 'password')
    expect(await auditedActs(api, gone.email)).toEqual([
      'invite',
      'create_account',
      'accept_invitation',
      'disable_account',
      'enable_account',
      'sign_in',
    ])
  })

  test('each sign-in sets a new session cookie that scripts and other sites cannot use', async () => {
    const api = await startTestApi()
    const { email, cookie } = await addPerson(api)
    const reply = await consoleCaller(api, cookie).post('/sign-in', { email, password: PASSWORD })
    const set = reply.headers.get('set-cookie') ?? ''
    expect(set).toMatch(/^console=[\w-]{43}; Path=\/console; Max-Age=604800; HttpOnly; SameSite=Strict$/)
    expect(cookieOf(reply)).not.toBe(cookie)
    expect((await consoleCaller(api, cookieOf(reply)).get('/me')).status).toBe(200)
    expect(await consoleCaller(api, cookie).get('/me'), 'the previous session has ended').toFailWith('sign_in_required')
    const { rows } = await sql<{ found: boolean }>`select exists (select from session s
      where s::text like ${`%${cookieOf(reply).slice(8)}%`}) as found`.execute(api.db)
    expect(rows[0]?.found).toBe(false)
  })

  test('over https the cookie is secure; over plain http nobody can sign in, and the reply says why', async () => {
    const secure = await startTestApi({ BASE_URL: 'https://shop.example/back' })
    const { email } = await addPerson(await startTestApi())
    const given = { email, password: PASSWORD }
    const viaProxy = await secure.app.inject({
      method: 'POST',
      url: '/console/api/sign-in',
      headers: { host: 'shop.example', origin: 'https://shop.example' },
      payload: given,
    })
    expect(viaProxy.headers['set-cookie']).toMatch(
      /^__Secure-console=[\w-]{43}; Path=\/back\/console; Max-Age=604800; HttpOnly; SameSite=Strict; Secure$/,
    )
    const plain = await startTestApi()
    const inject = (headers: Record<string, string>, api = plain) =>
      api.app.inject({
        method: 'POST',
        url: '/console/api/sign-in',
        headers: { ...OWN_PAGE, ...headers },
        payload: given,
      })
    const refused = await inject({ host: '192.168.1.5:3000' })
    expect(refused.statusCode).toBe(403)
    expect(refused.json().message).toMatch(/BASE_URL.*TRUST_PROXY/)
    expect(refused.headers['set-cookie']).toBeUndefined()
    expect((await inject({ host: '192.168.1.5', 'x-forwarded-proto': 'https' })).statusCode, 'untrusted').toBe(403)
    const behind = await startTestApi({ TRUST_PROXY: '1' })
    const trusted = await inject({ host: 'shop.example', 'x-forwarded-proto': 'https' }, behind)
    expect(trusted.headers['set-cookie']).toContain('; Secure')
    for (const host of ['localhost:3000', '[::1]:3000']) expect((await inject({ host })).statusCode, host).toBe(200)
  })

  test('failed sign-ins are limited per account and address and per network, and do not lock the owner out', async () => {
    const api = await startTestApi({ TRUST_PROXY: '1' })
    const { email } = await addPerson(api)
    const from = (address: string) => consoleCaller(api).with({ 'x-forwarded-for': address })
    const guess = (address: string, to = email) =>
      from(address).post('/sign-in', { email: to, password: 'wrong wrong wrong' })
    for (let n = 0; n < 10; n++) expect((await guess('2001:db8:1:2::1')).status).toBe(401)
    const refused = await guess('2001:db8:1:2:ffff::9')
    expect(refused).toFailWith('rate_limited')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    const right = { email, password: PASSWORD }
    expect(await from('2001:db8:1:2::1').post('/sign-in', right), 'the right password, too').toFailWith('rate_limited')
    expect((await from('2001:db8:1:3::1').post('/sign-in', right)).status, 'from elsewhere').toBe(200)
    // Sixty failures of one network with sixty accounts.
    for (let n = 0; n < 50; n++) await guess('2001:db8:1:2::1', `nobody-${n}@x.example`)
    expect(await guess('2001:db8:1:2::1', 'somebody-else@x.example')).toFailWith('rate_limited')
    // A hundred failures from many addresses: those must wait, a new address may still try.
    await sql`update rate_window set used = 100 where key like 'sign-in:%' and used = 10`.execute(api.db)
    expect((await guess('198.51.100.7')).status).toBe(401)
    expect(await guess('198.51.100.7')).toFailWith('rate_limited')
    expect((await from('198.51.100.8').post('/sign-in', right)).status).toBe(200)
  })

  test('passwords are checked one at a time, and at most twenty checks of one address wait', async () => {
    const passwords = createPasswords({ ln: 10, r: 8, p: 1 })
    const caller = { account: 'a@shop.example', address: '192.0.2.1' }
    const hash = await passwords.hash(PASSWORD, caller)
    const attempts = Array.from({ length: 30 }, async () => passwords.verify(PASSWORD, hash, caller))
    const settled = await Promise.allSettled(attempts)
    expect(passwords.done.mostRunning).toBe(1)
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(21)
    expect(settled.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'rate_limited' } })
    expect(await passwords.verify(PASSWORD, hash, caller)).toBe(true)
    expect(await passwords.verify(`${PASSWORD}!`, hash, caller)).toBe(false)
    expect(hash).toMatch(/^\$scrypt\$ln=10,r=8,p=1\$/)
    expect(createPasswords({ ln: 11, r: 8, p: 1 }).isOutdated(hash)).toBe(true)
  })

  test.each([
    ['one address', (n: number) => ({ account: `${n}@shop.example`, address: '192.0.2.1' })],
    ['one account', (n: number) => ({ account: 'a@shop.example', address: `192.0.2.${n}` })],
  ])('however many checks of %s wait, another person is next but one', async (_name, callerOf) => {
    const passwords = createPasswords({ ln: 10, r: 8, p: 1 })
    const order: string[] = []
    const check = async (name: string, caller: { account: string; address: string }) => {
      await passwords.verify(PASSWORD, undefined, caller)
      order.push(name)
    }
    const flood = Array.from({ length: 40 }, (_, n) => check('flood', callerOf(n)))
    const other = check('other', { account: 'other@shop.example', address: '198.51.100.1' })
    await Promise.allSettled([...flood, other])
    expect(order.length).toBeGreaterThan(20)
    expect(order.indexOf('other')).toBeGreaterThanOrEqual(0)
    expect(order.indexOf('other')).toBeLessThanOrEqual(2)
  })

  test('successful sign-ins are limited as well, for each address alone', async () => {
    const api = await startTestApi({ TRUST_PROXY: '1' })
    const { email } = await addPerson(api)
    const other = await addPerson(api)
    const signIn = (address: string, to = email) =>
      consoleCaller(api).with({ 'x-forwarded-for': address }).post('/sign-in', { email: to, password: PASSWORD })
    for (let n = 0; n < 60; n++) expect((await signIn('203.0.113.7')).status).toBe(200)
    const refused = await signIn('203.0.113.7')
    expect(refused).toFailWith('rate_limited')
    expect(refused.headers.get('set-cookie')).toBeNull()
    expect((await signIn('203.0.113.7', other.email)).status, 'another account').toBe(200)
    expect((await signIn('203.0.113.8')).status, 'another address').toBe(200)
    await sql`update rate_window set used = 300 where key = 'sign-in-attempt-from:203.0.113.7'`.execute(api.db)
    expect(await signIn('203.0.113.7', other.email)).toFailWith('rate_limited')
    expect((await signIn('203.0.113.8', other.email)).status).toBe(200)
  })

  test('a hash with outdated parameters is renewed at the next sign-in', async () => {
    const api = await startTestApi()
    const { id, email } = await addPerson(api)
    const old = await createPasswords({ ln: 5, r: 8, p: 1 }).hash(PASSWORD, { account: email, address: '' })
    await api.db.updateTable('account').set({ password: old }).where('id', '=', id).execute()
    expect((await consoleCaller(api).post('/sign-in', { email, password: PASSWORD })).status).toBe(200)
    const { password } = await api.db
      .selectFrom('account')
      .select('password')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(password).toMatch(/^\$scrypt\$ln=4,/)
    expect((await consoleCaller(api).post('/sign-in', { email, password: PASSWORD })).status).toBe(200)
  })
})

describe('passwords and links', () => {
  test('a password must be long, and not the email or the name of a store', async () => {
    const api = await startTestApi()
    const { console, email } = await addPerson(api)
    await api.db.updateTable('store').set({ name: 'Olive and Thyme' }).where('id', '=', api.store.id).execute()
    for (const password of ['elevenchars', email.toUpperCase(), 'OLIVE and thyme'])
      expect(await console.post('/password', { current_password: PASSWORD, password }), password).toBeRefused(
        422,
        'password',
      )
  })

  test('changing the password needs the old one and ends all other sessions and tokens', async () => {
    const api = await startTestApi()
    const person = await addPerson(api)
    const elsewhere = consoleCaller(
      api,
      cookieOf(await consoleCaller(api).post('/sign-in', { email: person.email, password: PASSWORD })),
    )
    const store = await storeCaller(api, { console: elsewhere })
    expect((await store.get('/order')).status).toBe(200)
    const password = 'another long password'
    expect(await person.console.post('/password', { current_password: 'wrong wrong wrong', password })).toFailWith(
      'sign_in_failed',
    )
    expect((await elsewhere.get('/me')).status).toBe(200)
    expect((await person.console.post('/password', { current_password: PASSWORD, password })).status).toBe(200)
    expect((await person.console.get('/me')).status).toBe(200)
    expect(await elsewhere.get('/me')).toFailWith('sign_in_required')
    await waitForListeners(api.connection, ACCESS_CHANNEL)
    expect(await store.get('/order')).toFailWith('token_revoked')
    expect(await consoleCaller(api).post('/sign-in', { email: person.email, password: PASSWORD })).toFailWith(
      'sign_in_failed',
    )
  })

  test('a link sets a new password once; a newer link replaces it, and a disabled account cannot use it', async () => {
    const api = await startTestApi()
    const { email, console } = await addPerson(api)
    const old = await linkAccount(api.db, COMMAND_LINE, email)
    const code = await linkAccount(api.db, COMMAND_LINE, email)
    const visitor = consoleCaller(api)
    const password = 'a brand new password'
    expect(await visitor.post('/link', { code: old, password })).toFailWith('not_found')
    expect((await visitor.post('/link/check', { code })).body.data.link).toMatchObject({ kind: 'reset', email })
    expect((await visitor.post('/link', { code, password })).status).toBe(200)
    expect(await visitor.post('/link', { code, password })).toFailWith('not_found')
    expect(await console.get('/me'), 'earlier sessions end').toFailWith('sign_in_required')
    const last = await linkAccount(api.db, COMMAND_LINE, email)
    await disableAccount(api.db, COMMAND_LINE, email)
    expect(await visitor.post('/link', { code: last, password })).toFailWith('not_found')
    await expect(linkAccount(api.db, COMMAND_LINE, email)).rejects.toThrow(/disabled/)
  })
})

describe('sessions', () => {
  test('end when idle, after a week, by sign-out and when revoked from another session, on every node', async () => {
    const api = await startTestApi({ SESSION_HOURS: '2' })
    const node = await startTestApi()
    const person = await addPerson(api)
    const { email, console } = person
    const age = (column: 'used_at' | 'created_at', time: string) =>
      sql`update session set ${sql.ref(column)} = now() - ${time}::interval where account_id = ${person.id}`.execute(
        api.db,
      )
    expect((await consoleCaller(node, person.cookie).get('/me')).status, 'another node').toBe(200)
    await age('used_at', '119 minutes')
    expect((await console.get('/me')).status, 'used again').toBe(200)
    await age('used_at', '121 minutes')
    expect(await console.get('/me')).toFailWith('sign_in_required')
    await age('used_at', '1 minute')
    await age('created_at', '7 days')
    expect(await console.get('/me')).toFailWith('sign_in_required')

    const signIn = async () =>
      consoleCaller(api, cookieOf(await consoleCaller(api).post('/sign-in', { email, password: PASSWORD })))
    const [here, there] = [await signIn(), await signIn()]
    const { sessions } = (await here.get('/sessions')).body.data
    expect(sessions).toHaveLength(2)
    const other = sessions.find((session: { is_current: boolean }) => !session.is_current)
    const stranger = await addPerson(api)
    expect(await stranger.console.delete(`/sessions/${other.id}`)).toFailWith('not_found')
    expect((await here.delete(`/sessions/${other.id}`)).status).toBe(200)
    expect(await there.get('/me')).toFailWith('sign_in_required')
    const out = await here.post('/sign-out')
    expect(out.headers.get('set-cookie')).toMatch(/^console=; Path=\/console; Max-Age=0;/)
    expect(await here.get('/me')).toFailWith('sign_in_required')
  })

  test('the tokens of a session end with it, on every node, and another session gets a new one', async () => {
    const api = await startTestApi()
    const node = await startTestApi()
    const person = await addPerson(api)
    const signIn = async () =>
      consoleCaller(
        api,
        cookieOf(await consoleCaller(api).post('/sign-in', { email: person.email, password: PASSWORD })),
      )
    const [here, there] = [await signIn(), await signIn()]
    const { token } = (await here.post(`/stores/${api.store.id}/token`)).body.data
    const tabs = [api, node].map(({ anonymous }) => anonymous.with({ authorization: `Bearer ${token}` }))
    for (const tab of tabs) expect((await tab.get('/order')).status).toBe(200)
    await here.post('/sign-out')
    await waitForListeners(api.connection, ACCESS_CHANNEL)
    for (const tab of tabs) expect(await tab.get('/order')).toFailWith('token_revoked')
    expect((await (await storeCaller(api, { console: there })).get('/order')).status).toBe(200)

    const other = await storeCaller(api, { console: there })
    const { sessions } = (await person.console.get('/sessions')).body.data
    for (const { id, is_current } of sessions) if (!is_current) await person.console.delete(`/sessions/${id}`)
    await waitForListeners(api.connection, ACCESS_CHANNEL)
    expect(await other.get('/order'), 'ended from another session').toFailWith('token_revoked')
  })

  test('a dangerous action requires the password again after 15 minutes', async () => {
    const api = await startTestApi()
    const { id, email, console } = await addPerson(api)
    expect((await console.delete('/sessions')).status, 'just signed in').toBe(200)
    await sql`update session set confirmed_at = now() - interval '16 minutes' where account_id = ${id}`.execute(api.db)
    expect(await console.delete('/sessions')).toFailWith('confirmation_required')
    expect(await console.post('/confirm', { password: 'wrong wrong wrong' })).toFailWith('sign_in_failed')
    expect((await console.post('/confirm', { password: PASSWORD })).status).toBe(200)
    expect((await console.delete('/sessions')).status).toBe(200)
    expect(await auditedActs(api, email)).toContain('end_sessions')
  })

  test('each person sets their own name, language and theme', async () => {
    const api = await startTestApi()
    const { console } = await addPerson(api)
    const changed = await console.put('/me', { name: 'Leïla', language: 'ar', theme: 'dark', is_operator: true })
    expect(changed.body.data.account).toMatchObject({ name: 'Leïla', language: 'ar', theme: 'dark' })
    expect(changed.headers.get('x-ignored-input')).toBe('is_operator')
    expect((await console.put('/me', { language: null })).body.data.account).toMatchObject({
      name: 'Leïla',
      language: null,
    })
    expect(await console.put('/me', { language: 'tlh', theme: 'pink' })).toBeRefused(422, 'language', 'theme')
  })
})

describe('roles', () => {
  test('staff have their permissions on their store and nothing else; a revoked member loses access at once', async () => {
    const api = await startTestApi()
    const other = await startTestApi()
    const store = api.store.id
    const staff = await addPerson(api, { role: 'staff', store, permissions: ['order:view', 'product:view'] })
    const { stores } = (await staff.console.get('/me')).body.data
    expect(stores).toMatchObject([{ id: store, role: 'staff', permissions: ['order:view', 'product:view'] }])
    expect(await staff.console.post(`/stores/${other.store.id}/token`)).toFailWith('not_found')
    expect(await staff.console.post('/stores/7f000000-0000-7000-8000-000000000000/token')).toFailWith('not_found')
    const caller = await storeCaller(api, staff)
    expect((await caller.get('/order')).status).toBe(200)
    expect(await caller.post('/order', {})).toFailWith('forbidden')
    const elsewhere = await api.install(['order:view'])
    expect(await caller.get('/order', { 'x-app-install-id': elsewhere.install_id })).toFailWith('install_not_granted')

    await grantRole(api.db, COMMAND_LINE, staff.email, { role: 'staff', store, permissions: ['order:create'] })
    await waitForListeners(api.connection, ACCESS_CHANNEL)
    const placed = await caller.post('/order', {})
    expect(placed.status).toBe(201)
    expect(placed.body.data.order.history).toMatchObject([{ app_name: 'Console', account_name: staff.name }])
    await revokeRole(api.db, COMMAND_LINE, staff.email, { role: 'staff', store, permissions: ['order:create'] })
    await waitForListeners(api.connection, ACCESS_CHANNEL)
    expect(await caller.post('/order', {})).toFailWith('forbidden')
    await revokeRole(api.db, COMMAND_LINE, staff.email, { role: 'staff', store })
    await waitForListeners(api.connection, ACCESS_CHANNEL)
    expect(await caller.get('/order')).toFailWith('install_not_granted')
    expect(await staff.console.post(`/stores/${store}/token`)).toFailWith('not_found')
    expect((await staff.console.get('/stores')).body.data.stores).toEqual([])
  })

  test('owners have every permission on their store, operators on all', async () => {
    const api = await startTestApi()
    const other = await startTestApi()
    const owner = await addPerson(api, { role: 'owner', store: api.store.id })
    const order = (await (await storeCaller(api, owner)).post('/order', {})).body.data.order
    expect(await owner.console.post(`/stores/${other.store.id}/token`)).toFailWith('not_found')
    const operator = await addPerson(api)
    expect((await (await storeCaller(api, operator)).get(`/order/${order.id}`)).status).toBe(200)
    const there = await storeCaller(api, operator, other.store.id)
    expect(await there.get(`/order/${order.id}`)).toFailWith('not_found')
    await api.db.updateTable('store').set({ name: 'Zitouna' }).where('id', '=', other.store.id).execute()
    const found = (await operator.console.get('/stores?search=zitOUNA')).body.data.stores
    expect(found).toMatchObject([{ id: other.store.id, role: 'operator' }])
    await disableAccount(api.db, COMMAND_LINE, operator.email)
    await waitForListeners(api.connection, ACCESS_CHANNEL)
    expect(await there.get('/order')).toFailWith('token_revoked')
    expect(await operator.console.get('/me')).toFailWith('sign_in_required')
  })

  test('the last operator and the last owner of a store cannot be removed', async () => {
    const api = await startTestApi()
    await sql`delete from account`.execute(api.db)
    const store = api.store.id
    const one = await addPerson(api, { role: 'operator' }, { role: 'owner', store })
    await expect(revokeRole(api.db, COMMAND_LINE, one.email, { role: 'operator' })).rejects.toThrow(/last operator/)
    await expect(disableAccount(api.db, COMMAND_LINE, one.email)).rejects.toThrow(/last operator/)
    await expect(revokeRole(api.db, COMMAND_LINE, one.email, { role: 'owner', store })).rejects.toThrow(/last owner/)
    const demote = { role: 'staff' as const, store, permissions: ['order:view'] }
    await expect(grantRole(api.db, COMMAND_LINE, one.email, demote)).rejects.toThrow(/last owner/)
    const two = await addPerson(api, { role: 'operator' }, { role: 'owner', store })
    const both = await Promise.allSettled(
      [one, two].map(({ email }) => revokeRole(api.db, COMMAND_LINE, email, { role: 'operator' })),
    )
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await api.db.selectFrom('account').select('id').where('is_operator', '=', true).execute()).toHaveLength(1)
    const refused = await auditedActs(api, both[0]?.status === 'rejected' ? one.email : two.email)
    expect(refused, 'a refused change is not audited').not.toContain('revoke')
  })

  test('the built-in app is installed on every store, has no secret, and cannot be disabled or installed', async () => {
    const api = await startTestApi()
    const { rows } = await sql<{ client_id: string; app_id: string; id: string }>`select a.client_id, i.app_id, i.id
      from installation i join app a on a.id = i.app_id where i.store_id = ${api.store.id} and a.built_in`.execute(
      api.db,
    )
    expect(rows).toHaveLength(1)
    const { client_id = '', app_id = '', id: install_id = '' } = rows[0] ?? {}
    await expect(disableApp(api.db, client_id)).rejects.toThrow(/no app/)
    await expect(createInstallation(api.db, client_id, api.store.id, ['all'])).rejects.toThrow(/no app/)
    expect((await listInstallations(api.db)).map((shown) => shown.client_id)).not.toContain(client_id)
    const asked = await api.anonymous.post('/auth/get-token', { client_id, client_secret: 'sk_x' })
    expect(asked).toFailWith('invalid_credentials')
    // Even a correctly signed token is refused without an account.
    const claims = { appId: app_id, generation: 1, installId: install_id, expires: Date.now() / 1000 + 60 }
    const forged = api.anonymous.with({ authorization: `Bearer ${api.services.tokens.sign(claims)}` })
    expect(await forged.get('/order')).toFailWith('token_revoked')
  })

  test('a console token does not work for console routes, and a cookie does not work for the API', async () => {
    const api = await startTestApi()
    const person = await addPerson(api)
    const { token } = (await person.console.post(`/stores/${api.store.id}/token`)).body.data
    expect(await consoleCaller(api).get('/me', { authorization: `Bearer ${token}` })).toFailWith('sign_in_required')
    expect(await api.anonymous.get('/order', { cookie: person.cookie })).toFailWith('unauthenticated')
    const payload = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
    expect(payload.exp - payload.iat).toBeLessThanOrEqual(601)
  })
})

test('views belong to an account, a store and one list', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const [amina, leila] = [
    await addPerson(api, { role: 'owner', store: api.store.id }),
    await addPerson(api, { role: 'owner', store: api.store.id }),
  ]
  const of = { store_id: api.store.id, list: 'orders' }
  const list = (person: typeof amina, where = of) =>
    person.console.get(`/views?${new URLSearchParams(where)}`).then(({ body }) => body.data.views)
  const saved = await amina.console.put('/views', { ...of, name: 'Unpaid', query: 'status=pending' })
  expect(saved.body.data.view).toMatchObject({ name: 'Unpaid', query: 'status=pending' })
  await amina.console.put('/views', { ...of, name: 'Unpaid', query: 'status=abandoned' })
  expect(await list(amina)).toMatchObject([{ name: 'Unpaid', query: 'status=abandoned' }])
  expect(await list(leila)).toEqual([])
  expect(await list(amina, { ...of, list: 'products' })).toEqual([])
  expect(await leila.console.delete(`/views/${saved.body.data.view.id}`)).toFailWith('not_found')
  const foreign = { ...of, store_id: other.store.id, name: 'x', query: '' }
  expect(await amina.console.put('/views', foreign)).toFailWith('not_found')
  expect((await amina.console.delete(`/views/${saved.body.data.view.id}`)).status).toBe(200)
  expect(await list(amina)).toEqual([])
})

test('a person has so many views in a store at most, of all lists together', async () => {
  const api = await startTestApi()
  const amina = await addPerson(api, { role: 'owner', store: api.store.id })
  const put = (list: string, name: string) =>
    amina.console.put('/views', { store_id: api.store.id, list, name, query: '' })
  await sql`insert into saved_view (store_id, account_id, list, name, query)
    select ${api.store.id}, ${amina.id}, 'orders', n::text, '' from generate_series(1, ${MAX_VIEWS - 1}) n`.execute(
    api.db,
  )
  expect((await put('landing-pages', 'Drafts')).status).toBe(200)
  expect(await put('products', 'Cheap')).toBeRefused(422, 'name')
  expect((await put('landing-pages', 'Drafts')).status).toBe(200)
  for (const list of ['', 'Orders', 'orders--', 'x'.repeat(41)]) expect(await put(list, 'x')).toBeRefused(422, 'list')
})

test('no password, code, session or token is stored in plain text', async () => {
  const api = await startTestApi()
  const { email } = await addPerson(api)
  const code = await linkAccount(api.db, COMMAND_LINE, email)
  const reply = await consoleCaller(api).post('/sign-in', { email, password: PASSWORD })
  const { token } = (await consoleCaller(api, cookieOf(reply)).post(`/stores/${api.store.id}/token`)).body.data
  const { rows: tables } = await sql<{ name: string }>`select tablename::text as name from pg_tables
    where schemaname = 'public'`.execute(api.db)
  for (const { name } of tables) {
    const { rows } = await sql<{
      text: string | null
    }>`select string_agg(t::text, ' ') as text from ${sql.table(name)} t`.execute(api.db)
    for (const secret of [PASSWORD, code, cookieOf(reply).slice(8), token])
      expect(rows[0]?.text ?? '', name).not.toContain(secret)
  }
})

test('permissions that are granted and revoked at the same time are all granted and revoked', async () => {
  const api = await startTestApi()
  const change = (...permissions: string[]) => ({ role: 'staff' as const, store: api.store.id, permissions })
  const { email } = await addPerson(api, change('order:view', 'product:view', 'customer:view'))
  await Promise.all([
    ...['order:view', 'product:view'].map((name) => revokeRole(api.db, COMMAND_LINE, email, change(name))),
    ...['review:view', 'file:browse'].map((name) => grantRole(api.db, COMMAND_LINE, email, change(name))),
  ])
  const { rows } = await sql<{ permissions: string[] }>`select m.permissions from membership m
    join account a on a.id = m.account_id where a.email = ${email} and m.store_id = ${api.store.id}`.execute(api.db)
  expect(rows[0]?.permissions.toSorted()).toEqual(['customer:view', 'file:browse', 'review:view'])
})
