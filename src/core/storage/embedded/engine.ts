import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Cluster, database, type Log, openCluster, passwordFile } from './cluster.ts'
import {
  identifyProcess,
  logFile,
  type Postmaster,
  type PostmasterStart,
  pathExists,
  reachableHost,
  readPostmaster,
  socketFile,
  startPostmaster,
  stopPostmaster,
  trimLog,
} from './postmaster.ts'
import { type Address, adminLogin, isSetUp, type Login, serviceLogin, setUpRoles, withAdmin } from './roles.ts'
import { processExists } from './staging.ts'

export { EngineVersionError } from './cluster.ts'

type Connection = Address & Login & { database: string }

export interface Engine {
  /** Connection settings of the application's database. They stay valid when PostgreSQL is restarted. */
  readonly connection: Connection
  /** The same as superuser, for tests and benchmarks. */
  readonly admin: Connection
  /** Stops PostgreSQL if nobody else uses it. Idempotent. */
  close(): Promise<void>
}

export type Purpose = { kind: 'server'; address: string } | { kind: 'command'; name: string }

interface EngineHolder {
  pid: number
  since: string
  address: string
}

/** Another server uses the same data directory. */
export class EngineInUseError extends Error {
  override name = 'EngineInUseError'
  readonly holder: EngineHolder
  constructor(dataDir: string, holder: EngineHolder) {
    super(
      `The data directory ${dataDir} is in use by another server: pid ${holder.pid}, since ${holder.since}, ` +
        `at ${holder.address}. Stop that one, or start this one with another DATA_DIR and PORT.`,
    )
    this.holder = holder
  }
}

// Advisory locks in the maintenance database. All users of the engine share the first; the server holds the second
// exclusively.
const namespace = 7_327_001
const inUse = 1
const server = 2
const setUpLock = 3

const START_TIMEOUT_MS = 60_000

/**
 * Connects to the PostgreSQL of a data directory, creating and starting it if needed, and keeps it running until
 * closed. `loopback` forces TCP, as on systems without Unix sockets.
 */
export const openEngine = async (
  dataDir: string,
  purpose: Purpose,
  log: Log = () => {},
  { loopback = process.platform === 'win32' } = {},
): Promise<Engine> => {
  const cluster = await openCluster(dataDir, loopback, log)
  let session = await openSession(cluster, purpose, log)
  let closing: Promise<void> | undefined
  let recovering: Promise<void> | undefined

  const { host, port } = session
  const connection = { host, port, database, ...session.login }
  const admin = { host, port, database, ...adminLogin(cluster) }

  const recover = async () => {
    log('Lost PostgreSQL. Bringing it back.')
    for (let lastMessage = ''; !closing; await sleep(1_000)) {
      try {
        session = await openSession(cluster, purpose, log)
        watchSession()
        const moved = session.host !== host || session.port !== port
        log(moved ? 'PostgreSQL is back at another address: restart this process.' : 'PostgreSQL is back.')
        return
      } catch (error) {
        const { message } = error as Error
        if (message !== lastMessage) log(`PostgreSQL could not be brought back: ${message}`)
        lastMessage = message
      }
    }
  }
  const watchSession = () => {
    session.lockConnection.once('end', () => {
      if (!closing) recovering = recover()
    })
  }
  watchSession()

  const watch = setInterval(() => {
    Promise.all([trimLog(cluster), restartIfUnreachable(cluster, log)]).catch((error) => log(String(error)))
  }, 2_000).unref()

  const close = async () => {
    clearInterval(watch)
    await recovering
    await closeSession(cluster, session)
  }
  return {
    connection,
    admin,
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

/** A connection held for as long as we use the engine. Its locks tell other processes, and its loss tells us. */
interface Session extends Address {
  readonly lockConnection: pg.Client
  readonly login: Login
}

/** Why a start takes long, by the state in PostgreSQL's pid file. */
const WAITING: Record<string, string> = {
  stopping: 'Waiting for the previous PostgreSQL to stop.',
  ready: 'PostgreSQL is running, but does not accept connections yet.',
}

const openSession = async (cluster: Cluster, purpose: Purpose, log: Log): Promise<Session> => {
  let deadline = Date.now() + START_TIMEOUT_MS
  let nextLogAt = Date.now() + 5_000
  let start: PostmasterStart | undefined
  let failures = 0
  let unreachableSince: number | undefined

  for (; Date.now() < deadline; await sleep(30)) {
    await requireSameCluster(cluster)
    const postmaster = await readPostmaster(cluster)
    const state = postmaster ? await identifyProcess(cluster, postmaster.pid) : 'gone'

    if (postmaster && (state === 'ours' || state === 'unknown')) {
      const session =
        postmaster.status === 'ready'
          ? await tryOpenSession(cluster, postmaster, purpose).catch((error) => {
              start?.abandon()
              throw error
            })
          : 'busy'
      if (typeof session === 'object') return session
      // Crash recovery, or the shutdown of the previous postmaster, may take long.
      if (postmaster.status !== 'ready') deadline = Math.max(deadline, Date.now() + 10_000)
      if (Date.now() > nextLogAt) {
        log(WAITING[postmaster.status] ?? 'Waiting for PostgreSQL to start.')
        nextLogAt = Date.now() + 10_000
      }
      if (state === 'ours') {
        unreachableSince = session === 'unreachable' ? (unreachableSince ?? Date.now()) : undefined
        if (unreachableSince && Date.now() - unreachableSince > 1_000) await restartIfUnreachable(cluster, log)
        continue
      }
    }

    const output = await start?.outputIfExited()
    if (output !== undefined) {
      start = undefined
      // Another process was faster, or the previous PostgreSQL has not exited yet.
      const isTemporary = /already exists|still in use|another postmaster/.test(output)
      if (!isTemporary && ++failures === 3) throw new Error(didNotStart(cluster, output))
      await sleep(300)
      continue
    }
    start ??= await startPostmaster(cluster, state === 'unknown' ? undefined : postmaster, log)
  }
  start?.abandon()
  throw new Error(`PostgreSQL did not answer within ${START_TIMEOUT_MS / 1_000} s. Its log is ${logFile(cluster)}.`)
}

const didNotStart = (cluster: Cluster, output: string): string =>
  `PostgreSQL did not start. Its log ${logFile(cluster)} ends with:\n${output.trim().split('\n').slice(-8).join('\n')}`

/** A deleted and recreated directory is another database. Connecting to it would mix data. */
const requireSameCluster = async ({ directory, id }: Cluster): Promise<void> => {
  const found = await stat(directory).catch(() => undefined)
  if (found && `${found.dev}-${found.ino}` === id) return
  throw new Error(`${directory} was ${found ? 'replaced' : 'removed'} while in use. Restart this process.`)
}

const tryOpenSession = async (
  cluster: Cluster,
  postmaster: Postmaster,
  purpose: Purpose,
): Promise<Session | 'busy' | 'unreachable'> => {
  const address = { host: await reachableHost(postmaster), port: postmaster.port }
  let lockConnection: pg.Client | undefined
  let login: Login
  try {
    login = (await isSetUp(cluster)) ? serviceLogin(cluster) : await setUp(cluster, address)
    lockConnection = createLockConnection(address, login, purpose)
    await lockConnection.connect()
  } catch (error) {
    void lockConnection?.end().catch(() => {})
    if (isRefused(error)) throw new Error(passwordLost(cluster))
    return retryReason(error)
  }
  const session = { lockConnection, login, ...address }
  try {
    await lock(lockConnection, 'pg_advisory_lock_shared', inUse)
    if (await isMissing(lockConnection)) await setUp(cluster, address)
    if (purpose.kind === 'server') await claimServer(cluster, lockConnection)
    return session
  } catch (error) {
    await closeSession(cluster, session)
    return retryReason(error)
  }
}

const isRefused = (error: unknown) => /^28/.test((error as { code?: string }).code ?? '')

const passwordLost = (cluster: Cluster) =>
  `The password in ${passwordFile(cluster.dataDir)} is not the one of the database beside it. Put the right file back. ` +
  `If it is lost: write "local all all trust" as the only line of ${cluster.directory}/pg_hba.conf and start again; ` +
  'a new password is set, and the line replaced.'

/** Throws errors that a retry cannot fix. */
const retryReason = (error: unknown): 'busy' | 'unreachable' => {
  const { code = '', message } = error as { code?: string; message: string }
  if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'unreachable'
  // Starting, stopping or crashing (57), too many connections (53), or disconnected.
  const isTemporary =
    /^(57P0|53300|55P03|ECONNRESET|EPIPE)/.test(code) || /terminated|timeout|not queryable/.test(message)
  if (isTemporary) return 'busy'
  throw error
}

const createLockConnection = ({ host, port }: Address, login: Login, purpose: Purpose): pg.Client => {
  const what = purpose.kind === 'server' ? `server ${process.pid} ${purpose.address}` : `${purpose.name} ${process.pid}`
  const lockConnection = new pg.Client({
    ...{ host, port, ...login, database: 'postgres' },
    application_name: `storefront ${what}`,
    connectionTimeoutMillis: 5_000,
    lock_timeout: 20_000,
    keepAlive: true,
  })
  // The `end` event, which always follows, is handled instead.
  lockConnection.on('error', () => {})
  return lockConnection
}

const lock = async (client: pg.Client, call: string, key: number): Promise<boolean> => {
  const { rows } = await client.query(`select ${call}($1, $2) as done`, [namespace, key])
  return rows[0].done !== false
}

const isMissing = async (client: pg.Client) =>
  (await client.query('select from pg_database where datname = $1', [database])).rowCount === 0

/**
 * Creates missing roles and the database, and returns the login to use. A running server of an early release uses
 * no passwords: until it stops, nothing changes.
 */
const setUp = (cluster: Cluster, address: Address): Promise<Login> =>
  withAdmin(cluster, address, 'postgres', async (admin) => {
    await lock(admin, 'pg_advisory_lock', setUpLock)
    if (!(await isSetUp(cluster)) && !(await lock(admin, 'pg_try_advisory_lock', server))) return adminLogin(cluster)
    if (!(await isSetUp(cluster)) || (await isMissing(admin))) await setUpRoles(cluster, address, admin)
    return serviceLogin(cluster)
  })

const claimServer = async (cluster: Cluster, lockConnection: pg.Client): Promise<void> => {
  // A server that was just killed holds its lock until PostgreSQL notices the closed connection.
  for (let tries = 0; !(await lock(lockConnection, 'pg_try_advisory_lock', server)); tries++) {
    const holder = await findServer(lockConnection)
    if (holder && (tries === 20 || processExists(holder.pid))) throw new EngineInUseError(cluster.dataDir, holder)
    await sleep(100)
  }
}

const findServer = async (lockConnection: pg.Client): Promise<EngineHolder | undefined> => {
  const { rows } = await lockConnection.query<{ application_name: string; backend_start: Date }>(
    `select application_name, backend_start
       from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and granted and classid = $1 and objid = $2 and objsubid = 2`,
    [namespace, server],
  )
  const [, pid, address] = /^storefront server (\d+) (.*)$/.exec(rows[0]?.application_name ?? '') ?? []
  return rows[0] && pid && address
    ? { pid: Number(pid), address, since: rows[0].backend_start.toISOString() }
    : undefined
}

/** Whoever gets the shared lock exclusively is the last user. Newcomers wait for it, and then for the next start. */
const closeSession = async (cluster: Cluster, { lockConnection }: Session): Promise<void> => {
  try {
    await lock(lockConnection, 'pg_advisory_unlock_shared', inUse)
    const isLast = await lock(lockConnection, 'pg_try_advisory_lock', inUse)
    const postmaster = isLast && (await readPostmaster(cluster))
    if (postmaster) await stopPostmaster(cluster, postmaster)
  } catch {
    // The connection is lost, and our locks with it.
  }
  await lockConnection.end().catch(() => {})
}

/** Cleaners of /tmp can delete the socket of a running PostgreSQL. Only a restart creates it again. */
const restartIfUnreachable = async (cluster: Cluster, log: Log): Promise<void> => {
  const postmaster = await readPostmaster(cluster)
  if (postmaster?.status !== 'ready' || !postmaster.host.startsWith('/')) return
  if (await pathExists(socketFile(await reachableHost(postmaster), postmaster.port))) return
  if ((await identifyProcess(cluster, postmaster.pid)) !== 'ours') return
  log(`The socket in ${postmaster.host} was removed. Restarting PostgreSQL.`)
  await stopPostmaster(cluster, postmaster)
}
