import { hkdfSync, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Config } from '../config/config.ts'
import { buildTextsOnce, recordMissingTexts } from '../core/reading/build-texts.ts'
import type { Kinds } from '../core/reading/texts.ts'
import { openBlobs } from '../core/storage/blobs/open-blobs.ts'
import { withUntimedDatabase } from '../core/storage/connect.ts'
import type { Tx } from '../core/storage/database.ts'
import { newId } from '../core/storage/new-id.ts'
import { enableApp } from '../resources/auth/queries.ts'
import { hashSecret, masterSecret, newClientId, secretMatches } from '../resources/auth/secrets.ts'
import type { FileUrls } from '../resources/files/file-urls.ts'
import { readPhones } from '../resources/orders/read-phones.ts'
import { PERMISSIONS } from '../resources/permissions/catalogue.ts'
import { installBuiltInApp } from '../resources/stores/create-store.ts'
import { type DemoCredentials, readCredentials, writeCredentials } from './credentials-file.ts'
import { lockDemo, type Note, readNote, writeNote } from './note.ts'
import { HOUR, TODAY } from './random.ts'
import { APP, domainRows, STORE } from './store.ts'
import { writeRows } from './write-rows.ts'

/**
 * Derives the secret from the service's own secret and a random salt. So every node can show it, even after the file is
 * lost, while the database holds only its hash.
 */
const secretFrom = (master: string, salt: string) =>
  `sk_${Buffer.from(hkdfSync('sha256', master, salt, 'storefront-apps demo secret', 32)).toString('base64url')}`

const newSalt = () => randomBytes(24).toString('base64url')

interface DemoApp {
  id: string
  client_id: string
  secret_hash: Buffer
  disabled_at: Date | null
}

export const findDemoApp = (db: Tx, { install_id }: Note): Promise<DemoApp | undefined> =>
  db
    .selectFrom('installation as i')
    .innerJoin('app as a', 'a.id', 'i.app_id')
    .select(['a.id', 'a.client_id', 'a.secret_hash', 'a.disabled_at'])
    .where('i.id', '=', install_id)
    .executeTakeFirst()

/** Tries the credentials of the file and those derived from the service's secret. */
const knownCredentials = async (config: Config, master: string, { install_id, salt }: Note, app: DemoApp) => {
  const kept = await readCredentials(config.DATA_DIR)
  const derived = { install_id, client_id: app.client_id, client_secret: secretFrom(master, salt) }
  const right = [kept, derived].find(
    (credentials) =>
      credentials?.install_id === install_id && secretMatches(credentials.client_secret, app.secret_hash),
  )
  return { right, derived, changed: !right && kept?.install_id === install_id }
}

/** Whether the operator gave the demo app a secret of their own. */
export const isOperators = async (config: Config, master: string, note: Note, app: DemoApp) =>
  (await knownCredentials(config, master, note, app)).changed

/** The credentials of an existing demo store; none if the operator removed or disabled it or changed its secret. */
const recall = async (db: Tx, config: Config, master: string, note: Note): Promise<DemoCredentials | undefined> => {
  const app = await findDemoApp(db, note)
  if (!app || (app.disabled_at && !note.shut)) return undefined
  // Earlier releases did not install the console in a distributed database.
  await installBuiltInApp(db, STORE.id)
  if (note.shut) {
    await enableApp(db, app.client_id)
    await writeNote(db, { install_id: note.install_id, salt: note.salt })
  }
  const { right, derived, changed } = await knownCredentials(config, master, note, app)
  return right || changed ? right : rotate(db, master, app.id, derived)
}

/** For a database that was restored on another server, without the file and the service's secret. */
const rotate = async (db: Tx, master: string, app: string, credentials: DemoCredentials) => {
  const salt = newSalt()
  const client_secret = secretFrom(master, salt)
  await db
    .updateTable('app')
    .set({ secret_hash: hashSecret(client_secret) })
    .where('id', '=', app)
    .execute()
  await writeNote(db, { install_id: credentials.install_id, salt })
  return { ...credentials, client_secret }
}

const anyStore = async (db: Tx) => (await db.selectFrom('store').select('id').limit(1).executeTakeFirst()) !== undefined

const isRemoved = async (db: Tx) =>
  (await db.selectFrom('store').select('id').where('id', '=', STORE.id).executeTakeFirst()) === undefined

/** Another store may already use the domain. */
const freeDomain = async (db: Tx, wanted: string) => {
  const { rows } = await sql<{ taken: boolean }>`
    select exists (select 1 from store where lower(domain) = ${wanted})
      or exists (select 1 from domain where lower(host) = ${wanted}) as taken`.execute(db)
  return rows[0]?.taken ? `${randomBytes(3).toString('hex')}.${wanted}` : wanted
}

/** All or nothing. Files are stored before the rows that refer to them are committed. */
const load = async (db: Tx, config: Config, master: string, endsAt: number): Promise<DemoCredentials> => {
  // Needed once in the life of a database: later starts do not load the catalogue.
  const [{ makeDemoRows }, { placeFiles }] = await Promise.all([import('./demo-rows.ts'), import('./files.ts')])
  const blobs = await openBlobs(config)
  const [install_id, client_id, salt] = [newId(), newClientId(), newSalt()]
  const client_secret = secretFrom(master, salt)
  const moveBy = endsAt - TODAY
  try {
    // Still there if only the store was deleted.
    await db.deleteFrom('app').where('id', '=', APP.id).execute()
    const { rows, files } = makeDemoRows(config)
    const hosts: string[] = []
    for (const { host } of domainRows) hosts.push(await freeDomain(db, host))
    const ofStore = {
      store: [{ ...STORE, domain: hosts[0] ?? STORE.domain }],
      app: [{ ...APP, client_id, secret_hash: `\\x${hashSecret(client_secret).toString('hex')}` }],
      installation: [
        { id: install_id, store_id: STORE.id, app_id: APP.id, permissions: PERMISSIONS, created_at: APP.created_at },
      ],
      ...rows,
      domain: domainRows.map((row, index) => ({ ...row, host: hosts[index] })),
      host_claim: hosts.map((host) => ({ store_id: STORE.id, host })),
    }
    // Thumbnails are made while PostgreSQL inserts the rows.
    const [ofFiles] = await Promise.all([placeFiles(blobs, files), writeRows(db, ofStore, moveBy)])
    await writeRows(db, ofFiles, moveBy)
    await installBuiltInApp(db, STORE.id)
    // Linking a file changes it.
    await db.updateTable('file').set('updated_at', sql`created_at`).where('store_id', '=', STORE.id).execute()
  } finally {
    blobs.close()
  }
  await recordMissingTexts(db)
  await writeNote(db, { install_id, salt })
  return { install_id, client_id, client_secret }
}

/** With DEMO=auto, only into a new embedded database. */
const mayLoad = async (db: Tx, { DEMO, DATABASE_URL }: Config) =>
  DEMO === 'true' || (DEMO === 'auto' && !DATABASE_URL && !(await anyStore(db)))

/** The last full hour, so that the newest orders of a new demo store are of today. */
const now = () => Math.floor(Date.now() / HOUR) * HOUR

/**
 * Loads the demo store unless it exists, and returns its credentials. A store that was removed is loaded again only if
 * `again` is set. Its newest rows are of the time `endsAt`; nothing else depends on it.
 */
export const loadDemoOnce = (
  connection: pg.ClientConfig,
  config: Config,
  kinds: Kinds<FileUrls>,
  { again = false, endsAt = now() } = {},
): Promise<DemoCredentials | undefined> =>
  withUntimedDatabase(connection, 'demo', async ({ db }) => {
    const master = await masterSecret(db, config)
    const credentials = await db.transaction().execute(async (db) => {
      await lockDemo(db)
      // Making the thumbnails takes a while, and longer on a busy machine.
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(db)
      const note = await readNote(db)
      if (note && !(again && (await isRemoved(db)))) return recall(db, config, master, note)
      return (await mayLoad(db, config)) ? load(db, config, master, endsAt) : undefined
    })
    await readPhones(db, () => {})
    await buildTextsOnce(db, kinds, () => {})
    if (credentials) await writeCredentials(config.DATA_DIR, credentials)
    return credentials
  })
