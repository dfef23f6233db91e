import { createHmac, randomBytes } from 'node:crypto'
import {
  access,
  chown,
  constants,
  link,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Binaries, findBinaries } from './binaries.ts'
import { createAtomically, removeStale } from './staging.ts'
import { type Account, accountFor, changeOwner, runProgram } from './system-account.ts'

export type Log = (line: string) => void

/** A data directory and what is needed to run PostgreSQL on it. */
export interface Cluster {
  readonly dataDir: string
  readonly directory: string
  /**
   * Identifies the directory, also after it is moved; copies get another id. The postmaster has it among its arguments.
   */
  readonly id: string
  readonly binaries: Binaries
  readonly account: Account | undefined
  /** Over 127.0.0.1 instead of a Unix socket. */
  readonly overTcp: boolean
  /** Password of the superuser, who only sets up roles and databases. */
  readonly password: string
  /** Password of the role that the service connects as. */
  readonly servicePassword: string
}

/** The data directory belongs to another PostgreSQL major version. */
export class EngineVersionError extends Error {
  override name = 'EngineVersionError'
  constructor(directory: string, found: number, ours: number) {
    super(
      `${directory} was made by PostgreSQL ${found}; this release runs PostgreSQL ${ours}. Nothing was changed.\n` +
        'To move the data: start the release that made it, run `storefront-apps backup FILE`, stop it, ' +
        `move ${directory} away, start this release, run \`storefront-apps restore FILE\`.`,
    )
  }
}

export const superuser = 'storefront'
/** Not a superuser. Owns the application's database and nothing else. */
export const SERVICE = 'storefront_service'
export const database = 'storefront'

/** Opens the cluster of a data directory, or creates it. */
export const openCluster = async (dataDir: string, loopback: boolean, log: Log): Promise<Cluster> => {
  const home = await openDataDir(dataDir)
  const directory = await realpath(join(home, 'postgres')).catch(() => join(home, 'postgres'))
  const account = await accountFor(directory)
  const binaries = await findBinaries(account, log)
  const state = await examine(directory, binaries.major)
  const password = await readPassword(home)

  await removeStale(directory)
  if (state === 'absent') {
    log(`Creating the database in ${directory}${account ? ` (PostgreSQL runs as ${account.name})` : ''}.`)
    await createCluster(directory, binaries, account, password)
  } else if (account) {
    if ((await stat(directory)).uid !== account.uid) await changeOwner(account, directory)
    await requireReachable(directory, account)
  }
  const { dev, ino } = await stat(directory)
  const servicePassword = createHmac('sha256', password).update(SERVICE).digest('base64url')
  return {
    ...{ dataDir: home, directory, id: `${dev}-${ino}`, binaries, account },
    ...{ overTcp: loopback, password, servicePassword },
  }
}

const openDataDir = async (dataDir: string): Promise<string> => {
  const path = resolve(dataDir)
  // The account may have to traverse root's directory (see dataArgument).
  const passable = process.getuid?.() === 0 && process.platform !== 'linux'
  await mkdir(path, { recursive: true, mode: passable ? 0o711 : 0o700 })
  await access(path, constants.R_OK | constants.W_OK | constants.X_OK).catch(() => {
    throw new Error(
      `The data directory ${path} is not readable and writable for this account. Choose another DATA_DIR.`,
    )
  })
  return realpath(path)
}

const examine = async (directory: string, major: number): Promise<'absent' | 'present'> => {
  const found = await stat(directory).catch(() => undefined)
  if (!found) return 'absent'
  const version = await readFile(join(directory, 'PG_VERSION'), 'utf8').catch(() => undefined)
  if (version !== undefined) {
    if (Number(version) !== major) throw new EngineVersionError(directory, Number(version), major)
    return 'present'
  }
  const names = await readdir(directory)
  if (names.length === 0) return 'absent'
  throw new Error(
    `${directory} is not empty and holds no PostgreSQL data (it has ${names.slice(0, 3).join(', ')}). ` +
      'Nothing was changed. Move it away or choose another DATA_DIR' +
      `${names.includes('lost+found') ? '; mount the volume at DATA_DIR, not at its folder postgres' : ''}.`,
  )
}

const createCluster = async (directory: string, binaries: Binaries, account: Account | undefined, password: string) => {
  const made = await createAtomically(directory, async (half) => {
    if (account) {
      await changeOwner(account, half)
      await requireReachable(half, account)
    }
    const secret = await writeSecretFile(password, account)
    try {
      await initdb(half, binaries, account, join(secret, 'password'))
    } finally {
      await rm(secret, { recursive: true, force: true })
    }
  }).catch((error) => {
    if (error.code !== 'EBUSY') throw error
    throw new Error(`${directory} is a mount point. Mount the volume at DATA_DIR, one level higher.`)
  })
  if (made) await flushDirectory(join(directory, '..'))
}

// The system's LC_CTYPE defines letters outside ASCII. Its name for UTF-8 differs between systems.
const utf8Names = ['C.UTF-8', 'UTF-8', 'en_US.UTF-8', 'C']

const initdb = async (half: string, binaries: Binaries, account: Account | undefined, pwfile: string) => {
  let output = ''
  for (const ctype of utf8Names) {
    const result = await runProgram(
      binaries.initdb,
      [
        ...['-D', dataArgument(half, account), '-U', superuser, '-E', 'UTF8', '--data-checksums', '--no-instructions'],
        ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C', `--lc-ctype=${ctype}`],
        ...['--auth=scram-sha-256', `--pwfile=${pwfile}`],
      ],
      account,
      half,
    )
    if (result.ok) return
    output = result.output
    if (!output.includes('invalid locale name')) break
  }
  throw new Error(`The database could not be created in ${half}:\n${output}`)
}

/**
 * The data directory as passed to PostgreSQL, which is started inside it. On Linux, the link to the working
 * directory avoids its parents, which may be inaccessible to the account or longer than PostgreSQL's 1023 bytes.
 */
export const dataArgument = (directory: string, account?: Account): string =>
  process.platform === 'linux' && (account || Buffer.byteLength(directory) > 900) ? '/proc/self/cwd' : directory

const requireReachable = async (directory: string, account: Account): Promise<void> => {
  if (dataArgument(directory, account) !== directory) return
  const { ok } = await runProgram('/bin/test', ['-x', directory], account)
  if (ok) return
  throw new Error(
    `PostgreSQL runs as the account ${account.name}, which cannot reach ${directory}. ` +
      'Choose a DATA_DIR whose parent directories that account may enter, or run as an ordinary user.',
  )
}

export const passwordFile = (dataDir: string) => join(dataDir, 'postgres-password')

/** Written aside and linked, so that concurrent processes read the same complete password. */
const readPassword = async (dataDir: string): Promise<string> => {
  const path = passwordFile(dataDir)
  const draft = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`
  const known = await readFile(path, 'utf8').catch((error) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (known !== undefined) return known.trim()
  await writeFile(draft, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flush: true })
  // A command run by root must not lock out the owner of this directory.
  const { uid, gid } = await stat(dataDir)
  if (process.getuid?.() === 0) await chown(draft, uid, gid)
  await link(draft, path).catch((error) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft)
  return (await readFile(path, 'utf8')).trim()
}

const writeSecretFile = async (password: string, account?: Account): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'storefront-initdb-'))
  await writeFile(join(folder, 'password'), `${password}\n`, { mode: 0o600 })
  if (account) await changeOwner(account, folder)
  return folder
}

/** Otherwise a power failure could undo the rename, and with it every write acknowledged since. */
const flushDirectory = async (path: string): Promise<void> => {
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}
