import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { sql } from 'kysely'
import pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { addCleanup } from '../../../tests/support/cleanup.ts'
import { freePort } from '../../../tests/support/free-port.ts'
import { temporaryFolder } from '../../../tests/support/server-process.ts'
import { cloneDatabase } from '../../../tests/support/test-database.ts'
import { readConfig } from '../../config/config.ts'
import { addressesOf } from '../../config/postgres-address.ts'
import { startHttpServer } from '../../server/http-server.ts'
import { withUntimedDatabase } from './connect.ts'
import { listen } from './listener.ts'

test.each([
  ['postgresql://shop@one/db', ['postgresql://shop@one/db']],
  ['postgresql://shop@one:1,two:2/db', ['postgresql://shop@one:1/db', 'postgresql://shop@two:2/db']],
  [
    'postgresql://u:p@one,[::1]:2/db?target_session_attrs=read-write&sslmode=require',
    ['postgresql://u:p@one/db?sslmode=require', 'postgresql://u:p@[::1]:2/db?sslmode=require'],
  ],
  [
    'postgres://one,two/db?sslmode=require&target_session_attrs=primary',
    ['postgres://one/db?sslmode=require', 'postgres://two/db?sslmode=require'],
  ],
  ['postgres://u:a,b@one/db?target_session_attrs=any', ['postgres://u:a,b@one/db']],
])('the hosts of %s are parsed', (url, addresses) => {
  expect(addressesOf(url)).toEqual(addresses)
})

test('DATABASE_URL accepts a list of hosts, but not one that asks for a standby', () => {
  const url = 'postgresql://u@one:5432,two:5432/shop?target_session_attrs=read-write'
  expect(readConfig({ DATABASE_URL: url }).DATABASE_URL).toBe(url)
  expect(() => readConfig({ DATABASE_URL: 'postgresql://u@one:5432,two:x/shop' })).toThrow('DATABASE_URL must look')
  expect(() => readConfig({ DATABASE_URL: `${url.replace('read-write', 'standby')}` })).toThrow('DATABASE_URL must ')
})

let target: pg.Client
let database: pg.ClientConfig

beforeAll(async () => {
  database = await cloneDatabase()
  target = new pg.Client(database)
})

/** A proxy to the test's PostgreSQL that can hang or stop. */
const startHost = async () => {
  const sockets = new Set<Socket>()
  let hangs = false
  const server = createServer((near) => {
    sockets.add(near)
    near.on('error', () => {})
    near.on('close', () => sockets.delete(near))
    if (hangs) return
    const { host, port } = target
    const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    far.on('error', () => near.destroy())
    far.on('close', () => near.destroy())
    near.on('close', () => far.destroy())
    near.on('data', (data) => !hangs && far.write(data))
    far.on('data', (data) => !hangs && near.write(data))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const leave = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  addCleanup(leave)
  return {
    port,
    leave,
    freeze: () => {
      hangs = true
    },
    thaw: () => {
      hangs = false
    },
    connections: () => sockets.size,
  }
}

const urlOf = (ports: number[]) => {
  const { user, password, database } = target
  const secret = password ? `:${encodeURIComponent(password)}` : ''
  return `postgresql://${user}${secret}@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/${database}`
}

test('connections go to a host that responds, and fail over from one that hangs', async () => {
  const [gone, one, two] = [await freePort(), await startHost(), await startHost()]
  two.freeze()
  const connection = { connectionString: urlOf([gone, two.port, one.port]) }
  await withUntimedDatabase(connection, 'test', async ({ db }) => {
    await sql`select 1`.execute(db)
  })
  expect(one.connections() + two.connections()).toBeGreaterThan(0)

  const server = await startHttpServer(
    readConfig({ PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: await temporaryFolder(), WEBHOOKS: 'off' }),
    connection,
  )
  addCleanup(server.close)
  const ready = async () => (await fetch(`http://127.0.0.1:${server.port}/readyz`)).status
  expect(await ready()).toBe(200)
  let gaps = 0
  const listener = listen(connection, ['test'], { onNotice: () => {}, onGap: () => gaps++, onHeard: () => {} })
  addCleanup(listener.close)
  await expect.poll(() => gaps).toBe(1)

  two.thaw()
  one.freeze()
  expect(await ready()).toBe(503)
  await expect.poll(ready).toBe(200)
  await expect.poll(() => gaps).toBe(2)
  one.leave()
  expect(await ready()).toBe(200)
})

test('a database that became read-only answers 503, and new connections go to a writable one', async () => {
  // Nobody writes in the background meanwhile: whoever does gets a new connection.
  const api = await startTestApi({ DATABASE_POOL: '2', WEBHOOKS: 'off', CALL_LOG_DAYS: '0' })
  const { db } = api.services
  await sql`update store_work set due_at = 'infinity'`.execute(db)
  const caller = api.as('customer:create', 'customer:view')
  expect((await caller.get('/customer')).status).toBe(200)
  // Both pool connections act like those of a standby; new ones reach the primary.
  await Promise.all(
    [1, 2].map(() =>
      db.connection().execute(async (db) => {
        await sql`set default_transaction_read_only = on`.execute(db)
        await sql`select pg_sleep(0.1)`.execute(db)
      }),
    ),
  )
  expect((await api.site.get('/readyz')).body).toMatchObject({
    code: 'unavailable',
    message: 'The database is read-only.',
  })
  const write = (name: string) => caller.post('/customer', { email: `${name}@read-only.example` })
  const replies = await Promise.all(['a', 'b'].map(write))
  expect(replies.map(({ status }) => status)).toEqual([503, 503])
  expect(replies[0]?.headers.get('retry-after')).not.toBeNull()
  expect((await write('c')).status).toBe(201)
  expect((await api.site.get('/readyz')).status).toBe(200)

  // Now new connections reach a standby too.
  const admin = new pg.Client({ ...api.connection, options: '-c default_transaction_read_only=off' })
  await admin.connect()
  const turn = (to: string) =>
    admin.query(`alter database ${pg.escapeIdentifier(admin.database ?? '')} set default_transaction_read_only = ${to}`)
  await turn('on')
  await admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'storefront server'`,
  )
  await expect.poll(async () => (await api.site.get('/readyz')).status).toBe(503)
  expect((await caller.get('/customer')).status).toBe(503)
  expect((await write('d')).status).toBe(503)
  await turn('off')
  await admin.end()
  expect((await write('d')).status).toBe(201)
  expect((await api.site.get('/readyz')).status).toBe(200)
})
