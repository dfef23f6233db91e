import { execFile } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { temporaryFolder } from '../../tests/support/server-process.ts'
import type { Anomaly, History } from '../record.ts'
import { readSingle } from './client.ts'
import { sendPatiently } from './http.ts'
import { createIdentities, type Identity, withDatabase } from './identities.ts'
import { createNode, type World } from './world.ts'

const CLI = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

/** The same service from a backup: a node with a database of its own. */
export const restoreCopy = async (world: World): Promise<World> => {
  const file = path.join(await temporaryFolder('storefront-proof-backup-'), 'shop.tar.gz')
  const url = world.direct.replace(/\/[^/]+$/, '/restored')
  await withDatabase(world, async (db) => {
    await db.query('drop database if exists restored with (force)')
    await db.query('create database restored')
  })
  const folder = await temporaryFolder('storefront-proof-restored-')
  const storefront = (words: string[], DATABASE_URL: string, DATA_DIR: string) =>
    promisify(execFile)(process.execPath, [CLI, ...words], { env: { ...process.env, DATABASE_URL, DATA_DIR } })
  await storefront(['backup', file], world.direct, world.settings.DATA_DIR)
  await storefront(['restore', file], url, folder)
  const node = await createNode('restored', { ...world.settings, DATABASE_URL: url, DATA_DIR: folder })
  return { ...world, direct: url, nodes: [node] }
}

/** Every resource of a history, read from a restored backup, is what it was. */
export const compareRestored = async (world: World, { store, final }: History): Promise<Anomaly[]> => {
  const copy = await restoreCopy(world)
  const [{ token }] = (await createIdentities(copy, store, 1)) as [Identity]
  const base = copy.nodes[0]?.base() as string
  const anomalies: Anomaly[] = []
  for (const [name, body] of Object.entries(final)) {
    const [kind, id] = name.split(':') as [string, string]
    const { status, body: restored } = await readSingle(base, token, kind, id, sendPatiently)
    const shown = JSON.stringify(status === 200 ? restored : null)
    // Addresses of files name the node that was asked.
    if (shown.replaceAll(base, '') !== JSON.stringify(body).replaceAll(world.nodes[0]?.base() as string, ''))
      anomalies.push({ name: 'two readings differ', detail: `${name}: after a restore: ${shown.slice(0, 300)}` })
  }
  await copy.nodes[0]?.stop()
  return anomalies
}
