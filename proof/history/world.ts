import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { startCluster } from '../../tests/resilience/patroni.ts'
import { serverFolder, startPostgres } from '../../tests/resilience/postgres-server.ts'
import { canMount, mountSmallDisk } from '../../tests/resilience/small-disk.ts'
import { type ServerProcess, startProcess, temporaryFolder } from '../../tests/support/server-process.ts'
import { startCommitProxy } from './commit-proxy.ts'

/** Shifts the clock of a node: by the seconds in the named file, which is read again at SIGUSR2. */
const CLOCK = `
  import { readFileSync } from 'node:fs'
  const RealDate = Date
  let shift = 0
  const read = () => { shift = Number(readFileSync(process.env.CLOCK_FILE, 'utf8')) * 1000 }
  process.on('SIGUSR2', read)
  const now = () => RealDate.now() + shift
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, type) => Reflect.construct(target, args.length ? args : [now()], type === Date ? target : type),
    apply: () => new RealDate(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  })
`

export interface ProofNode {
  base: () => string
  isUp: () => boolean
  pid: () => number | undefined
  kill: () => Promise<void>
  start: () => Promise<void>
  pause: () => void
  resume: () => void
  /** Sets its clock this many seconds ahead. */
  shiftClock: (seconds: number) => Promise<void>
  stop: () => Promise<unknown>
  output: () => string
}

const MAX_STARTS = 10

export const createNode = async (name: string, settings: Record<string, string>, main?: string): Promise<ProofNode> => {
  const folder = await temporaryFolder('storefront-proof-node-')
  const clock = path.join(folder, 'clock')
  const preload = path.join(folder, 'clock.mjs')
  await writeFile(clock, '0')
  await writeFile(preload, CLOCK)
  let server: ServerProcess
  let base = ''
  let up = false
  let port = '0'
  const start = async (tries = MAX_STARTS): Promise<void> => {
    server = startProcess(
      { ...settings, CLOCK_FILE: clock, PORT: port },
      { ...(main && { main }), nodeArguments: ['--import', preload] },
    )
    try {
      base = await server.ready()
    } catch (error) {
      // It waits for PostgreSQL for a while and ends: who runs it starts it again.
      if (tries <= 1 || !String(error).includes('Waiting for PostgreSQL')) throw error
      return start(tries - 1)
    }
    port = new URL(base).port
    up = true
  }
  await start()
  return {
    base: () => base,
    isUp: () => up,
    pid: () => server.child.pid,
    kill: async () => {
      up = false
      await server.stop('SIGKILL')
    },
    start,
    pause: () => void server.child.kill('SIGSTOP'),
    resume: () => void server.child.kill('SIGCONT'),
    shiftClock: async (seconds) => {
      await writeFile(clock, String(seconds))
      server.child.kill('SIGUSR2')
    },
    stop: () => server.stop(),
    output: () => `${name}: ${server.output()}`,
  }
}

/** Milliseconds that the thread of the event loop has worked. Other programs do not count, however busy the machine is. */
export const workedBy = (node: ProofNode) => {
  try {
    return Number(readFileSync(`/proc/${node.pid()}/schedstat`, 'latin1').split(' ')[0]) / 1e6
  } catch {
    return performance.now()
  }
}

interface WorldOptions {
  nodes: number
  /** A cluster with failover instead of one PostgreSQL. */
  hasCluster?: boolean
  /** Of the disk of the database, whose end is one of the faults. */
  diskMegabytes?: number
  /** The folder of a build other than `dist/`. */
  dist?: string | undefined
}

const startDatabase = async (hasCluster: boolean, diskMegabytes: number) => {
  if (hasCluster) {
    const cluster = await startCluster()
    // pg takes no list of hosts: HAProxy forwards to the primary.
    return { url: cluster.url, direct: `postgresql://storefront@127.0.0.1:${cluster.port}/postgres`, cluster }
  }
  const folder = await serverFolder('storefront-proof-data-')
  const disk = canMount ? mountSmallDisk(folder, diskMegabytes) : undefined
  // The write-ahead log has a disk of its own: without it PostgreSQL stops, which is outside the guarantee.
  const wal = path.join(await serverFolder('storefront-proof-wal-'), 'wal')
  const postgres = await startPostgres({
    data: path.join(folder, 'data'),
    wal,
    settings: { max_connections: '120', fsync: 'off', max_wal_size: '128MB', min_wal_size: '32MB' },
  })
  const proxy = await startCommitProxy(postgres.port)
  const url = postgres.url.replace(`:${postgres.port}/`, `:${proxy.port}/`)
  return { url, direct: postgres.url, postgres, proxy, disk }
}

/** Nodes behind which clients write, and the database that they share. */
export const startWorld = async ({ nodes: count, hasCluster = false, diskMegabytes = 400, dist }: WorldOptions) => {
  const database = await startDatabase(hasCluster, diskMegabytes)
  const data = await temporaryFolder('storefront-proof-files-')
  await mkdir(data, { recursive: true })
  const settings = {
    DATABASE_URL: database.url,
    DATA_DIR: data,
    DEMO: 'false',
    LOG_LEVEL: 'error',
    WEBHOOK_PRIVATE: '127.0.0.0/8',
    DATABASE_POOL: '10',
  }
  const main = dist && path.join(dist, 'server/main.js')
  const nodes: ProofNode[] = []
  for (let n = 0; n < count; n++) nodes.push(await createNode(`node ${n + 1}`, settings, main))
  return { ...database, nodes, settings }
}

export type World = Awaited<ReturnType<typeof startWorld>>
