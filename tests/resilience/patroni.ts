import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { chown, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { cleanEnvironment, spawnIdentity } from '../../src/core/storage/embedded/system-account.ts'
import { addCleanup } from '../support/cleanup.ts'
import { freePort } from '../support/free-port.ts'
import { binaries, serverAccount, serverFolder } from './postgres-server.ts'
import { findTool } from './raw-http.ts'

const TOOLS = ['patroni', 'etcd', 'haproxy'] as const
export const hasPatroni = TOOLS.every((name) => findTool(name))

const toolPath = (name: (typeof TOOLS)[number]) => findTool(name) as string

/** Short times, so that a failover takes seconds. In production they are longer, so that a slow network causes none. */
const TIMES = { ttl: 5, loop_wait: 1, retry_timeout: 2 }

const isGone = (child: ChildProcess | undefined) => !child || child.exitCode !== null || child.signalCode !== null

const end = async (child: ChildProcess | undefined, signal: NodeJS.Signals) => {
  if (!child || isGone(child)) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

const until = async <T>(what: string, look: () => Promise<T | undefined>, patienceMs = 60_000): Promise<T> => {
  const deadline = performance.now() + patienceMs
  while (performance.now() < deadline) {
    const found = await look().catch(() => undefined)
    if (found !== undefined) return found
    await sleep(100)
  }
  throw new Error(`Not in time: ${what}.`)
}

interface Member {
  name: string
  role: string
  state: string
}

/** The folder of a cluster, and how its programs run there. */
const createWorkspace = async () => {
  const folder = await serverFolder('storefront-patroni-')
  const account = await serverAccount()
  const run = { ...spawnIdentity(account), cwd: folder, env: { ...cleanEnvironment(), HOME: folder } }
  return {
    folder,
    start: (file: string, args: string[], log: string) => {
      const child = spawn(file, args, { ...run, stdio: ['ignore', 'pipe', 'pipe'] })
      const out = createWriteStream(path.join(folder, `${log}.log`), { flags: 'a' })
      child.stdout.pipe(out, { end: false })
      child.stderr.pipe(out, { end: false })
      return child
    },
    write: async (name: string, text: string) => {
      const file = path.join(folder, name)
      await writeFile(file, text, { mode: 0o600 })
      if (account) await chown(file, account.uid, account.gid)
      return file
    },
  }
}

type Workspace = Awaited<ReturnType<typeof createWorkspace>>

/** Returns the port for clients. */
const startEtcd = async ({ folder, start }: Workspace) => {
  const [client, peer] = [await freePort(), await freePort()]
  const etcd = start(
    toolPath('etcd'),
    [
      ['--data-dir', path.join(folder, 'etcd')],
      ['--listen-client-urls', `http://127.0.0.1:${client}`],
      ['--advertise-client-urls', `http://127.0.0.1:${client}`],
      ['--listen-peer-urls', `http://127.0.0.1:${peer}`],
      ['--initial-advertise-peer-urls', `http://127.0.0.1:${peer}`],
      ['--initial-cluster', `default=http://127.0.0.1:${peer}`],
    ].flat(),
    'etcd',
  )
  addCleanup(() => end(etcd, 'SIGKILL'))
  return client
}

const patroniSettings = (
  folder: string,
  bin: string,
  name: string,
  ports: { own: number; api: number; etcd: number },
) => ({
  scope: 'storefront',
  name,
  restapi: { listen: `127.0.0.1:${ports.api}`, connect_address: `127.0.0.1:${ports.api}` },
  etcd3: { host: `127.0.0.1:${ports.etcd}` },
  bootstrap: {
    dcs: { ...TIMES, primary_start_timeout: 0, synchronous_mode: true, postgresql: { use_pg_rewind: true } },
    initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, { 'wal-segsize': '1' }, 'no-sync'],
  },
  postgresql: {
    listen: `127.0.0.1:${ports.own}`,
    connect_address: `127.0.0.1:${ports.own}`,
    data_dir: path.join(folder, name),
    bin_dir: bin,
    pgpass: path.join(folder, `${name}.pgpass`),
    authentication: {
      superuser: { username: 'storefront' },
      replication: { username: 'storefront' },
      rewind: { username: 'storefront' },
    },
    basebackup: [{ checkpoint: 'fast' }, 'no-sync'],
    pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
    parameters: { unix_socket_directories: folder, max_connections: 60, wal_keep_size: '256MB' },
  },
})

const createNode = async ({ folder, start, write }: Workspace, name: string, etcd: number) => {
  const port = await freePort()
  const api = await freePort()
  // JSON is valid YAML.
  const settings = JSON.stringify(patroniSettings(folder, await binaries(), name, { own: port, api, etcd }))
  const file = await write(`${name}.yml`, settings)
  let patroni: ChildProcess | undefined
  const postmaster = async () => Number.parseInt(await readFile(path.join(folder, name, 'postmaster.pid'), 'utf8'), 10)
  const node = {
    name,
    port,
    api,
    start: () => {
      if (isGone(patroni)) patroni = start(toolPath('patroni'), [file], name)
    },
    /** As when the machine loses its power. */
    kill: async () => {
      const pid = await postmaster().catch(() => undefined)
      await end(patroni, 'SIGKILL')
      try {
        if (pid) process.kill(pid, 'SIGKILL')
      } catch {
        // It is gone already.
      }
    },
  }
  addCleanup(node.kill)
  return node
}

type Node = Awaited<ReturnType<typeof createNode>>

/** Reads the state of the cluster from Patroni. */
const watchCluster = ({ folder }: Workspace, nodes: readonly Node[]) => {
  const members = async (): Promise<Member[]> => {
    const asked = nodes.map(async ({ api }) => {
      const reply = await fetch(`http://127.0.0.1:${api}/cluster`, { signal: AbortSignal.timeout(1_000) })
      return ((await reply.json()) as { members: Member[] }).members
    })
    return Promise.any(asked)
  }
  const findPrimary = async () => {
    const leader = (await members()).find(({ role }) => role === 'leader')
    return nodes.find(({ name }) => name === leader?.name)
  }
  /** All three run, and the primary has a synchronous standby. */
  const isWhole = async () => {
    const all = await members()
    const running = all.filter(({ state }) => state === 'running' || state === 'streaming')
    const roles = running.map(({ role }) => role)
    return running.length === 3 && roles.includes('leader') && roles.includes('sync_standby') ? true : undefined
  }
  const logs = async () => {
    const texts = nodes.map(async ({ name }) => {
      const text = await readFile(path.join(folder, `${name}.log`), 'utf8').catch(() => '')
      return `${name}:\n${text.slice(-2_000)}`
    })
    return (await Promise.all(texts)).join('\n')
  }
  const withLogs = async (error: Error) => {
    throw new Error(`${error.message}\n${await logs()}`)
  }
  return {
    logs,
    primary: () => until('a primary', findPrimary).catch(withLogs),
    untilWhole: () => until('three members, one of them a synchronous standby', isWhole).catch(withLogs),
  }
}

/** Forwards connections to the primary. Returns its port. */
const startHaproxy = async ({ start, write }: Workspace, nodes: readonly Node[]) => {
  const port = await freePort()
  const file = await write(
    'haproxy.cfg',
    `defaults
  mode tcp
  timeout connect 1s
  timeout client 5m
  timeout server 5m
listen postgres
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.map((node) => `  server ${node.name} 127.0.0.1:${node.port} check port ${node.api}`).join('\n')}
`,
  )
  const proxy = start(toolPath('haproxy'), ['-db', '-f', file], 'haproxy')
  addCleanup(() => end(proxy, 'SIGKILL'))
  return port
}

/** Three PostgreSQL under Patroni with etcd, one standby synchronous, and haproxy, which forwards to the primary. */
export const startCluster = async () => {
  const workspace = await createWorkspace()
  const etcd = await startEtcd(workspace)
  const first = await createNode(workspace, 'one', etcd)
  const nodes = [first, await createNode(workspace, 'two', etcd), await createNode(workspace, 'three', etcd)]
  const { primary, untilWhole, logs } = watchCluster(workspace, nodes)

  // The first becomes the primary; the others copy it.
  first.start()
  await primary()
  for (const node of nodes) node.start()
  await untilWhole()

  const port = await startHaproxy(workspace, nodes)
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')
  return {
    nodes,
    primary,
    untilWhole,
    logs,
    /** All hosts, for the service to find the primary among them. */
    url: `postgresql://storefront@${hosts}/postgres?target_session_attrs=read-write`,
    /** The port of haproxy. */
    port,
    connection: { connectionString: `postgresql://storefront@${hosts}/postgres` } as pg.ClientConfig,
  }
}

export const onNode = async <T>(port: number, work: (db: pg.Client) => Promise<T>): Promise<T> => {
  const db = new pg.Client({ host: '127.0.0.1', port, user: 'storefront', database: 'postgres' })
  db.on('error', () => {})
  await db.connect()
  try {
    return await work(db)
  } finally {
    await db.end()
  }
}
