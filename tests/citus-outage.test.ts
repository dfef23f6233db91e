import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { API_PREFIX, readConfig } from '../src/config/config.ts'
import { withUntimedDatabase } from '../src/core/storage/connect.ts'
import { createApp } from '../src/resources/auth/create-app.ts'
import { createInstallation } from '../src/resources/auth/create-installation.ts'
import { PERMISSIONS } from '../src/resources/permissions/catalogue.ts'
import { createStore } from '../src/resources/stores/create-store.ts'
import { startHttpServer } from '../src/server/http-server.ts'
import { createCaller } from './support/caller.ts'
import { isOnCitus } from './support/citus.ts'
import { addCleanup } from './support/cleanup.ts'
import { temporaryFolder } from './support/server-process.ts'
import { startTcpProxy } from './support/tcp-proxy.ts'
import { cloneDatabase } from './support/test-database.ts'

const LOCATE = `select p.groupid from pg_dist_placement p
  where p.shardid = get_shard_id_for_distribution_column('orders', $1::uuid)`

/** A service whose coordinator reaches one worker through a proxy, a store there and a store on another worker. */
const start = async () => {
  const connection = await cloneDatabase()
  const coordinator = new pg.Client(connection)
  coordinator.on('error', () => {})
  await coordinator.connect()
  const { rows } = await coordinator.query(
    'select nodeid, groupid, nodename, nodeport from pg_dist_node where groupid > 0 order by groupid limit 1',
  )
  const [{ nodeid, groupid, nodename, nodeport }] = rows
  const proxy = await startTcpProxy({ host: nodename, port: nodeport })
  await coordinator.query('select citus_update_node($1, $2, $3)', [nodeid, '127.0.0.1', proxy.port])
  const config = readConfig({ PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: await temporaryFolder(), DATABASE_POOL: '6' })
  const server = await startHttpServer(config, connection)
  addCleanup(server.close)
  const anonymous = createCaller(server.app, `http://127.0.0.1:${server.port}`, API_PREFIX, {})
  const openStore = (isBehindProxy: boolean) =>
    withUntimedDatabase(connection, 'test', async ({ db }) => {
      const app = await createApp(db, 'App')
      for (;;) {
        const { id } = await createStore(db, { name: 'Shop' })
        const { rows } = await coordinator.query(LOCATE, [id])
        if ((rows[0].groupid === groupid) !== isBehindProxy) continue
        const { install_id } = await createInstallation(db, app.client_id, id, PERMISSIONS)
        const { client_id, client_secret } = app
        const login = await anonymous.post('/auth/get-token', { client_id, client_secret, install_id })
        return anonymous.with({ authorization: `Bearer ${login.body.data.token}` })
      }
    })
  const behind = await openStore(true)
  const beside = await openStore(false)
  await coordinator.end()
  return { proxy, behind, beside }
}

test.skipIf(!isOnCitus)('a store whose worker is frozen or gone gets 503, and other stores are served', async () => {
  const { proxy, behind, beside } = await start()
  const write = (caller: typeof behind, name: string) => caller.post('/customer', { email: `${name}@shop.example` })
  expect((await write(behind, 'before')).status).toBe(201)
  for (const fault of ['freeze', 'cut'] as const) {
    proxy[fault]()
    const refused = await Promise.all([behind.get('/product'), write(behind, fault), behind.get('/order')])
    for (const reply of refused) expect(reply).toFailWith('unavailable')
    for (let n = 0; n < 10; n++) {
      expect((await write(beside, `${fault}${n}`)).status).toBe(201)
      expect((await behind.get('/product')).status).toBe(503)
    }
    proxy.restore()
    await expect.poll(async () => (await behind.get('/product')).status).toBe(200)
    expect((await write(behind, `after-${fault}`)).status).toBe(201)
    await sleep(100)
  }
  const { customers } = (await behind.get('/customer')).body.data
  expect(customers.map(({ email }: { email: string }) => email)).toEqual(
    expect.arrayContaining(['before@shop.example', 'after-freeze@shop.example', 'after-cut@shop.example']),
  )
})
