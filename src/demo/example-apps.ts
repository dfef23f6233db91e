import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'
import { type Db, transact } from '../core/storage/database.ts'
import { publicOrigin } from '../resources/accounts/transport.ts'
import { checkManifest, type Manifest } from '../resources/apps/manifest.ts'
import { findRegisteredApp } from '../resources/apps/queries.ts'
import { replaceManifest } from '../resources/apps/refresh-app.ts'
import { insertApp } from '../resources/apps/register-app.ts'
import { deriveKey, hashSecret } from '../resources/auth/secrets.ts'

/** The example apps that the demo offers, by the name of their host. A host below localhost is always this machine. */
const NAMES = ['stock-counter', 'order-board'] as const
type Name = (typeof NAMES)[number]

const HOST = /^([a-z-]{1,40})\.localhost(?::\d{1,5})?$/i
const FOLDER = new URL('../../examples/', import.meta.url)
/** Remembers that they were registered, so that those that an operator has removed do not come back. */
const SETTING = 'example_apps'

const clientIdOf = (name: Name) => `app_example_${name.replace('-', '_')}`

export const EXAMPLE_CLIENT_IDS = NAMES.map(clientIdOf)

const secretOf = (master: string, name: Name) => `sk_${deriveKey(master, `example app ${name}`).toString('base64url')}`

interface ExampleModule {
  manifestAt: (site: string) => object
  createApp: (options: object) => RequestListener
}

const load = (name: Name): Promise<ExampleModule> => import(new URL(`${name}.mjs`, FOLDER).href)

const siteOf = (name: Name, origin: string) => {
  const { port } = new URL(origin)
  return `http://${name}.localhost${port ? `:${port}` : ''}`
}

/** The address of the icon is of no use: it comes with the code. */
const manifestOf = async (name: Name, origin: string): Promise<Manifest> => {
  const { manifestAt } = await load(name)
  return checkManifest({ ...manifestAt(siteOf(name, origin)), icon: 'data:' })
}

const register = async (db: Db, master: string, name: Name, manifest: Manifest) => {
  const icon = await readFile(new URL(`icons/${name}.webp`, FOLDER))
  await transact(db, async (db) => {
    const { id } = await insertApp(db, { manifest, icon, sourceUrl: null, listing: 'listed' })
    await db
      .updateTable('app')
      .set({ client_id: clientIdOf(name), secret_hash: hashSecret(secretOf(master, name)) })
      .where('id', '=', id)
      .execute()
  })
}

/** Registers the example apps once. Later starts only correct their addresses, if the port has changed. */
export const registerExampleApps = async (db: Db, master: string, origin: string) => {
  if (!existsSync(FOLDER)) return
  const known = await db.selectFrom('setting').select('value').where('name', '=', SETTING).executeTakeFirst()
  if (known?.value === origin) return
  for (const name of NAMES) {
    const manifest = await manifestOf(name, origin)
    const app = await findRegisteredApp(db, clientIdOf(name))
    if (app) await transact(db, (db) => replaceManifest(db, app.id, manifest, undefined))
    else if (!known) await register(db, master, name, manifest)
  }
  await db
    .insertInto('setting')
    .values({ name: SETTING, value: origin })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: origin }))
    .execute()
}

const createHandler = async (name: Name, master: string, service: string): Promise<RequestListener> => {
  const { createApp } = await load(name)
  const { port } = new URL(service)
  return createApp({
    service,
    site: siteOf(name, service),
    clientId: clientIdOf(name),
    clientSecret: secretOf(master, name),
    // The console may be opened at either name of this machine.
    consoles: [new URL(service).origin, `http://localhost:${port}`, `http://127.0.0.1:${port}`],
  })
}

/** Serves the example apps at hosts of their own, on the port of the service. Their code is loaded when one is opened. */
export const serveExampleApps = (app: FastifyInstance, config: Config, master: string) => {
  const handlers = new Map<string, Promise<RequestListener>>()
  app.addHook('onRequest', async (request, reply) => {
    const host = HOST.exec(request.headers.host ?? '')?.[1]?.toLowerCase()
    const name = NAMES.find((name) => name === host)
    if (!name) return
    const handler = handlers.get(name) ?? createHandler(name, master, publicOrigin(request, config))
    handlers.set(name, handler)
    reply.hijack()
    ;(await handler)(request.raw, reply.raw)
  })
}
