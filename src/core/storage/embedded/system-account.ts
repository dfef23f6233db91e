import { execFile } from 'node:child_process'
import { lchown, lstat, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** PostgreSQL refuses to run as root. If we are root, it runs under this account. */
export interface Account {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

// `storefront` is a dedicated account: programs under the same account can read and change the database files.
const unprivileged = ['storefront', 'postgres', '_postgres', 'nobody']

/** Undefined means our own account. An existing cluster keeps its owner. */
export const accountFor = async (cluster: string): Promise<Account | undefined> => {
  const self = process.getuid?.()
  if (self === undefined) return undefined
  const owner = await stat(cluster).catch(() => undefined)
  if (self !== 0) {
    if (owner && owner.uid !== self) {
      throw new Error(
        `${cluster} belongs to uid ${owner.uid}, but this process runs as uid ${self}. ` +
          'Run it as the account that created the data directory (or as root), or choose another DATA_DIR.',
      )
    }
    return undefined
  }
  const accounts = await readAccounts()
  if (owner && owner.uid !== 0) {
    const name = accounts.find(({ uid }) => uid === owner.uid)?.name ?? `uid ${owner.uid}`
    return { name, uid: owner.uid, gid: owner.gid }
  }
  for (const name of unprivileged) {
    const account = accounts.find((entry) => entry.name === name && entry.uid > 0)
    if (account) return account
  }
  throw new Error(
    'PostgreSQL refuses to run as root, and this system has no account "postgres" or "nobody" to run it as. ' +
      'Create one, run as an ordinary user, or set DATABASE_URL.',
  )
}

const readAccounts = async (): Promise<Account[]> => {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '')
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':')
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : []
  })
}

/** Changes the directory itself last, so that an interrupted run is repeated. */
export const changeOwner = async (account: Account, directory: string): Promise<void> => {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) await changeOwner(account, path)
    else await lchown(path, account.uid, account.gid)
  }
  await lchown(directory, account.uid, account.gid)
}

/** A real directory (no symbolic link) of that owner. Anybody can create entries in /tmp. */
export const isDirectoryOf = async (path: string, uid: number | undefined): Promise<boolean> => {
  const found = await lstat(path).catch(() => undefined)
  return found?.isDirectory() === true && (uid === undefined || found.uid === uid)
}

export const isPrivateTo = async (path: string, uid: number | undefined): Promise<boolean> =>
  (await isDirectoryOf(path, uid)) && ((await lstat(path)).mode & 0o077) === 0

// Variables passed to the program. Our environment contains secrets, and the account is another one.
const INHERITED_VARIABLES = ['PATH', 'LD_LIBRARY_PATH', 'SystemRoot', 'SystemDrive', 'TEMP', 'TMP']

/** LC_ALL=C also keeps macOS from starting threads in the postmaster, which PostgreSQL refuses. */
export const cleanEnvironment = (): NodeJS.ProcessEnv => {
  const kept = INHERITED_VARIABLES.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))
  return { ...Object.fromEntries(kept), LC_ALL: 'C' }
}

export const spawnIdentity = (account?: Account) => (account ? { uid: account.uid, gid: account.gid } : {})

interface RunResult {
  readonly ok: boolean
  readonly output: string
}

/** Runs a program to its end under the account. Never throws. */
export const runProgram = (file: string, args: string[], account?: Account, cwd?: string): Promise<RunResult> =>
  new Promise((resolve) => {
    const options = { ...spawnIdentity(account), cwd, env: cleanEnvironment(), windowsHide: true }
    try {
      execFile(file, args, options, (error, stdout, stderr) => {
        const output = `${stdout}${stderr}`.trim()
        resolve({ ok: !error, output: output || (error?.message ?? '') })
      })
    } catch (error) {
      resolve({ ok: false, output: String(error) })
    }
  })
