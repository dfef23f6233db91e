import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { accountFor, spawnIdentity } from '../../src/core/storage/embedded/system-account.ts'
import { addCleanup } from '../support/cleanup.ts'
import { freePort } from '../support/free-port.ts'
import { processTree } from '../support/process-tree.ts'
import { temporaryFolder } from '../support/server-process.ts'

const DEBIAN = '/usr/lib/postgresql'

export const binaries = async () => {
  const versions = (await readdir(DEBIAN)).sort((a, b) => Number(a) - Number(b))
  return path.join(DEBIAN, versions.at(-1) as string, 'bin')
}

/** The account of PostgreSQL and pgbouncer, which refuse to run as root. */
export const serverAccount = () => accountFor('')

const giveToServer = async (folder: string) => {
  const account = await serverAccount()
  if (account) await chown(folder, account.uid, account.gid)
  await chmod(folder, 0o700)
}

export const serverFolder = async (prefix: string) => {
  const folder = await temporaryFolder(prefix)
  await giveToServer(folder)
  return folder
}

const answers = async (connection: pg.ClientConfig) => {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 1_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return false
  }
}

interface PostgresOptions {
  settings?: Record<string, string>
  /** Data folder; a temporary one by default. */
  data?: string
  /** Folder of the write-ahead log; beside the data by default. */
  wal?: string
  /** Makes it a standby of the server on this port. */
  standbyOf?: number
}

const copyCluster = (bin: string, directory: string, port: number, run: object) => {
  const source = ['-h', '127.0.0.1', '-p', String(port), '-U', 'storefront']
  execFileSync(path.join(bin, 'pg_basebackup'), ['-D', directory, ...source, '-R', '-c', 'fast', '-N'], run)
}

const createCluster = (bin: string, directory: string, wal: string | undefined, run: object) => {
  const login = ['-U', 'storefront', '-A', 'trust']
  const format = ['-E', 'UTF8', '--locale=C.UTF-8', '--wal-segsize=1', ...(wal ? [`--waldir=${wal}`] : [])]
  execFileSync(path.join(bin, 'initdb'), ['-D', directory, ...login, ...format, '-N'], run)
}

/** Debian's PostgreSQL, for one test file to kill, freeze and starve. It keeps its port across restarts. */
export const startPostgres = async ({ settings = {}, data, wal, standbyOf }: PostgresOptions = {}) => {
  const bin = await binaries()
  const folder = await serverFolder('storefront-postgres-')
  const directory = data ?? path.join(folder, 'data')
  const port = await freePort()
  const run = { ...spawnIdentity(await serverAccount()), cwd: folder, stdio: 'ignore' as const }
  const flags = Object.entries({
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    port: String(port),
    ...settings,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  await mkdir(directory, { recursive: true })
  await giveToServer(directory)
  if (standbyOf) copyCluster(bin, directory, standbyOf, run)
  else createCluster(bin, directory, wal, run)
  const admin: pg.ClientConfig = { host: '127.0.0.1', port, user: 'storefront', database: 'postgres' }
  let child: ChildProcess | undefined

  const start = async () => {
    // After a kill, orphaned processes hold the shared memory for a moment, and PostgreSQL refuses to start.
    for (let attempt = 0; attempt < 200; attempt++) {
      if (!child || child.exitCode !== null || child.signalCode !== null)
        child = spawn(path.join(bin, 'postgres'), ['-D', directory, ...flags], run)
      if (await answers(admin)) return
      await sleep(100)
    }
    throw new Error('PostgreSQL did not start.')
  }
  const end = async (signal: NodeJS.Signals) => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
  const query = async (text: string, values: unknown[] = []) => {
    const client = new pg.Client({ ...admin, application_name: 'watcher' })
    await client.connect()
    try {
      // biome-ignore lint/suspicious/noExplicitAny: a test reads rows of every shape.
      return (await client.query(text, values)).rows as any[]
    } finally {
      await client.end()
    }
  }

  await start()
  addCleanup(() => end('SIGINT'))
  return {
    port,
    query,
    start,
    /** A clean restart, as by an operator. */
    restart: async () => {
      await end('SIGINT')
      await start()
    },
    kill: () => end('SIGKILL'),
    processes: () => processTree(child?.pid as number),
    signalAll: (signal: NodeJS.Signals) => {
      for (const pid of processTree(child?.pid as number)) process.kill(pid, signal)
    },
    url: `postgresql://storefront@127.0.0.1:${port}/postgres`,
    connection: admin,
    /** Connections held by the service. */
    connections: async (): Promise<number> =>
      (
        await query(
          `select count(*)::int as n from pg_stat_activity where application_name like 'storefront%' and backend_type = 'client backend'`,
        )
      )[0].n,
    /** Transactions left open. */
    leftOpen: async (): Promise<number> =>
      (
        await query(
          `select count(*)::int as n from pg_stat_activity
           where state like 'idle in transaction%' and now() - state_change > interval '1 second'`,
        )
      )[0].n,
  }
}

export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>
