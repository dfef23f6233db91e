import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { spawnIdentity } from '../../src/core/storage/embedded/system-account.ts'
import { addCleanup } from '../support/cleanup.ts'
import { freePort } from '../support/free-port.ts'
import { serverAccount, serverFolder } from './postgres-server.ts'

const PGBOUNCER = '/usr/sbin/pgbouncer'

export const hasPgbouncer = existsSync(PGBOUNCER)

/** Debian's pgbouncer in transaction mode, in front of a PostgreSQL. */
export const startPgbouncer = async (
  target: number,
  { connections = 6, waits = 'query_wait_timeout = 4\nserver_login_retry = 1' } = {},
) => {
  const folder = await serverFolder('storefront-pgbouncer-')
  const account = await serverAccount()
  const port = await freePort()
  const own = async (name: string, text: string) => {
    const file = path.join(folder, name)
    await writeFile(file, text)
    if (account) await chown(file, account.uid, account.gid)
    return file
  }
  const users = await own('users.txt', '"storefront" ""\n')
  const settings = await own(
    'pgbouncer.ini',
    `[databases]
* = host=127.0.0.1 port=${target} user=storefront
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 1000
${waits}
`,
  )
  const child = spawn(PGBOUNCER, [settings], { ...spawnIdentity(account), cwd: folder, stdio: 'ignore' })
  addCleanup(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  })
  const url = `postgresql://storefront@127.0.0.1:${port}/postgres`
  for (let attempt = 0; attempt < 100; attempt++) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 500 })
    client.on('error', () => {})
    const up = await client.connect().then(
      () => true,
      () => false,
    )
    await client.end().catch(() => {})
    if (up) return { url }
    await sleep(50)
  }
  throw new Error('pgbouncer did not start.')
}
