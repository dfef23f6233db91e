import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import type { Reply } from '../../../tests/support/caller.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { allWhileLocked } from '../../../tests/support/waiting.ts'
import { waitForListeners } from '../../core/storage/listener.ts'
import { ACCESS_CHANNEL } from './access-cache.ts'
import { createInstallation } from './create-installation.ts'
import { disableApp } from './disable-app.ts'
import { hashSecret } from './secrets.ts'

interface TestApp {
  id: string
  client_id: string
  client_secret: string
}

/** Asks for a token with the secret of the app, or with another one. */
const ask = (api: TestApi, { client_id, client_secret }: TestApp, more: object = {}) =>
  api.anonymous.post('/auth/get-token', { client_id, client_secret, ...more })

const WRONG = { client_secret: 'wrong' }

/** Counts the statements with this text that the service sends while `work` runs. */
const countStatements = async (text: string, work: (count: () => number) => Promise<void>) => {
  const spy = vi.spyOn(pg.Client.prototype as { query: (...given: unknown[]) => unknown }, 'query')
  try {
    await work(() => spy.mock.calls.filter(([sent]) => JSON.stringify(sent).includes(text)).length)
  } finally {
    spy.mockRestore()
  }
}

test('a token is for its app, and valid for as long as was asked', async () => {
  const api = await startTestApi()
  const app = await api.install([])
  const token = await api.getToken(app, { ttl: 500 })
  const { exp } = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())
  const left = exp - Date.now() / 1000
  expect(left).toBeGreaterThan(400)
  expect(left).toBeLessThanOrEqual(500)
  const me = await api.anonymous.get('/auth/me', { authorization: `Bearer ${token}` })
  expect(me.body.data).toMatchObject({ app: { id: app.id } })
})

test('a wrong secret and an unknown client get the same reply', async () => {
  const api = await startTestApi()
  const { client_id } = await api.install([])
  const wrong = await api.anonymous.post('/auth/get-token', { client_id, client_secret: 'wrong' })
  const unknown = await api.anonymous.post('/auth/get-token', { client_id: 'nobody', client_secret: 'wrong' })
  expect(wrong).toFailWith('invalid_credentials')
  expect(wrong.headers.get('www-authenticate')).toContain('Basic')
  expect(unknown.body).toEqual(wrong.body)
})

test('a token cannot be bound to an installation of another app', async () => {
  const api = await startTestApi()
  const mine = await api.install([])
  const theirs = await api.install([])
  const { client_id, client_secret } = mine
  const foreign = await api.anonymous.post('/auth/get-token', {
    client_id,
    client_secret,
    install_id: theirs.install_id,
  })
  expect(foreign).toFailWith('install_not_granted')
  expect(foreign.body.message).toBe('This app has no such installation.')
  const unknown = await api.anonymous.post('/auth/get-token', { client_id, client_secret, install_id: randomUUID() })
  expect(unknown.status).toBe(foreign.status)
  expect(unknown.body).toEqual(foreign.body)
  const malformed = await api.anonymous.post('/auth/get-token', { client_id, client_secret, install_id: 'x' })
  expect(malformed).toBeRefused(422, 'install_id')
})

test('a disabled app and the console get no token, not even with the right secret', async () => {
  const api = await startTestApi()
  const app = await api.install([])
  await disableApp(api.db, app.client_id)
  const built = { id: '', client_id: 'app_console', client_secret: 'known' }
  await sql`update app set secret_hash = ${hashSecret('known')} where client_id = 'app_console'`.execute(api.db)
  await waitForListeners(api.connection, ACCESS_CHANNEL)
  for (const refused of [app, built])
    for (let n = 0; n < 2; n++) expect(await ask(api, refused)).toFailWith('invalid_credentials')
})

test('an app that acts for people gets no token with a secret, also if it has one', async () => {
  const api = await startTestApi()
  const app = await api.install([])
  await sql`update app set is_public = true where client_id = ${app.client_id}`.execute(api.db)
  expect(await ask(api, app)).toFailWith('invalid_credentials')
  expect(await ask(api, app, { install_id: app.install_id })).toFailWith('invalid_credentials')
})

test('a new secret is accepted by a node that has not heard of it yet', async () => {
  const api = await startTestApi()
  const app = await api.install([])
  expect((await ask(api, app)).status).toBe(200)
  await sql`alter table app disable trigger app_changed`.execute(api.db)
  await sql`update app set secret_hash = ${hashSecret('new')} where id = ${app.id}`.execute(api.db)
  await sql`alter table app enable trigger app_changed`.execute(api.db)
  expect((await ask(api, app, { client_secret: 'new' })).status).toBe(200)
  expect(await ask(api, app, WRONG)).toFailWith('invalid_credentials')
})

test('an app that has just got a token gets the next one without a statement', async () => {
  const api = await startTestApi()
  const app = await api.install([])
  const now = Math.floor(performance.now())
  const clock = vi.spyOn(performance, 'now')
  await countStatements('rate_window', async (count) => {
    const countAt = async (ms: number, more?: object) => {
      clock.mockReturnValue(now + ms)
      const before = count()
      const { status } = await ask(api, app, more)
      return { status, statements: count() - before }
    }
    expect(await countAt(0)).toEqual({ status: 200, statements: 1 })
    expect(await countAt(999)).toEqual({ status: 200, statements: 0 })
    expect(await countAt(1_000)).toEqual({ status: 200, statements: 1 })
    // A failure is looked up and counted, and so is the next attempt.
    expect(await countAt(1_001, WRONG)).toEqual({ status: 401, statements: 2 })
    expect(await countAt(1_002)).toEqual({ status: 200, statements: 1 })
    expect(await countAt(1_003)).toEqual({ status: 200, statements: 0 })
  }).finally(() => clock.mockRestore())
})

/** As if so many attempts had failed in this minute, of which there is enough left for a few requests. */
const setFailures = async ({ db }: TestApi, { client_id }: TestApp, failures: number) => {
  await eventually(async () => {
    const { rows } = await sql<{ second: number }>`select extract(second from now())::int as second`.execute(db)
    if ((rows[0]?.second ?? 60) > 50) throw new Error('The minute is nearly over.')
  })
  await sql`insert into rate_window (key, window_start, used, ends_at)
    values (${`get-token:${client_id}:127.0.0.1`}, date_trunc('minute', now()), ${failures}, now() + interval '2 minutes')
    on conflict (key) do update set window_start = excluded.window_start, used = excluded.used`.execute(db)
}

test('the 30th failure in a minute is the last that is told, also if several fail at once', async () => {
  const api = await startTestApi()
  const app = await api.install([])
  await setFailures(api, app, 29)
  expect((await ask(api, app)).status).toBe(200)
  const lock = sql`select from rate_window where key = ${`get-token:${app.client_id}:127.0.0.1`} for update`
  const guess = () => ask(api, app, WRONG)
  const replies = await allWhileLocked(api.db, lock, [guess, guess])
  expect(replies.map(({ body }) => body.code).sort()).toEqual(['invalid_credentials', 'rate_limited'])
  const other = await api.install([])
  await setFailures(api, other, 30)
  const refused = await ask(api, other)
  expect(refused).toFailWith('rate_limited')
  expect(refused.body.message).toBe('Too many failed attempts with this client_id.')
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  // Those of another app are its own.
  expect((await ask(api, await api.install([]))).status).toBe(200)
})

/** Guesses until 429, even if a new minute resets the counter in between. */
const guessUntilLimited = async (guess: () => Promise<Reply>) => {
  const replies: Reply[] = []
  while (replies.at(-1)?.status !== 429 && replies.length < 90) replies.push(await guess())
  expect(replies.at(-1)).toFailWith('rate_limited')
  return replies
}

test('after 30 failures even the right secret is refused, but not from another address', async () => {
  const api = await startTestApi({ TRUST_PROXY: '1' })
  const { client_id, client_secret } = await api.install([])
  const askFrom = (secret: string, forwarded: string) =>
    api.anonymous.post('/auth/get-token', { client_id, client_secret: secret }, { 'x-forwarded-for': forwarded })
  const replies = await guessUntilLimited(() => askFrom('guess', '203.0.113.7'))
  expect(replies.filter(({ status }) => status === 401).length).toBeGreaterThanOrEqual(30)
  const [right, wrong] = [await askFrom(client_secret, '203.0.113.7'), await askFrom('guess', '203.0.113.7')]
  expect(right).toFailWith('rate_limited')
  expect(wrong.text).toBe(right.text)
  expect([...wrong.headers.keys()]).toEqual([...right.headers.keys()])
  expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await askFrom(client_secret, '203.0.113.8')).status).toBe(200)
  // The proxy appends to whatever X-Forwarded-For the caller made up.
  expect(await askFrom(client_secret, '203.0.113.8, 203.0.113.7')).toFailWith('rate_limited')
  expect(await askFrom(client_secret, '203.0.113.7:54321')).toFailWith('rate_limited')
})

test('an X-Forwarded-For of 10 kB without an address causes no server error', async () => {
  const api = await startTestApi({ TRUST_PROXY: '1' })
  const headers = { 'x-forwarded-for': 'x'.repeat(10_000) }
  const reply = await api.anonymous.post('/auth/get-token', { client_id: 'nobody', client_secret: 'x' }, headers)
  expect(reply).toFailWith('invalid_credentials')
})

const lastUseOf = async ({ db }: TestApi, table: 'app' | 'installation', id: string) =>
  (await db.selectFrom(table).select('last_used_at').where('id', '=', id).executeTakeFirstOrThrow()).last_used_at

test('the last use of an app and of each of its installations is recorded', async () => {
  const api = await startTestApi()
  const [app, unused] = [await api.install([]), await api.install([])]
  const other = await startTestApi()
  const second = await createInstallation(api.db, app.client_id, other.store.id, [])
  for (const install_id of [undefined, app.install_id, second.install_id])
    expect((await ask(api, app, { install_id })).status).toBe(200)
  await expect.poll(() => lastUseOf(api, 'app', app.id)).toBeInstanceOf(Date)
  for (const id of [app.install_id, second.install_id])
    await expect.poll(() => lastUseOf(api, 'installation', id)).toBeInstanceOf(Date)
  expect(await lastUseOf(api, 'app', unused.id)).toBeNull()
  expect((await ask(api, unused)).status).toBe(200)
  await expect.poll(() => lastUseOf(api, 'app', unused.id)).toBeInstanceOf(Date)
  expect(await lastUseOf(api, 'installation', unused.install_id)).toBeNull()
})

test('a use is recorded once a minute', async () => {
  const api = await startTestApi()
  const app = await api.install([])
  const now = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now })
  await countStatements('last_used_at', async (count) => {
    const askAt = async (ms: number) => {
      vi.setSystemTime(now + ms)
      expect((await ask(api, app)).status).toBe(200)
    }
    await askAt(0)
    await expect.poll(count).toBe(1)
    await askAt(59_999)
    // Nobody waits for it: by then it would have been sent.
    await sleep(100)
    expect(count()).toBe(1)
    await askAt(60_000)
    await expect.poll(count).toBe(2)
  }).finally(() => vi.useRealTimers())
})

test('a use that could not be recorded does not fail the request, and is recorded the next time', async () => {
  const api = await startTestApi()
  const app = await api.install([])
  await sql`create function refuse_uses() returns trigger language plpgsql as
    $$ begin raise exception 'no room for uses'; end $$`.execute(api.db)
  await sql`create trigger refuse_uses before update of last_used_at on app
    for each row execute function refuse_uses()`.execute(api.db)
  expect((await ask(api, app)).status).toBe(200)
  await sql`drop trigger refuse_uses on app`.execute(api.db)
  await sql`drop function refuse_uses`.execute(api.db)
  await eventually(async () => {
    await ask(api, app)
    expect(await lastUseOf(api, 'app', app.id)).toBeInstanceOf(Date)
  })
})
