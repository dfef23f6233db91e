import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { createPasswords, type PasswordCost } from '../accounts/hash-password.ts'
import { createFirstCode } from '../accounts/one-time-links.ts'
import { removeExpired } from '../accounts/sessions.ts'
import { mergeAnalyticChanges } from '../analytics/merge-changes.ts'
import { buildApp, collectDeclarations, RESOURCES } from '../app.ts'
import { ACCESS_CHANNEL, type AccessCache, type Announcements, createAccessCache } from '../auth/access-cache.ts'
import { createAccessTokens } from '../auth/access-tokens.ts'
import { deriveKey, masterSecret } from '../auth/secrets.ts'
import { startBulkRunner, sweepBulkJobs } from '../bulk/runner.ts'
import type { Config } from '../config/config.ts'
import type { DemoCredentials } from '../demo/credentials-file.ts'
import { OperatorError } from '../errors.ts'
import { deleteOldEvents, numberAllChanges } from '../events/feed.ts'
import { createHub, type Hub, STORE_CHANNEL } from '../events/hub.ts'
import { measureEvents } from '../events/metrics.ts'
import { createFileUrls } from '../files/file-urls.ts'
import { removeUnclaimedBlobs } from '../files/unclaimed-blobs.ts'
import type { Api } from '../http/api.ts'
import { createMetrics, type Metrics } from '../http/metrics.ts'
import { createReadCounter, measureLag } from '../http/replica-metrics.ts'
import { startMaintenance } from '../jobs/maintenance.ts'
import { missingTexts } from '../reading/texts.ts'
import { openBlobs } from '../storage/blobs/blobs.ts'
import { type Database, openDatabase } from '../storage/database.ts'
import type { DatabaseLimits } from '../storage/database-watchdog.ts'
import { detectDistribution, isDistributed } from '../storage/distributed.ts'
import { listen } from '../storage/listener.ts'
import { openReplicas } from '../storage/replicas.ts'
import { deleteOldDeliveries } from '../webhooks/delivery-log.ts'
import { startWebhooks, type WebhookOptions } from '../webhooks/start.ts'
import { openLog } from './log.ts'
import type { Services } from './services.ts'

export interface RunningServer {
  port: number
  readMetrics: () => Promise<string>
  /** Waits for requests in flight, then disconnects from the database. */
  close(): Promise<void>
  /** Drops all requests at once. */
  abandon(): void
}

interface HttpServerOptions {
  /** In a worker process: reads the metrics of all workers. */
  readAllMetrics?: () => Promise<string>
  demo?: DemoCredentials | undefined
  databaseLimits?: DatabaseLimits
  /** Lower than the default, for tests. */
  passwordCost?: PasswordCost | undefined
  /** Replaces the service's resources, for tests. */
  resources?: typeof RESOURCES | undefined
  /** Shorter times than the defaults, for tests. */
  webhookOptions?: WebhookOptions | undefined
}

interface DatabaseSettings {
  pool: number
  prepare: boolean
  name: string
  limits?: DatabaseLimits
}

/** Listens for changes of access and of stores. A pooler in transaction mode delivers no notifications. */
const listenForChanges = (
  { DATABASE_PREPARE }: Config,
  connection: pg.ClientConfig,
  accessCache: AccessCache,
  hub: Hub,
  announcements: Announcements,
) => {
  if (!DATABASE_PREPARE) return undefined
  return listen(connection, [ACCESS_CHANNEL, STORE_CHANNEL], {
    onNotice: (channel, payload) => (channel === STORE_CHANNEL ? hub.heard(payload) : accessCache.clear()),
    onGap: accessCache.clear,
    onHeard: (until) => {
      announcements.heardUntil = until
    },
  })
}

/** The coordinator's log, by which standbys are measured, says nothing about the workers, which have the rows of stores. */
const refuseStandbysOfCoordinator = (config: Config) => {
  if (isDistributed() && config.DATABASE_REPLICA_URL.length > 0)
    throw new OperatorError('DATABASE_REPLICA_URL cannot be used with a distributed database: remove it.')
}

/** The standbys in the settings; undefined if there are none. */
const openStandbys = (config: Config, database: Database, settings: DatabaseSettings, metrics: Metrics) => {
  if (config.DATABASE_REPLICA_URL.length === 0) return undefined
  const standbys = config.DATABASE_REPLICA_URL.map((connectionString) => ({ connectionString }))
  const replicas = openReplicas(database, standbys, {
    ...settings,
    readYourWritesSeconds: config.READ_YOUR_WRITES_SECONDS,
    maxLagSeconds: config.REPLICA_MAX_LAG_SECONDS,
    onRead: createReadCounter(metrics),
  })
  measureLag(metrics, replicas)
  return replicas
}

const startPeriodicJobs = (services: Services) => {
  const { config, db, log } = services
  return startMaintenance(db, log, {
    everyMinute: [() => numberAllChanges(db), () => mergeAnalyticChanges(db)],
    everyTenMinutes: [
      () => removeUnclaimedBlobs(services),
      () => removeExpired(db, config.SESSION_HOURS),
      () => deleteOldEvents(db, config.EVENT_DAYS),
      () => deleteOldDeliveries(db),
      () => sweepBulkJobs(services),
    ],
  })
}

/** Opens the port, and returns its number. */
const openPort = async (app: Api, { config, fileUrls }: Services) => {
  await app.listen({ host: config.HOST, port: config.PORT })
  const { port } = app.server.address() as AddressInfo
  // With port 0 the system picks a free port, known only now.
  fileUrls.base = fileUrls.base.replace(':0/', `:${port}/`)
  return port
}

/** Closes the port and waits for requests in flight, for up to SHUTDOWN_SECONDS. */
const drain = async (app: Api, { SHUTDOWN_SECONDS }: Config) => {
  const late = setTimeout(() => app.server.closeAllConnections(), SHUTDOWN_SECONDS * 1000)
  await app.close()
  clearTimeout(late)
}

/** Everything that routes need, from the database connection on, and how to close it again. */
const openServices = async (config: Config, connection: pg.ClientConfig, options: HttpServerOptions) => {
  const { readAllMetrics, demo, databaseLimits, passwordCost, resources = RESOURCES, webhookOptions } = options
  const log = openLog(config)
  const settings: DatabaseSettings = {
    pool: config.DATABASE_POOL,
    prepare: config.DATABASE_PREPARE,
    name: 'server',
    ...(databaseLimits && { limits: databaseLimits }),
  }
  await detectDistribution(connection)
  refuseStandbysOfCoordinator(config)
  const database = openDatabase(connection, settings)
  const { db } = database
  const master = await masterSecret(db, config)
  const announcements = { heardUntil: Number.NEGATIVE_INFINITY }
  const accessCache = createAccessCache(db, announcements)
  const hub = createHub(db)
  const listener = listenForChanges(config, connection, accessCache, hub, announcements)
  const metrics = createMetrics(database, readAllMetrics, () => missingTexts.count)
  measureEvents(metrics, db, hub)
  const replicas = openStandbys(config, database, settings, metrics)
  const fileUrls = createFileUrls(`${config.baseUrl}/files`, deriveKey(master, 'file links'), config.FILE_URL_SECONDS)
  const shared = { config, db, hub, log, accessCache, fileUrls, metrics, ...collectDeclarations(resources) }
  const { webhooks, startDelivery, closeWebhooks } = startWebhooks(
    { ...shared, key: deriveKey(master, 'webhook secrets') },
    webhookOptions,
  )
  const stopping = new AbortController()
  const services: Services = {
    ...shared,
    stopping: stopping.signal,
    replicas,
    blobs: await openBlobs(config),
    tokens: createAccessTokens(deriveKey(master, 'tokens')),
    passwords: createPasswords(passwordCost),
    firstCode: createFirstCode(master),
    webhooks,
    demo,
  }
  const closeServices = async () => {
    await listener?.close()
    services.blobs.close()
    await replicas?.close()
    await database.close()
  }
  return { services, stopping, startDelivery, closeWebhooks, closeServices }
}

/** One HTTP process: everything from the database connection to the open port. */
export const startHttpServer = async (
  config: Config,
  connection: pg.ClientConfig,
  options: HttpServerOptions = {},
): Promise<RunningServer & { app: Api; services: Services }> => {
  const { services, stopping, startDelivery, closeWebhooks, closeServices } = await openServices(
    config,
    connection,
    options,
  )
  const app = await buildApp(services, options.resources)
  const stopPeriodicJobs = startPeriodicJobs(services)
  const port = await openPort(app, services)
  const stopBulkRunner = startBulkRunner(services)
  startDelivery()

  return {
    app,
    services,
    port,
    readMetrics: services.metrics.read,
    close: async () => {
      stopping.abort()
      stopPeriodicJobs()
      // A connection that a proxy has just opened would be lost with the port.
      await sleep(config.SHUTDOWN_DELAY_SECONDS * 1000)
      const bulkStopped = stopBulkRunner()
      const webhooksClosed = closeWebhooks()
      await drain(app, config)
      await bulkStopped
      await webhooksClosed
      await closeServices()
    },
    abandon: () => app.server.closeAllConnections(),
  }
}
