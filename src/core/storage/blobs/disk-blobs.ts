import { constants } from 'node:fs'
import { access, chmod, mkdir, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { errorCode } from '../database.ts'
import { BlobNotFound, type Blobs, restrictToOwner } from './blobs.ts'

const sync = async (file: string, flags: string) => {
  const handle = await open(file, flags)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** A rename survives a power failure only after its folder is synced. Windows has no such call and needs none. */
const syncFolder = (folder: string) =>
  sync(folder, 'r').catch((error) => {
    if (process.platform !== 'win32') throw error
  })

/** Creates the folder and syncs every parent. */
const makeFolder = async (folder: string) => {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (!first) return
  for (let made = folder; made.length >= first.length; made = path.dirname(made)) await syncFolder(path.dirname(made))
}

export const openDiskBlobs = async (dataDir: string): Promise<Blobs> => {
  const root = path.join(dataDir, 'blobs')
  // On the same file system, so that a rename does not copy.
  const incoming = path.join(root, 'incoming')
  await makeFolder(incoming)
  await restrictToOwner(root)
  const at = (key: string) => path.join(root, key)

  return {
    incoming,
    place: async (key, file) => {
      const folder = path.dirname(at(key))
      await makeFolder(folder)
      await chmod(file, 0o600)
      await sync(file, 'r+')
      await rename(file, at(key))
      await syncFolder(folder)
    },
    has: (key) =>
      access(at(key), constants.R_OK).then(
        () => true,
        () => false,
      ),
    open: async (key, range) => {
      const handle = await open(at(key)).catch((error) => {
        throw errorCode(error) === 'ENOENT' ? new BlobNotFound(key) : error
      })
      return handle.createReadStream(range && { start: range.first, end: range.last })
    },
    remove: async (keys) => {
      for (const key of keys) await rm(at(key), { force: true })
    },
    close: () => {},
  }
}
