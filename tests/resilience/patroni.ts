import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { chown, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { cleanEnvironment, spawnIdentity } from '../../src/storage/embedded/system-account.ts'
import { addCleanup } from '../support/cleanup.ts'
import { binaries, freePort, serverAccount, serverFolder } from './postgres-server.ts'
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

/** Three PostgreSQL under Patroni with etcd, one of the standbys synchronous, and haproxy that leads to the primary. */
export const startCluster = async () => {
  const folder = await serverFolder('storefront-patroni-')
  const account = await serverAccount()
  const run = { ...spawnIdentity(account), cwd: folder, env: { ...cleanEnvironment(), HOME: folder } }
  const start = (file: string, args: string[], log: string) => {
    const child = spawn(file, args, { ...run, stdio: ['ignore', 'pipe', 'pipe'] })
    const out = createWriteStream(path.join(folder, `${log}.log`), { flags: 'a' })
    child.stdout.pipe(out, { end: false })
    child.stderr.pipe(out, { end: false })
    return child
  }
  const own = async (name: string, text: string) => {
    const file = path.join(folder, name)
    await writeFile(file, text, { mode: 0o600 })
    if (account) await chown(file, account.uid, account.gid)
    return file
  }

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

  const bin = await binaries()
  const createNode = async (name: string) => {
    const port = await freePort()
    const api = await freePort()
    const data = path.join(folder, name)
    // JSON is YAML.
    const settings = await own(
      `${name}.yml`,
      JSON.stringify({
        scope: 'storefront',
        name,
        restapi: { listen: `127.0.0.1:${api}`, connect_address: `127.0.0.1:${api}` },
        etcd3: { host: `127.0.0.1:${client}` },
        bootstrap: {
          dcs: { ...TIMES, primary_start_timeout: 0, synchronous_mode: true, postgresql: { use_pg_rewind: true } },
          initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, { 'wal-segsize': '1' }, 'no-sync'],
        },
        postgresql: {
          listen: `127.0.0.1:${port}`,
          connect_address: `127.0.0.1:${port}`,
          data_dir: data,
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
      }),
    )
    let patroni: ChildProcess | undefined
    const postmaster = async () => Number.parseInt(await readFile(path.join(data, 'postmaster.pid'), 'utf8'), 10)
    const node = {
      name,
      port,
      api,
      start: () => {
        if (isGone(patroni)) patroni = start(toolPath('patroni'), [settings], name)
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
  const nodes = [await createNode('one'), await createNode('two'), await createNode('three')]
  const first = nodes[0] as (typeof nodes)[number]

  const members = async (): Promise<Member[]> => {
    const asked = nodes.map(async ({ api }) => {
      const reply = await fetch(`http://127.0.0.1:${api}/cluster`, { signal: AbortSignal.timeout(1_000) })
      return ((await reply.json()) as { members: Member[] }).members
    })
    return Promise.any(asked)
  }
  const nodeOf = (member: Member | undefined) => nodes.find(({ name }) => name === member?.name)
  const primary = () => until('a primary', async () => nodeOf((await members()).find(({ role }) => role === 'leader')))
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
  const untilWhole = () =>
    until('three members, one of them a synchronous standby', isWhole).catch(async (error) => {
      throw new Error(`${error.message}\n${await logs()}`)
    })

  // The first becomes the primary; the others copy it.
  first.start()
  await primary().catch(async (error) => {
    throw new Error(`${error.message}\n${await logs()}`)
  })
  for (const node of nodes) node.start()
  await untilWhole()

  const front = await freePort()
  const haproxy = await own(
    'haproxy.cfg',
    `defaults
  mode tcp
  timeout connect 1s
  timeout client 5m
  timeout server 5m
listen postgres
  bind 127.0.0.1:${front}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.map(({ name, port, api }) => `  server ${name} 127.0.0.1:${port} check port ${api}`).join('\n')}
`,
  )
  const proxy = start(toolPath('haproxy'), ['-db', '-f', haproxy], 'haproxy')
  addCleanup(() => end(proxy, 'SIGKILL'))

  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')
  return {
    nodes,
    primary,
    untilWhole,
    logs,
    /** All hosts, for the service to find the primary among them. */
    url: `postgresql://storefront@${hosts}/postgres?target_session_attrs=read-write`,
    /** haproxy, which leads to the primary. */
    port: front,
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
