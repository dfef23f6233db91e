import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  copyFile,
  lchown,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  statfs,
  truncate,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir, totalmem } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, dataArgument, type Log } from './cluster.ts'
import { processExists } from './staging.ts'
import { cleanEnvironment, isPrivateTo, runProgram, spawnIdentity } from './system-account.ts'

/** Contents of postmaster.pid. */
export interface Postmaster {
  readonly pid: number
  readonly port: number
  /** Socket directory, or 127.0.0.1; empty until PostgreSQL listens. */
  readonly host: string
  readonly status: string
}

const pidFile = (cluster: Cluster) => join(cluster.directory, 'postmaster.pid')
export const logFile = (cluster: Cluster) => join(cluster.dataDir, 'postgres.log')
const socketPort = 5432

export const readPostmaster = async (cluster: Cluster): Promise<Postmaster | undefined> => {
  const lines = (await readFile(pidFile(cluster), 'utf8').catch(() => '')).split('\n').map((line) => line.trim())
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid < 1) return undefined
  return { pid, port: Number(lines[3]), host: lines[4] || lines[5] || '', status: lines[7] ?? '' }
}

/** Whether a pid is the postmaster of this cluster. After a crash, the pid may belong to any process. */
export const identifyProcess = async (
  cluster: Cluster,
  pid: number,
): Promise<'ours' | 'other' | 'gone' | 'unknown'> => {
  const command = await commandOf(pid)
  if (command === '') return 'gone'
  const mark = /storefront\.cluster=(\d+-\d+)/.exec(command)?.[1]
  if (mark) return mark === cluster.id ? 'ours' : 'other'
  if (process.platform === 'win32') return 'unknown'
  if (!command.includes('postgres')) return 'other'
  // A PostgreSQL that somebody else started: its working directory is its data directory.
  const cwd = await stat(`/proc/${pid}/cwd`).catch(() => undefined)
  if (!cwd) return 'unknown'
  return `${cwd.dev}-${cwd.ino}` === cluster.id ? 'ours' : 'other'
}

/** Empty if the process is gone, or is a zombie, which can still be signalled. */
const commandOf = async (pid: number): Promise<string> => {
  if (!processExists(pid)) return ''
  if (process.platform === 'win32') return 'unknown'
  if (process.platform !== 'linux')
    return (await runProgram('/bin/ps', ['-ww', '-p', String(pid), '-o', 'command='])).output
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ').trim()
}

/**
 * The directory to connect to. In another mount namespace (systemd's PrivateTmp), it is only visible below
 * /proc/PID/root.
 */
export const reachableHost = async ({ pid, host, port }: Postmaster): Promise<string> => {
  if (!host.startsWith('/') || (await pathExists(socketFile(host, port)))) return host
  const below = `/proc/${pid}/root${host}`
  return (await pathExists(socketFile(below, port))) ? below : host
}

export const socketFile = (directory: string, port: number): string => join(directory, `.s.PGSQL.${port}`)
export const pathExists = (path: string): Promise<boolean> => lstat(path).then(Boolean, () => false)

/** PostgreSQL refuses to start if the pid in the file is in use, by whatever program. */
const discardPidFile = async (cluster: Cluster, stale: Postmaster): Promise<void> => {
  const aside = `${pidFile(cluster)}.stale-${process.pid}`
  await rename(pidFile(cluster), aside).catch(() => {})
  const taken = Number.parseInt(await readFile(aside, 'utf8').catch(() => ''), 10)
  // A new postmaster may have written its own file between the check and the rename.
  if (taken === stale.pid) await rm(aside, { force: true })
  else await rename(aside, pidFile(cluster)).catch(() => {})
}

export interface PostmasterStart {
  /** Output of the program once it has exited; undefined while it runs. */
  outputIfExited(): Promise<string | undefined>
  /** Stops the program again, for a start that is given up. */
  abandon(): void
}

/**
 * Starts PostgreSQL in its own session, so that Ctrl-C in the terminal does not reach it and we can stop it in order.
 * After a crash it uses the previous address, because existing pools know no other.
 */
export const startPostmaster = async (
  cluster: Cluster,
  crashed: Postmaster | undefined,
  log: Log,
): Promise<PostmasterStart> => {
  const { overTcp } = cluster
  const settings = {
    ...(await generalSettings(cluster)),
    ...(overTcp ? await tcp(crashed) : await socket(cluster, crashed, log)),
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const data = ['-D', dataArgument(cluster.directory, cluster.account)]

  if (crashed && processExists(crashed.pid)) await discardPidFile(cluster, crashed)
  await trimLog(cluster)
  const output = await open(logFile(cluster), 'a', 0o600)
  const { size: from } = await output.stat()
  // On Windows, pg_ctl drops administrator rights, which PostgreSQL refuses like root.
  const child = overTcp
    ? spawn(cluster.binaries.pgCtl, ['start', '-w', ...data, '-o', flags.join(' ')], spawnOptions(cluster, output.fd))
    : spawn(cluster.binaries.postgres, [...flags, ...data], spawnOptions(cluster, output.fd))
  let ended = false
  child.once('exit', () => {
    ended = true
  })
  try {
    await once(child, 'spawn')
  } finally {
    await output.close()
  }
  child.unref()
  return {
    outputIfExited: async () => (ended ? (await readFile(logFile(cluster))).subarray(from).toString() : undefined),
    abandon: () => void child.kill('SIGINT'),
  }
}

const spawnOptions = (cluster: Cluster, output: number) => ({
  ...spawnIdentity(cluster.account),
  cwd: cluster.directory,
  detached: true,
  env: cleanEnvironment(),
  stdio: ['ignore', output, output] as ['ignore', number, number],
  windowsHide: true,
})

const generalSettings = async (cluster: Cluster) => ({
  'storefront.cluster': cluster.id,
  cluster_name: 'storefront',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  jit: 'off',
  max_connections: 200,
  ...memorySettings(),
  ...(await sharedMemorySettings()),
  wal_compression: 'on',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  random_page_cost: 1.1,
  shared_preload_libraries: 'pg_stat_statements',
  idle_in_transaction_session_timeout: '60s',
  log_min_messages: 'warning',
  // The application logs failed statements itself.
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
})

const memorySettings = () => {
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY
  const megabytes = Math.floor(Math.min(totalmem(), limit) / 2 ** 20)
  return {
    shared_buffers: `${Math.min(1024, Math.max(128, Math.floor(megabytes / 8)))}MB`,
    effective_cache_size: `${Math.max(256, Math.floor(megabytes / 2))}MB`,
    work_mem: '16MB',
    maintenance_work_mem: '128MB',
  }
}

/**
 * Containers often have only 64 MB of /dev/shm, which one parallel query can fill. System V memory is not limited by
 * it.
 */
const sharedMemorySettings = async () => {
  if (process.platform !== 'linux') return {}
  const { bavail, bsize } = await statfs('/dev/shm').catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize < 256 * 2 ** 20 ? { dynamic_shared_memory_type: 'sysv' } : {}
}

const socket = async (cluster: Cluster, crashed: Postmaster | undefined, log: Log) => ({
  listen_addresses: '',
  port: socketPort,
  unix_socket_directories: `"${await socketDirectory(cluster, crashed, log)}"`,
  unix_socket_permissions: '0700',
})

const tcp = async (crashed: Postmaster | undefined) => {
  const port = await freePort(crashed?.port || 0).catch(() => freePort(0))
  return { listen_addresses: '127.0.0.1', port, unix_socket_directories: '' }
}

const freePort = async (wanted: number): Promise<number> => {
  const server = createServer().listen(wanted, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/**
 * A private directory with a short path: the path of a socket may have 107 bytes (103 on macOS). Always the same for a
 * data directory, so that pools reconnect after a restart.
 */
const socketDirectory = async (cluster: Cluster, crashed: Postmaster | undefined, log: Log): Promise<string> => {
  const owner = cluster.account?.uid ?? process.getuid?.()
  const name = `storefront-${createHash('sha256').update(`${cluster.directory}\0${owner}`).digest('hex').slice(0, 16)}`
  // /tmp first: TMPDIR may be deleted with the session that set it, while the server keeps running.
  for (const parent of new Set(['/tmp', tmpdir()])) {
    if (Buffer.byteLength(parent) > 60) continue
    const isLast = crashed && dirname(crashed.host) === parent && basename(crashed.host).startsWith(name)
    const path = isLast ? crashed.host : join(parent, name)
    try {
      return await claimDirectory(path, owner, cluster, crashed, log)
    } catch (error) {
      log(`No socket in ${parent}: ${(error as Error).message}`)
    }
  }
  throw new Error('No place for the PostgreSQL socket: neither /tmp nor TMPDIR can be written.')
}

/** Another process may be removing the directory right now while it stops PostgreSQL: then it is created again. */
const claimDirectory = async (
  path: string,
  owner: number | undefined,
  cluster: Cluster,
  crashed: Postmaster | undefined,
  log: Log,
): Promise<string> => {
  for (let attempt = 1; ; attempt++) {
    try {
      await mkdir(path, { mode: 0o700 }).catch((error) => {
        if (error.code !== 'EEXIST') throw error
      })
      if (await isFree(path, owner, crashed)) return await changeOwnerOf(path, cluster)
      // If it is gone by now, it was not in use.
      await lstat(path)
      log(`${path} is in use by another; the socket goes elsewhere.`)
      return await changeOwnerOf(await mkdtemp(`${path}-`), cluster)
    } catch (error) {
      if (attempt === 10 || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}

const isFree = async (path: string, owner: number | undefined, crashed?: Postmaster): Promise<boolean> => {
  const ours = (await isPrivateTo(path, owner)) || (await isPrivateTo(path, process.getuid?.()))
  if (!ours) return false
  const lock = `${socketFile(path, socketPort)}.lock`
  const user = Number.parseInt(await readFile(lock, 'utf8').catch(() => ''), 10)
  if (!(user > 0 && processExists(user))) return true
  if (user !== crashed?.pid && (await commandOf(user)) !== '') return false
  // As with the pid file, PostgreSQL would believe the pid to be running.
  await rm(lock, { force: true })
  return true
}

const changeOwnerOf = async (path: string, { account }: Cluster): Promise<string> => {
  if (account) await lchown(path, account.uid, account.gid)
  return path
}

/** Fast shutdown: open transactions are rolled back, committed ones are kept. */
export const stopPostmaster = async (cluster: Cluster, postmaster: Postmaster): Promise<void> => {
  const { pid, host } = postmaster
  if (cluster.overTcp) {
    const data = dataArgument(cluster.directory, cluster.account)
    await runProgram(
      cluster.binaries.pgCtl,
      ['stop', '-D', data, '-m', 'fast', '-t', '30'],
      cluster.account,
      cluster.directory,
    )
    // pg_ctl waits for the pid file only, which goes a moment before the process.
    await hasExited(cluster, pid, 10_000)
    return
  }
  signal(pid, 'SIGINT')
  if (!(await hasExited(cluster, pid, 30_000))) {
    // Immediate shutdown; the next start recovers from the write-ahead log.
    signal(pid, 'SIGQUIT')
    await hasExited(cluster, pid, 10_000)
  }
  if (basename(host).startsWith('storefront-')) await rmdir(host).catch(() => {})
}

const hasExited = async (cluster: Cluster, pid: number, timeoutMs: number): Promise<boolean> => {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await sleep(20)) {
    if ((await identifyProcess(cluster, pid)) !== 'ours') return true
  }
  return false
}

const signal = (pid: number, name: 'SIGINT' | 'SIGQUIT'): void => {
  try {
    process.kill(pid, name)
  } catch {
    // Already gone.
  }
}

const MAX_LOG_BYTES = 5 * 2 ** 20

/** PostgreSQL opens its log in append mode, so it can be truncated while PostgreSQL runs. */
export const trimLog = async (cluster: Cluster): Promise<void> => {
  const path = logFile(cluster)
  const size = (await stat(path).catch(() => undefined))?.size ?? 0
  if (size < MAX_LOG_BYTES) return
  await copyFile(path, `${path}.1`)
  await truncate(path)
}
