import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { waitForListeners } from '../../core/storage/listener.ts'
import { ACCESS_CHANNEL } from './access-cache.ts'
import { listApps } from './queries.ts'
import { endOldSecret, type Rotation, rotateSecret } from './rotate-secret.ts'

type Credentials = { client_id: string; client_secret: string }

/** Two servers on one database that have both cached the app. */
const startNodes = async () => {
  const api = await startTestApi()
  const second = await startTestApi({ SHUTDOWN_SECONDS: '9' })
  const app = await api.install(['product:view'])
  const ask = ({ client_id, client_secret }: Credentials, nodes: TestApi[] = [api, second]) =>
    Promise.all(
      nodes.map(async (node) => (await node.anonymous.post('/auth/get-token', { client_id, client_secret })).status),
    )
  expect(await ask(app)).toEqual([200, 200])
  const heard = () => waitForListeners(api.connection, ACCESS_CHANNEL)
  const rotate = async (rotation: Partial<Rotation> = {}) => {
    const rotated = await rotateSecret(api.db, app.client_id, { revokeTokens: false, ...rotation })
    await heard()
    return rotated
  }
  return { api, app, ask, rotate, heard }
}

test('during an overlap both secrets work on every node, and a wrong one does not', async () => {
  const { api, app, ask, rotate } = await startNodes()
  const rotated = await rotate({ keepOldSeconds: 3600 })
  expect(rotated.old_secret_until).toBeInstanceOf(Date)
  expect(await ask(app)).toEqual([200, 200])
  expect(await ask(rotated)).toEqual([200, 200])
  expect(await ask({ ...app, client_secret: 'sk_wrong' })).toEqual([401, 401])
  const listed = (await listApps(api.db)).find(({ client_id }) => client_id === app.client_id)
  expect(listed?.old_secret_until).toEqual(rotated.old_secret_until)
})

test('the old secret expires on every node, even if it is cached', async () => {
  const { api, app, ask, rotate } = await startNodes()
  const rotated = await rotate({ keepOldSeconds: 2 })
  expect(await ask(app)).toEqual([200, 200])
  await expect.poll(() => ask(app), { interval: 250 }).toEqual([401, 401])
  expect(await ask(rotated)).toEqual([200, 200])
  const listed = (await listApps(api.db)).find(({ client_id }) => client_id === app.client_id)
  expect(listed?.old_secret_until).toBeNull()
})

test('the old secret can be ended early, alone or with all tokens', async () => {
  const { api, app, ask, rotate, heard } = await startNodes()
  const token = await api.getToken(app)
  const me = async () => (await api.anonymous.get('/auth/me', { authorization: `Bearer ${token}` })).status
  const rotated = await rotate({ keepOldSeconds: 3600 })
  await endOldSecret(api.db, app.client_id, { revokeTokens: false })
  await heard()
  expect(await ask(app)).toEqual([401, 401])
  expect(await ask(rotated)).toEqual([200, 200])
  expect(await me()).toBe(200)
  await endOldSecret(api.db, app.client_id, { revokeTokens: true })
  await heard()
  expect(await me()).toBe(401)
  expect(await ask(rotated)).toEqual([200, 200])
  await expect(endOldSecret(api.db, 'app_nobody', { revokeTokens: false })).rejects.toThrow('no app')
})

test('only the previous secret is kept, and a rotation without overlap ends it too', async () => {
  const { app, ask, rotate } = await startNodes()
  const second = await rotate({ keepOldSeconds: 3600 })
  const third = await rotate({ keepOldSeconds: 3600, revokeTokens: true })
  expect([await ask(app), await ask(second), await ask(third)]).toEqual([
    [401, 401],
    [200, 200],
    [200, 200],
  ])
  const last = await rotate()
  expect(last.old_secret_until).toBeNull()
  expect([await ask(second), await ask(third), await ask(last)]).toEqual([
    [401, 401],
    [401, 401],
    [200, 200],
  ])
})
