import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { addPerson, consoleCaller } from '../../../tests/support/console.ts'
import { codeOf, createSoftPasskey, signInAgain } from '../../../tests/support/second-factor.ts'
import { allWhileLocked } from '../../../tests/support/waiting.ts'
import { MAX_PASSKEYS } from './schema.ts'

type Person = Awaited<ReturnType<typeof addPerson>>
type Console = Pick<Person, 'console'>

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})

const staff = () => addPerson(api, { role: 'staff', store: api.store.id, permissions: ['order:view'] })

const begin = async ({ console }: Console) =>
  (await console.post('/second-factor/authenticator')).body.data.secret as string

const finish = ({ console }: Console, secret: string) =>
  console.put('/second-factor/authenticator', { code: codeOf(secret) })

const heldAccount = ({ id }: Person) => sql`select 1 from account where id = ${id} for update`

const pendingOf = async ({ console }: Console) => (await console.get('/me')).body.data.pending

test('a session that gave a factor which was removed is asked for the next one', async () => {
  const person = await staff()
  const thief = await signInAgain(api, person)
  expect((await finish(thief, await begin(thief))).status).toBe(200)
  expect((await thief.console.delete('/second-factor/authenticator')).status).toBe(200)
  expect(await pendingOf(thief)).toBeNull()
  expect((await finish(person, await begin(person))).status).toBe(200)
  expect(await pendingOf(person)).toBeNull()
  expect(await pendingOf(thief)).toBe('verify')
})

test('a session that waits while the first factor is set up neither adds, removes nor renews anything', async () => {
  for (const late of [
    (console: Console['console']) => console.delete('/second-factor/authenticator'),
    (console: Console['console']) => console.post('/second-factor/recovery-codes'),
  ]) {
    const person = await staff()
    const thief = await signInAgain(api, person)
    const secret = await begin(person)
    const [added, refused] = await allWhileLocked(api.db, heldAccount(person), [
      () => finish(person, secret),
      () => late(thief.console),
    ])
    expect(added?.status).toBe(200)
    expect(refused).toFailWith('second_factor_required')
    expect((await person.console.get('/second-factor')).body.data).toMatchObject({
      has_authenticator: true,
      recovery_codes: 10,
    })
  }
})

test('a passkey that is added at the same moment as the first factor of somebody else is refused', async () => {
  const byName = { app: api.app, origin: api.origin.replace('127.0.0.1', 'localhost') }
  const person = await staff()
  const { console: thief } = await signInAgain(byName, person)
  const { options } = (await thief.post('/second-factor/passkeys/challenge')).body.data
  const credential = createSoftPasskey(byName.origin).create(options)
  const secret = await begin(person)
  const [added, refused] = await allWhileLocked(api.db, heldAccount(person), [
    () => finish(person, secret),
    () => thief.post('/second-factor/passkeys', { name: 'Thief', credential }),
  ])
  expect(added?.status).toBe(200)
  expect(refused).toFailWith('second_factor_required')
  expect((await person.console.get('/second-factor')).body.data.has_passkey).toBe(false)
})

test('a person has so many passkeys at most, also if several are added at once', async () => {
  const byName = { app: api.app, origin: api.origin.replace('127.0.0.1', 'localhost') }
  const person = await staff()
  const sessions = [consoleCaller(byName, person.cookie), (await signInAgain(byName, person)).console]
  await sql`insert into passkey (account_id, credential_id, public_key, algorithm, name)
    select ${person.id}, 'key ' || n, 'x', -7, 'Key ' || n from generate_series(2, ${MAX_PASSKEYS}) n`.execute(api.db)
  await sql`update session set second_factor_at = now() where account_id = ${person.id}`.execute(api.db)
  const begun = await Promise.all(
    sessions.map(async (console) => {
      const { options } = (await console.post('/second-factor/passkeys/challenge')).body.data
      return { console, credential: createSoftPasskey(byName.origin).create(options) }
    }),
  )
  const replies = await Promise.all(
    begun.map(({ console, credential }) => console.post('/second-factor/passkeys', { name: '', credential })),
  )
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 422])
})
