import { hkdfSync, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type pg from 'pg'
import { hashSecret, masterSecret, newClientId, secretMatches } from '../auth/secrets.ts'
import type { Config } from '../config.ts'
import { PERMISSIONS } from '../permissions/catalogue.ts'
import { openBlobs } from '../storage/blobs.ts'
import type { Tx } from '../storage/database.ts'
import { newId } from '../storage/new-id.ts'
import { withPatientDatabase } from '../storage/reach.ts'
import { readCredentials, writeCredentials } from './credentials-file.ts'
import { APP, domainRows, STORE } from './shop.ts'
import { writeRows } from './write-rows.ts'

export interface DemoCredentials {
  install_id: string
  client_id: string
  client_secret: string
}

/** The number `pg_advisory_xact_lock` takes: any constant that nothing else here uses. */
const DEMO_LOCK = 7_303_002
const NOTE = 'demo_store'

/** What is kept of the load in the table of settings. */
interface Note {
  install_id: string
  salt: string
}

/**
 * The secret follows from the service's own and a random salt. So every node that serves this database, and one that
 * lost its file, can tell it again, while the database holds no more than its hash.
 */
const secretFrom = (master: string, salt: string) =>
  `sk_${Buffer.from(hkdfSync('sha256', master, salt, 'storefront-apps demo secret', 32)).toString('base64url')}`

const newSalt = () => randomBytes(24).toString('base64url')

const readNote = async (db: Tx): Promise<Note | undefined> => {
  const row = await db.selectFrom('setting').select('value').where('name', '=', NOTE).executeTakeFirst()
  return row && JSON.parse(row.value)
}

const writeNote = (db: Tx, note: Note) => {
  const value = JSON.stringify(note)
  return db
    .insertInto('setting')
    .values({ name: NOTE, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

/** Credentials of a demo store that is there. None when the operator removed it or changed its secret. */
const recall = async (db: Tx, config: Config, master: string, note: Note): Promise<DemoCredentials | undefined> => {
  const { install_id, salt } = note
  const app = await db
    .selectFrom('installation as i')
    .innerJoin('app as a', 'a.id', 'i.app_id')
    .select(['a.id', 'a.client_id', 'a.secret_hash'])
    .where('i.id', '=', install_id)
    .executeTakeFirst()
  if (!app) return undefined
  const { client_id } = app
  const kept = await readCredentials(config.DATA_DIR)
  const derived = { install_id, client_id, client_secret: secretFrom(master, salt) }
  const right = [kept, derived].find(
    (credentials) =>
      credentials?.install_id === install_id && secretMatches(credentials.client_secret, app.secret_hash),
  )
  if (right || kept?.install_id === install_id) return right
  return rotate(db, master, app.id, derived)
}

/** For a database that was restored elsewhere, where neither the file nor the service's own secret came along. */
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

/** Somebody else may have taken the demo store's address. */
const freeDomain = async (db: Tx, wanted: string) => {
  const { rows } = await sql<{ taken: boolean }>`
    select exists (select from store where lower(domain) = ${wanted})
      or exists (select from domain where lower(host) = ${wanted}) as taken`.execute(db)
  return rows[0]?.taken ? `${randomBytes(3).toString('hex')}.${wanted}` : wanted
}

/** All of it or nothing. The bytes of files are placed before the rows that speak of them are there to be seen. */
const load = async (db: Tx, config: Config, master: string): Promise<DemoCredentials> => {
  // Needed once in the life of a database: later starts do without the catalogue and the drawings.
  const { makeDemoRows } = await import('./demo-store.ts')
  const blobs = await openBlobs(config)
  const [install_id, client_id, salt] = [newId(), newClientId(), newSalt()]
  const client_secret = secretFrom(master, salt)
  try {
    const [domain] = domainRows
    const rows = await makeDemoRows(blobs, config)
    await writeRows(db, {
      store: [{ ...STORE, domain: await freeDomain(db, STORE.domain) }],
      app: [{ ...APP, client_id, secret_hash: `\\x${hashSecret(client_secret).toString('hex')}` }],
      installation: [
        { id: install_id, store_id: STORE.id, app_id: APP.id, permissions: PERMISSIONS, created_at: APP.created_at },
      ],
      ...rows,
      ...(domain && { domain: [{ ...domain, host: await freeDomain(db, domain.host) }] }),
    })
  } finally {
    blobs.close()
  }
  await writeNote(db, { install_id, salt })
  return { install_id, client_id, client_secret }
}

/**
 * Loads the demo store unless it is there, and gives the credentials to call it with. Any number of nodes may start
 * at once: one does the work, the others wait and find it done.
 */
export const loadDemoOnce = (connection: pg.ClientConfig, config: Config): Promise<DemoCredentials | undefined> =>
  withPatientDatabase(connection, 'demo', async ({ db }) => {
    const master = await masterSecret(db, config)
    const credentials = await db.transaction().execute(async (db) => {
      await sql`select pg_advisory_xact_lock(${sql.lit(DEMO_LOCK)})`.execute(db)
      const note = await readNote(db)
      if (note) return recall(db, config, master, note)
      if (config.DEMO === 'auto' && (await anyStore(db))) return undefined
      return load(db, config, master)
    })
    if (credentials) await writeCredentials(config.DATA_DIR, credentials)
    return credentials
  })
