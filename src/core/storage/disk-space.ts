import { statfs } from 'node:fs/promises'
import { errorCode } from './database.ts'

const FULL = new Set(['ENOSPC', 'EDQUOT', '53100'])

/** The disk for files, or PostgreSQL's, is full. */
export const isDiskFull = (error: unknown): boolean => FULL.has(errorCode(error))

/** PostgreSQL needs room for its write-ahead log until writes have stopped. */
const MIN_BYTES = 64 * 2 ** 20
const CHECK_INTERVAL_MS = 500

export interface DiskSpace {
  /** Whether the disk has room for more writes. */
  hasRoom(): Promise<boolean>
}

/**
 * Tells when the disk of the embedded PostgreSQL is nearly full. If its write-ahead log could not grow, PostgreSQL would
 * stop, and reads would fail too.
 */
export const watchDiskSpace = (folder: string): DiskSpace => {
  let checked = Number.NEGATIVE_INFINITY
  let result = Promise.resolve(true)
  const check = async (last: Promise<boolean>) => {
    const stats = await statfs(folder).catch(() => undefined)
    return stats ? stats.bavail * stats.bsize >= MIN_BYTES : last
  }
  return {
    hasRoom: () => {
      if (performance.now() - checked >= CHECK_INTERVAL_MS) {
        checked = performance.now()
        result = check(result)
      }
      return result
    },
  }
}
