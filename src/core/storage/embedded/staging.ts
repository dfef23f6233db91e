import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

const inProgress = new Set<string>()
const MAX_CREATION_MS = 10 * 60_000

/**
 * Fills a directory beside the target and renames it, so that a crash leaves nothing half-made. Returns false if
 * another process was faster.
 */
export const createAtomically = async (target: string, fill: (half: string) => Promise<void>): Promise<boolean> => {
  const half = `${target}.new-${process.pid}-${Date.now().toString(36)}${Math.random().toString(36).slice(2, 6)}`
  inProgress.add(half)
  try {
    await mkdir(half, { mode: 0o700 })
    await fill(half)
    await rename(half, target)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false
    throw error
  } finally {
    await rm(half, { recursive: true, force: true }).catch(() => {})
    inProgress.delete(half)
  }
}

/** Deletes what a killed process left half-made. A child of it may still be writing for a moment. */
export const removeStale = async (target: string): Promise<void> => {
  const prefix = `${basename(target)}.new-`
  for (const name of await readdir(dirname(target))) {
    const path = join(dirname(target), name)
    if (!name.startsWith(prefix) || inProgress.has(path)) continue
    const maker = Number.parseInt(name.slice(prefix.length), 10)
    const age = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? 0)
    // Containers reuse the same few pids at every start, so our own pid and old directories count as abandoned too.
    if (maker !== process.pid && age < MAX_CREATION_MS && processExists(maker)) continue
    await rm(path, { recursive: true, force: true, maxRetries: 8 }).catch(() => {})
  }
}

export const processExists = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
