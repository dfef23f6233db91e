import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { addPerson, consoleCaller, cookieOf, PASSWORD, storeCaller } from '../../../tests/support/console.ts'
import { codeOf, createSoftPasskey, signInAgain } from '../../../tests/support/second-factor.ts'
import { waitForListeners } from '../../core/storage/listener.ts'
import { COMMAND_LINE } from '../accounts/audit.ts'
import { linkAccount } from '../accounts/link-account.ts'
import { ACCESS_CHANNEL } from '../auth/access-cache.ts'
import { clearSecondFactor } from './factors.ts'
import { requireSecondFactor } from './requirement.ts'
import { base32, matchingStep, totpCode } from './totp.ts'

type Person = Awaited<ReturnType<typeof addPerson>>

let api: TestApi

beforeAll(async () => {
  api = await startTestApi()
})

const staff = () => addPerson(api, { role: 'staff', store: api.store.id, permissions: ['order:view'] })

/** Sets up an authenticator app. */
const addAuthenticator = async ({ console }: Pick<Person, 'console'>) => {
  const { secret, address } = (await console.post('/second-factor/authenticator')).body.data
  const reply = await console.put('/second-factor/authenticator', { code: codeOf(secret) })
  expect(reply.status, reply.text).toBe(200)
  return { secret, address, recovery: reply.body.data.recovery_codes as string[] }
}

/** As if the last code had been given long ago. */
const forgetLastCode = (account: string) =>
  sql`update authenticator set last_step = 0 where account_id = ${account}`.execute(api.db)

const acts = async ({ email }: Pick<Person, 'email'>) =>
  (await api.db.selectFrom('audit_entry').select('act').where('subject', '=', email).orderBy('id').execute()).map(
    ({ act }) => act,
  )

test('codes are those of RFC 6238, and secrets are written as in RFC 4648', () => {
  const secret = Buffer.from('12345678901234567890')
  for (const [seconds, code] of [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ] as const)
    expect(totpCode(secret, Math.floor(seconds / 30))).toBe(code)
  expect(base32(secret)).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
  const now = 59_000
  for (const step of [0, 1, 2]) expect(matchingStep(secret, totpCode(secret, step), { now, last: -1 })).toBe(step)
  expect(matchingStep(secret, totpCode(secret, 3), { now, last: -1 }), 'too early').toBeUndefined()
  expect(matchingStep(secret, '287082', { now, last: 1 }), 'used').toBeUndefined()
  expect(matchingStep(secret, '', { now, last: -1 })).toBeUndefined()
})

describe('an authenticator app', () => {
  test('is asked for after the password, and a session without it may do nothing else', async () => {
    const person = await staff()
    const before = await signInAgain(api, person)
    expect(before.pending, 'nobody has to have one').toBeNull()
    const caller = await storeCaller(api, before)
    const { secret, address } = (await person.console.post('/second-factor/authenticator')).body.data
    expect(address).toContain(`secret=${secret}&`)
    expect(decodeURIComponent(address)).toContain(`:${person.email}?`)
    expect((await before.console.get('/me')).body.data.pending, 'not before it has shown a code').toBeNull()
    expect(await person.console.put('/second-factor/authenticator', { code: '12345' })).toBeRefused(422, 'code')
    const { recovery_codes } = (await person.console.put('/second-factor/authenticator', { code: codeOf(secret) })).body
      .data
    expect(recovery_codes).toHaveLength(10)
    expect((await person.console.get('/me')).body.data, 'goes on').toMatchObject({ pending: null, stores: [{}] })

    // Sessions and tokens from before do not get around it.
    expect((await before.console.get('/me')).body.data).toMatchObject({ pending: 'verify', stores: [] })
    await waitForListeners(api.connection, ACCESS_CHANNEL)
    expect(await caller.get('/order')).toFailWith('token_revoked')
    const { console, pending } = await signInAgain(api, person)
    expect(pending).toBe('verify')
    for (const [method, path, body] of [
      ['GET', '/stores'],
      ['GET', '/sessions'],
      ['PUT', '/me', { name: 'X' }],
      ['POST', `/stores/${api.store.id}/token`],
      ['POST', '/password', { current_password: PASSWORD, password: 'a brand new password' }],
      ['POST', '/confirm', { password: PASSWORD }],
      ['POST', '/second-factor/authenticator'],
      ['DELETE', '/second-factor/authenticator'],
      ['POST', '/second-factor/recovery-codes'],
    ] as const)
      expect(await console.send(method, path, body), `${method} ${path}`).toFailWith('second_factor_required')
    expect((await console.get('/second-factor')).body.data).toEqual({
      is_required: false,
      has_authenticator: true,
      has_passkey: false,
      passkeys: [],
      recovery_codes: 0,
    })

    expect(await console.post('/second-factor', { code: codeOf(secret) }), 'used at the setup').toBeRefused(422, 'code')
    await forgetLastCode(person.id)
    const arabic = codeOf(secret).replace(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit)))
    expect((await console.post('/second-factor', { code: ` ${arabic.slice(0, 3)} ${arabic.slice(3)}` })).status).toBe(
      200,
    )
    expect((await console.get('/me')).body.data).toMatchObject({ pending: null, stores: [{}] })
    expect(await before.console.post('/second-factor', { code: codeOf(secret) }), 'replayed').toBeRefused(422, 'code')
    expect((await before.console.get('/me')).body.data.pending).toBe('verify')
    expect(await acts(person)).toEqual(
      expect.arrayContaining(['add_authenticator', 'fail_second_factor', 'give_second_factor']),
    )
    const { rows } = await sql<{ text: string }>`select concat((select string_agg(a::text, '') from authenticator a),
      (select string_agg(r::text, '') from recovery_code r), (select string_agg(e::text, '') from audit_entry e)) as text`.execute(
      api.db,
    )
    for (const text of [secret, ...recovery_codes]) expect(rows[0]?.text).not.toContain(text)
  })

  test('a new password by link does not get around it, and the sign-out works without it', async () => {
    const person = await staff()
    await addAuthenticator(person)
    const code = await linkAccount(api.db, COMMAND_LINE, person.email)
    const reply = await consoleCaller(api).post('/link', { code, password: 'a brand new password' })
    expect(reply.body.data.pending).toBe('verify')
    const console = consoleCaller(api, cookieOf(reply))
    expect(await console.get('/stores')).toFailWith('second_factor_required')
    expect((await console.post('/sign-out')).status).toBe(200)
    expect(await console.get('/second-factor')).toFailWith('sign_in_required')
  })

  test('of many who give the same code at once one gets in, and guesses are few', async () => {
    const person = await staff()
    const { secret } = await addAuthenticator(person)
    const sessions = await Promise.all(Array.from({ length: 4 }, () => signInAgain(api, person)))
    await forgetLastCode(person.id)
    const code = codeOf(secret)
    const replies = await Promise.all(sessions.map(({ console }) => console.post('/second-factor', { code })))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422])
    const other = await signInAgain(api, person)
    const wrong = await Promise.all(
      Array.from({ length: 12 }, () => other.console.post('/second-factor', { code: 'not-a-code' })),
    )
    const limited = wrong.filter(({ status }) => status === 429)
    expect(limited.length).toBeGreaterThanOrEqual(7)
    expect(limited[0]?.headers.get('retry-after')).toMatch(/^\d+$/)
    await forgetLastCode(person.id)
    expect(await other.console.post('/second-factor', { code: codeOf(secret) }), 'also the right one').toFailWith(
      'rate_limited',
    )
    // A success would forget the last minutes, but not the failures of the day.
    await sql`delete from rate_window where key = ${`second-factor:${person.id}`}`.execute(api.db)
    await sql`update rate_window set used = 20 where key = ${`second-factor-day:${person.id}`}`.execute(api.db)
    expect(await other.console.post('/second-factor', { code: codeOf(secret) })).toFailWith('rate_limited')
    const third = await staff()
    const theirs = await addAuthenticator(third)
    const { console } = await signInAgain(api, third)
    await forgetLastCode(third.id)
    expect((await console.post('/second-factor', { code: codeOf(theirs.secret) })).status, 'others are not').toBe(200)
  })

  test('recovery codes work once each, and new ones replace them', async () => {
    const person = await staff()
    const { recovery } = await addAuthenticator(person)
    const [first = '', second = '', third = ''] = recovery
    const sessions = await Promise.all([signInAgain(api, person), signInAgain(api, person)])
    const typed = first.toUpperCase().replaceAll('-', ' ')
    const replies = await Promise.all(sessions.map(({ console }) => console.post('/second-factor', { code: typed })))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 422])
    expect((await person.console.get('/second-factor')).body.data.recovery_codes).toBe(9)
    const stranger = await staff()
    await addAuthenticator(stranger)
    const theirs = await signInAgain(api, stranger)
    expect(await theirs.console.post('/second-factor', { code: second }), 'of somebody else').toBeRefused(422, 'code')
    const renewed = (await person.console.post('/second-factor/recovery-codes')).body.data.recovery_codes as string[]
    expect(renewed).toHaveLength(10)
    const { console } = await signInAgain(api, person)
    expect(await console.post('/second-factor', { code: third }), 'replaced').toBeRefused(422, 'code')
    expect((await console.post('/second-factor', { code: renewed[0] })).status).toBe(200)
    expect((await person.console.delete('/second-factor/authenticator')).status).toBe(200)
    expect(await person.console.delete('/second-factor/authenticator')).toFailWith('not_found')
    expect(await person.console.post('/second-factor/recovery-codes'), 'of nothing').toFailWith('not_found')
    expect((await signInAgain(api, person)).pending).toBeNull()
    expect((await person.console.get('/second-factor')).body.data).toMatchObject({ recovery_codes: 0 })
  })

  test('setting one up needs a recent password, and one that nobody confirmed is not asked for', async () => {
    const person = await staff()
    await sql`update session set confirmed_at = now() - interval '16 minutes' where account_id = ${person.id}`.execute(
      api.db,
    )
    expect(await person.console.post('/second-factor/authenticator')).toFailWith('confirmation_required')
    await person.console.post('/confirm', { password: PASSWORD })
    const { secret } = (await person.console.post('/second-factor/authenticator')).body.data
    await sql`update authenticator set pending_until = now() where account_id = ${person.id}`.execute(api.db)
    expect(await person.console.put('/second-factor/authenticator', { code: codeOf(secret) })).toBeRefused(422, 'code')
    expect((await signInAgain(api, person)).pending).toBeNull()
  })
})

describe('where a second factor is required', () => {
  test('whoever has none sets one up before anything else, also in sessions from before', async () => {
    const own = await startTestApi()
    const add = () => addPerson(own, { role: 'staff', store: own.store.id, permissions: ['order:view'] })
    const person = await add()
    const operator = await addPerson(own)
    const caller = await storeCaller(own, person)
    const put = (second_factor: string) => operator.console.put('/operator/second-factor', { second_factor })
    expect(await put('everybody'), 'without one of their own').toBeRefused(422, 'second_factor')
    expect(await put('all')).toBeRefused(422, 'second_factor')
    await addAuthenticator(operator)
    expect((await put('operators')).status).toBe(200)
    expect((await person.console.get('/stores')).status, 'no operator').toBe(200)
    expect((await put('everybody')).body.data).toEqual({ second_factor: 'everybody' })
    await waitForListeners(own.connection, ACCESS_CHANNEL)
    expect(await caller.get('/order')).toFailWith('token_revoked')
    expect((await person.console.get('/me')).body.data).toMatchObject({ pending: 'enrol', stores: [] })
    expect(await person.console.get('/stores')).toFailWith('second_factor_missing')
    expect(await person.console.post(`/stores/${own.store.id}/token`)).toFailWith('second_factor_missing')
    expect(await person.console.post('/second-factor', { code: '123456' })).toFailWith('second_factor_missing')
    // Two sessions set one up at once: the second one has not given the factor of the first.
    const elsewhere = await signInAgain(own, person)
    expect(elsewhere.pending).toBe('enrol')
    const { secret } = (await elsewhere.console.post('/second-factor/authenticator')).body.data
    const code = codeOf(secret)
    const replies = await Promise.all(
      [person.console, elsewhere.console].map((console) => console.put('/second-factor/authenticator', { code })),
    )
    expect(replies.map(({ status }) => status).sort()).not.toEqual([200, 200])
    const [there, not] = replies[0]?.status === 200 ? [person, elsewhere] : [elsewhere, person]
    expect((await there.console.get('/stores')).status).toBe(200)
    expect(await not.console.get('/stores')).toFailWith('second_factor_required')
    expect(await there.console.delete('/second-factor/authenticator'), 'the last one stays').toFailWith('forbidden')
    expect((await there.console.get('/second-factor')).body.data.has_authenticator).toBe(true)

    // Somebody who has lost it: only an operator or the command line clears it, and all sessions end.
    expect(await there.console.delete(`/operator/accounts/${person.id}/second-factor`)).toFailWith('forbidden')
    const cleared = await operator.console.delete(`/operator/accounts/${person.id}/second-factor`)
    expect(cleared.body.data.account).toMatchObject({ has_second_factor: false, sessions: 0 })
    expect(await there.console.get('/me')).toFailWith('sign_in_required')
    expect((await signInAgain(own, person)).pending).toBe('enrol')
    await clearSecondFactor(own.db, COMMAND_LINE, person)
    await requireSecondFactor(own.db, COMMAND_LINE, 'nobody')
    expect((await signInAgain(own, person)).pending).toBeNull()
    const entries = await own.db
      .selectFrom('audit_entry')
      .select(['act', 'actor', 'after'])
      .where('act', 'in', ['clear_second_factor', 'require_second_factor'])
      .orderBy('id')
      .execute()
    expect(entries.map(({ act, actor }) => [act, actor])).toEqual([
      ['require_second_factor', operator.name],
      ['require_second_factor', operator.name],
      ['clear_second_factor', operator.name],
      ['clear_second_factor', 'command line'],
      ['require_second_factor', 'command line'],
    ])
  })
})

describe('a passkey', () => {
  /** Browsers refuse passkeys at addresses of numbers. */
  const byName = () => ({ app: api.app, origin: api.origin.replace('127.0.0.1', 'localhost') })
  const at = ({ cookie }: Pick<Person, 'cookie'>) => consoleCaller(byName(), cookie)

  test('is made here and now, signs a challenge once, and belongs to one person', async () => {
    const person = await staff()
    const console = at(person)
    const site = byName().origin
    const key = createSoftPasskey(site)
    const begin = async () => (await console.post('/second-factor/passkeys/challenge')).body.data.options
    const add = (credential: object) => console.post('/second-factor/passkeys', { name: 'Laptop', credential })
    expect(await add(key.create({ challenge: 'x', rp: { id: 'localhost' } })), 'no challenge').toBeRefused(
      422,
      'passkey',
    )
    const options = await begin()
    expect(options).toMatchObject({ rp: { id: 'localhost' }, user: { name: person.email }, excludeCredentials: [] })
    expect(await add(createSoftPasskey('https://evil.example').create(options)), 'elsewhere').toBeRefused(
      422,
      'passkey',
    )
    expect(await add(key.create(options)), 'a challenge is for one attempt').toBeRefused(422, 'passkey')
    expect(await add({ ...key.create(await begin()), publicKey: 'AAAA' }), 'no key').toBeRefused(422, 'passkey')
    const added = await add(key.create(await begin()))
    expect(added.body.data.recovery_codes).toHaveLength(10)
    expect((await begin()).excludeCredentials).toHaveLength(1)
    const { passkeys } = (await console.get('/second-factor')).body.data
    expect(passkeys).toMatchObject([{ name: 'Laptop', used_at: null }])
    expect(await person.console.post('/second-factor/passkeys/challenge'), 'at a number').toFailWith('forbidden')

    const { console: next, pending } = await signInAgain(byName(), person)
    expect(pending).toBe('verify')
    const ask = async () => (await next.post('/second-factor/challenge')).body.data.options
    const give = (credential: object) => next.post('/second-factor/passkey', { credential })
    const asked = await ask()
    expect(asked.allowCredentials).toMatchObject([{ transports: ['internal'] }])
    const signed = key.get(asked)
    expect(await give({ ...signed, signature: Buffer.from('no').toString('base64url') })).toBeRefused(422, 'passkey')
    expect(await give(signed), 'after another attempt').toBeRefused(422, 'passkey')
    expect((await give(key.get(await ask()))).status).toBe(200)
    expect((await next.get('/me')).body.data.pending).toBeNull()
    expect(await give(key.get(await ask(), { copy: true })), 'a copy of the key').toBeRefused(422, 'passkey')

    const stranger = await staff()
    const theirs = createSoftPasskey(site)
    const strange = at(stranger)
    const { options: fresh } = (await strange.post('/second-factor/passkeys/challenge')).body.data
    await strange.post('/second-factor/passkeys', { name: '', credential: theirs.create(fresh) })
    const again = await signInAgain(byName(), stranger)
    const { options: request } = (await again.console.post('/second-factor/challenge')).body.data
    expect(
      await again.console.post('/second-factor/passkey', { credential: key.get(request) }),
      'of somebody else',
    ).toBeRefused(422, 'passkey')
    expect(await strange.delete(`/second-factor/passkeys/${passkeys[0].id}`)).toFailWith('not_found')
    expect((await console.delete(`/second-factor/passkeys/${passkeys[0].id}`)).status).toBe(200)
    expect((await signInAgain(api, person)).pending).toBeNull()
  })
})

test('an operator sees the sessions of a person, and ends one of them', async () => {
  const operator = await addPerson(api)
  const person = await staff()
  const other = await staff()
  await signInAgain(api, person)
  const path = `/operator/accounts/${person.id}/sessions`
  const { sessions } = (await operator.console.get(path)).body.data
  expect(sessions).toHaveLength(2)
  expect(sessions[0]).toMatchObject({ is_current: false, used_at: expect.any(String), agent: expect.any(String) })
  expect(await operator.console.delete(`/operator/accounts/${other.id}/sessions/${sessions[0].id}`)).toFailWith(
    'not_found',
  )
  expect(await other.console.get(path)).toFailWith('forbidden')
  expect((await operator.console.delete(`${path}/${sessions[0].id}`)).status).toBe(200)
  expect((await operator.console.get(path)).body.data.sessions).toHaveLength(1)
  expect(await acts(person)).toContain('end_session')
})
