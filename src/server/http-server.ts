import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { createPasswords, type PasswordCost } from '../accounts/hash-password.ts'
import { createFirstCode } from '../accounts/one-time-links.ts'
import { removeExpired } from '../accounts/sessions.ts'
import { mergeAnalyticChanges } from '../analytics/merge-changes.ts'
import { buildApp, collectDeclarations, RESOURCES } from '../app.ts'
import { ACCESS_CHANNEL, createAccessCache } from '../auth/access-cache.ts'
import { createAccessTokens } from '../auth/access-tokens.ts'
import { deriveKey, masterSecret } from '../auth/secrets.ts'
import { startBulkRunner, sweepBulkJobs } from '../bulk/runner.ts'
import type { Config } from '../config/config.ts'
import type { DemoCredentials } from '../demo/load.ts'
import { deleteOldEvents, numberAllChanges } from '../events/feed.ts'
import { createHub, STORE_CHANNEL } from '../events/hub.ts'
import { measureEvents } from '../events/metrics.ts'
import { createFileUrls } from '../files/file-urls.ts'
import { removeUnclaimedBlobs } from '../files/unclaimed-blobs.ts'
import type { Api } from '../http/api.ts'
import { createMetrics } from '../http/metrics.ts'
import { createReadCounter, measureLag } from '../http/replica-metrics.ts'
import { startMaintenance } from '../jobs/maintenance.ts'
import { missingTexts } from '../reading/texts.ts'
import { openBlobs } from '../storage/blobs/blobs.ts'
import { openDatabase } from '../storage/database.ts'
import type { DatabaseLimits } from '../storage/database-watchdog.ts'
import { detectDistribution } from '../storage/distributed.ts'
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

/** One HTTP process: everything from the database connection to the open port. */
export const startHttpServer = async (
  config: Config,
  connection: pg.ClientConfig,
  { readAllMetrics, demo, databaseLimits, passwordCost, resources = RESOURCES, webhookOptions }: HttpServerOptions = {},
): Promise<RunningServer & { app: Api; services: Services }> => {
  const log = openLog(config)
  const databaseOptions = {
    pool: config.DATABASE_POOL,
    prepare: config.DATABASE_PREPARE,
    name: 'server',
    ...(databaseLimits && { limits: databaseLimits }),
  }
  await detectDistribution(connection)
  const database = openDatabase(connection, databaseOptions)
  const { db } = database
  const master = await masterSecret(db, config)
  const announcements = { heardUntil: Number.NEGATIVE_INFINITY }
  const accessCache = createAccessCache(db, announcements)
  // A pooler in transaction mode accepts LISTEN but delivers no notifications, so caching must not rely on them.
  const hub = createHub(db)
  const listener = config.DATABASE_PREPARE
    ? listen(connection, [ACCESS_CHANNEL, STORE_CHANNEL], {
        onNotice: (channel, payload) => (channel === STORE_CHANNEL ? hub.heard(payload) : accessCache.clear()),
        onGap: accessCache.clear,
        onHeard: (until) => {
          announcements.heardUntil = until
        },
      })
    : undefined
  const metrics = createMetrics(database, readAllMetrics, () => missingTexts.count)
  measureEvents(metrics, db, hub)
  const standbys = config.DATABASE_REPLICA_URL.map((connectionString) => ({ connectionString }))
  const replicas =
    standbys.length > 0
      ? openReplicas(database, standbys, {
          ...databaseOptions,
          readYourWritesSeconds: config.READ_YOUR_WRITES_SECONDS,
          maxLagSeconds: config.REPLICA_MAX_LAG_SECONDS,
          onRead: createReadCounter(metrics),
        })
      : undefined
  if (replicas) measureLag(metrics, replicas)
  const tokens = createAccessTokens(deriveKey(master, 'tokens'))
  const fileUrls = createFileUrls(`${config.baseUrl}/files`, deriveKey(master, 'file links'), config.FILE_URL_SECONDS)
  const webhookKey = deriveKey(master, 'webhook secrets')
  const declarations = collectDeclarations(resources)
  const { webhooks, startDelivery, closeWebhooks } = startWebhooks(
    { config, db, hub, log, accessCache, fileUrls, metrics, ...declarations, key: webhookKey },
    webhookOptions,
  )
  const passwords = createPasswords(passwordCost)
  const firstCode = createFirstCode(master)
  const blobs = await openBlobs(config)
  const stopping = new AbortController()
  const services: Services = {
    config,
    stopping: stopping.signal,
    db,
    replicas,
    blobs,
    fileUrls,
    accessCache,
    tokens,
    passwords,
    firstCode,
    metrics,
    hub,
    webhooks,
    ...declarations,
    log,
    demo,
  }
  const app = await buildApp(services, resources)
  const stopMaintenance = startMaintenance(db, log, {
    everyMinute: [() => numberAllChanges(db), () => mergeAnalyticChanges(db)],
    everyTenMinutes: [
      () => removeUnclaimedBlobs(services),
      () => removeExpired(db, config.SESSION_HOURS),
      () => deleteOldEvents(db, config.EVENT_DAYS),
      () => deleteOldDeliveries(db),
      () => sweepBulkJobs(services),
    ],
  })
  await app.listen({ host: config.HOST, port: config.PORT })
  const stopBulkRunner = startBulkRunner(services)
  startDelivery()
  const { port } = app.server.address() as AddressInfo
  // With port 0 the system picks a free port, known only now.
  fileUrls.base = fileUrls.base.replace(':0/', `:${port}/`)

  const drain = async () => {
    const late = setTimeout(() => app.server.closeAllConnections(), config.SHUTDOWN_SECONDS * 1000)
    await app.close()
    clearTimeout(late)
  }
  return {
    app,
    services,
    port,
    readMetrics: metrics.read,
    close: async () => {
      stopping.abort()
      stopMaintenance()
      // A connection that a proxy has just opened would be lost with the port.
      await sleep(config.SHUTDOWN_DELAY_SECONDS * 1000)
      const bulkStopped = stopBulkRunner()
      const webhooksClosed = closeWebhooks()
      await drain()
      await bulkStopped
      await webhooksClosed
      await listener?.close()
      blobs.close()
      await replicas?.close()
      await database.close()
    },
    abandon: () => app.server.closeAllConnections(),
  }
}
