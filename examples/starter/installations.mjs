import { readFile, rename, writeFile } from 'node:fs/promises'

/**
 * What this app remembers of a store that has installed it.
 * @typedef {{ id: string, type: string, resource: string, at: string }} Seen
 * @typedef {{ store: string, secret: string, events: Seen[] }} Installation
 * @typedef {{ get: (id: string) => Installation | undefined, set: (id: string, installation: Installation) => Promise<void>,
 *   delete: (id: string) => Promise<void> }} Installations
 */

/** Installations in a file, by their id. For more than a few, use a database. @returns {Promise<Installations>} */
export const openInstallations = async (/** @type {string} */ file) => {
  const text = await readFile(file, 'utf8').catch(() => '{}')
  /** @type {Map<string, Installation>} */
  const known = new Map(Object.entries(JSON.parse(text)))
  let writing = Promise.resolve()
  /** One write at a time, each complete before it takes the place of the one before. */
  const save = () => {
    writing = writing.then(async () => {
      await writeFile(`${file}.new`, JSON.stringify(Object.fromEntries(known), null, 2), { mode: 0o600 })
      await rename(`${file}.new`, file)
    })
    return writing
  }
  return {
    get: (id) => known.get(id),
    set: (id, installation) => {
      known.set(id, installation)
      return save()
    },
    delete: (id) => {
      known.delete(id)
      return save()
    },
  }
}
