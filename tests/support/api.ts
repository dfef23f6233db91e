import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type pg from 'pg'
import { API_PREFIX, type Config, readConfig } from '../../src/config/config.ts'
import type { Api } from '../../src/core/http/api.ts'
import type { Resource } from '../../src/core/http/resource.ts'
import { type Database, openDatabase } from '../../src/core/storage/database.ts'
import type { DatabaseLimits } from '../../src/core/storage/database-watchdog.ts'
import type { PasswordCost } from '../../src/resources/accounts/hash-password.ts'
import { createApp } from '../../src/resources/auth/create-app.ts'
import { createInstallation } from '../../src/resources/auth/create-installation.ts'
import { PERMISSIONS, type Permission } from '../../src/resources/permissions/catalogue.ts'
import { createStore } from '../../src/resources/stores/create-store.ts'
import type { WebhookOptions } from '../../src/resources/webhooks/start.ts'
import { type RunningServer, startHttpServer } from '../../src/server/http-server.ts'
import type { Services } from '../../src/server/services.ts'
import { createCaller, type LazyCaller, lazyCaller } from './caller.ts'
import { addCleanup } from './cleanup.ts'
import { cloneDatabase, databaseUrl } from './test-database.ts'

interface TestServer extends RunningServer {
  app: Api
  services: Services
  config: Config
  connection: pg.ClientConfig
  database: Database
}

/** The test machine may be slow. Timeouts have their own tests. */
const PATIENT: DatabaseLimits = { unavailableAfterMs: 60_000, statementTimeoutMs: 100_000, maxWaitMs: 120_000 }

/** Hashing as slowly as in production would take most of the tests' time. */
export const CHEAP: PasswordCost = { ln: 4, r: 8, p: 1 }

type Resources = readonly Resource<Services>[]

/** A change of an app or installation takes effect at once by a notification, which a pooler does not forward. */
export const ACCESS_CHANGE_MS = process.env.POOLER_URL ? 1_200 : 200

/** The same database through a pooler. Only the service uses it: a pooler's connections would keep a template from being copied. */
const behindPooler = (pooler: string, connection: pg.ClientConfig): pg.ClientConfig => {
  const url = new URL(pooler)
  url.pathname = new URL(databaseUrl(connection)).pathname
  return { connectionString: url.toString() }
}

const startServer = async (
  settings: Record<string, string>,
  resources?: Resources,
  webhookOptions?: WebhookOptions,
): Promise<TestServer> => {
  const { connection, folder } = await sharedState()
  const pooler = process.env.POOLER_URL
  const config = readConfig({
    PORT: '0',
    LOG_LEVEL: 'silent',
    DATA_DIR: folder,
    DATABASE_POOL: '6',
    ...(pooler && { DATABASE_PREPARE: 'false' }),
    ...settings,
  })
  const options = { databaseLimits: PATIENT, passwordCost: CHEAP, resources, webhookOptions }
  const server = await startHttpServer(config, pooler ? behindPooler(pooler, connection) : connection, options)
  const database = openDatabase(connection, { pool: 4, prepare: false, name: 'test', untimed: true })
  addCleanup(async () => {
    // A graceful shutdown would wait for requests on the callers' idle connections.
    server.app.server.closeIdleConnections()
    await server.close()
    await database.close()
  })
  return { ...server, config, connection, database }
}

/**
 * The database of a test file, and its files. Servers of one database share their files, as nodes must: any of them may run a
 * bulk job that another received.
 */
const createState = async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'storefront-api-'))
  addCleanup(() => rm(folder, { recursive: true, force: true }))
  return { connection: await cloneDatabase(), folder }
}

let shared: ReturnType<typeof createState> | undefined
const sharedState = () => {
  if (!shared) {
    shared = createState()
    addCleanup(() => {
      shared = undefined
      servers.clear()
    })
  }
  return shared
}

const servers = new Map<string, Promise<TestServer>>()

const resourceLists: Resources[] = []

/** Tells lists of resources apart: two are the same only if they are one object. */
const numberOf = (resources: Resources) =>
  resourceLists.includes(resources) ? resourceLists.indexOf(resources) : resourceLists.push(resources) - 1

/**
 * A store with an app, on a running server that the test file shares: one database per file, real HTTP. Other settings
 * or resources start another server on the same database.
 */
export const startTestApi = async (
  settings: Record<string, string> = {},
  resources?: Resources,
  webhookOptions?: WebhookOptions,
) => {
  const kind = JSON.stringify([settings, resources && numberOf(resources), webhookOptions])
  const started = servers.get(kind) ?? startServer(settings, resources, webhookOptions)
  servers.set(kind, started)
  const server = await started
  const { db } = server.database
  const origin = `http://127.0.0.1:${server.port}`
  const store = await createStore(db, { name: 'Test store', domain: `${randomUUID()}.example`, currency: 'TND' })
  const anonymous = createCaller(server.app, origin, API_PREFIX, {})

  const install = async (permissions: readonly Permission[]) => {
    const app = await createApp(db, 'Test app')
    const { install_id } = await createInstallation(db, app.client_id, store.id, permissions)
    return { ...app, install_id }
  }

  const getToken = async (app: { client_id: string; client_secret: string }, more: object = {}) => {
    const { client_id, client_secret } = app
    const reply = await anonymous.post('/auth/get-token', { client_id, client_secret, ...more })
    if (reply.status !== 200) throw new Error(`No token: ${reply.status} ${reply.text}`)
    return reply.body.data.token as string
  }

  const callers = new Map<string, LazyCaller>()
  const callerWith = async (permissions: readonly Permission[]) => {
    const app = await install(permissions)
    const token = await getToken(app, { install_id: app.install_id })
    return anonymous.with({ authorization: `Bearer ${token}` })
  }

  return {
    ...server,
    db,
    origin,
    store,
    anonymous,
    /** Outside the API: health, metrics, files, documentation. */
    site: createCaller(server.app, origin, '', {}),
    install,
    getToken,
    /**
     * A restricted token with just these permissions, or with all if none are given. Calls wait for the token:
     * `api.as('order:view').get('/order')`.
     */
    as: (...permissions: Permission[]) => {
      const key = permissions.join()
      const caller = callers.get(key) ?? lazyCaller(callerWith(permissions.length > 0 ? permissions : PERMISSIONS))
      callers.set(key, caller)
      return caller
    },
  }
}

export type TestApi = Awaited<ReturnType<typeof startTestApi>>
