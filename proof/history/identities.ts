import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Json } from '../record.ts'
import type { World } from './world.ts'

/** What is needed to add stores and apps: the database, and a node that issues tokens. */
type Place = Pick<World, 'direct' | 'nodes'>

/** An app installed on the store, whose writes come one after the other. */
export interface Identity {
  app: string
  install: string
  token: string
}

/** Everything that an app can be granted, from the contract. */
export const PERMISSIONS = [
  ...['product', 'customer', 'review', 'shipping', 'domain', 'bundle', 'policy', 'order', 'landing_page'].flatMap(
    (subject) => ['view', 'create', 'update', 'delete'].map((action) => `${subject}:${action}`),
  ),
  ...['order:export', 'landing_page:publish', 'setting:view', 'setting:update', 'payment_method:view'],
  ...['payment_method:update', 'analytic:view', 'file:browse', 'file:upload', 'file:delete'],
]

/** Runs statements on the database itself, as an operator would. */
export const withDatabase = async <T>(world: Place, work: (db: pg.Client) => Promise<T>): Promise<T> => {
  for (let attempt = 0; ; attempt++) {
    const db = new pg.Client({ connectionString: world.direct })
    db.on('error', () => {})
    try {
      await db.connect()
      return await work(db)
    } catch (error) {
      if (attempt > 100) throw error
      await sleep(200)
    } finally {
      await db.end().catch(() => {})
    }
  }
}

export const createStores = (world: Place, count: number, currency = 'TND'): Promise<string[]> =>
  withDatabase(world, async (db) => {
    const stores: string[] = []
    for (let n = 0; n < count; n++) {
      const domain = `proof-${randomBytes(6).toString('hex')}.localhost`
      const { rows } = await db.query('insert into store (name, domain, currency) values ($1, $2, $3) returning id', [
        'Proof',
        domain,
        currency,
      ])
      stores.push(rows[0].id)
      await db.query('insert into domain (store_id, host, is_primary) values ($1, $2, true)', [rows[0].id, domain])
    }
    return stores
  })

const tokenOf = async (world: Place, credentials: Json): Promise<string> => {
  for (let attempt = 0; ; attempt++) {
    try {
      const node = world.nodes[attempt % world.nodes.length]
      const reply = await fetch(`${node?.base()}/auth/get-token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...credentials, ttl: 86_400 }),
        signal: AbortSignal.timeout(5_000),
      })
      const { data } = (await reply.json()) as Json
      if (data) return data.token
    } catch {
      // The node is down: another one, or later.
    }
    if (attempt > 300) throw new Error('Nobody issues tokens.')
    await sleep(100)
  }
}

/** Installs new apps on a store, directly in the database. */
export const createIdentities = async (world: Place, store: string, count: number): Promise<Identity[]> => {
  const made = await withDatabase(world, async (db) => {
    const rows: { app: string; install: string; client_id: string; client_secret: string }[] = []
    for (let n = 0; n < count; n++) {
      const secret = `sk_${randomBytes(16).toString('base64url')}`
      const client = `app_${randomUUID()}`
      const hash = createHash('sha256').update(secret).digest()
      const app = await db.query('insert into app (name, client_id, secret_hash) values ($1, $1, $2) returning id', [
        client,
        hash,
      ])
      const install = await db.query(
        'insert into installation (store_id, app_id, permissions) values ($1, $2, $3) returning id',
        [store, app.rows[0].id, PERMISSIONS],
      )
      rows.push({ app: app.rows[0].id, install: install.rows[0].id, client_id: client, client_secret: secret })
    }
    return rows
  })
  const identities: Identity[] = []
  for (const { app, install, client_id, client_secret } of made)
    identities.push({ app, install, token: await tokenOf(world, { client_id, client_secret, install_id: install }) })
  return identities
}
