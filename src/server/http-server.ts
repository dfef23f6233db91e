import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { buildApp, collectDeclarations, RESOURCES } from '../app.ts'
import type { Config } from '../config/config.ts'
import type { Api } from '../core/http/api.ts'
import { createMetrics, type Metrics } from '../core/http/metrics.ts'
import { createReadCounter, measureLag } from '../core/http/replica-metrics.ts'
import { startMaintenance } from '../core/jobs/maintenance.ts'
import { missingTexts } from '../core/reading/texts.ts'
import { openBlobs } from '../core/storage/blobs/open-blobs.ts'
import { type Database, openDatabase } from '../core/storage/database.ts'
import { databaseCaller } from '../core/storage/database-caller.ts'
import type { DatabaseLimits } from '../core/storage/database-watchdog.ts'
import { watchDiskSpace } from '../core/storage/disk-space.ts'
import { detectDistribution, refuseIfDistributed } from '../core/storage/distributed.ts'
import { listen } from '../core/storage/listener.ts'
import { rehearsalConnections } from '../core/storage/rehearsal.ts'
import { openReplicas } from '../core/storage/replicas.ts'
import type { DemoCredentials } from '../demo/credentials-file.ts'
import { registerExampleApps } from '../demo/example-apps.ts'
import { createPasswords, type PasswordCost } from '../resources/accounts/hash-password.ts'
import { createFirstCode } from '../resources/accounts/one-time-links.ts'
import { removeExpired } from '../resources/accounts/sessions.ts'
import { mergeAnalyticChanges } from '../resources/analytics/merge-changes.ts'
import { createLifecycle, deleteOldAppRows, type Lifecycle } from '../resources/apps/lifecycle.ts'
import { refreshOldManifests } from '../resources/apps/refresh-app.ts'
import { createSessionTokens } from '../resources/apps/session-tokens.ts'
import { deleteOldPlans } from '../resources/assistants/stored-plans.ts'
import {
  ACCESS_CHANNEL,
  type AccessCache,
  type Announcements,
  createAccessCache,
} from '../resources/auth/access-cache.ts'
import { createAccessTokens } from '../resources/auth/access-tokens.ts'
import { deriveKey, masterSecret } from '../resources/auth/secrets.ts'
import { startBulkRunner, sweepBulkJobs } from '../resources/bulk/runner.ts'
import { dropOldCalls } from '../resources/calls/partitions.ts'
import { createCallRecorder } from '../resources/calls/record-calls.ts'
import { deleteOldEvents, numberAllChanges } from '../resources/events/feed.ts'
import { createHub, type Hub, STORE_CHANNEL } from '../resources/events/hub.ts'
import { measureEvents } from '../resources/events/metrics.ts'
import { createFileUrls } from '../resources/files/file-urls.ts'
import { removeUnclaimedBlobs } from '../resources/files/unclaimed-blobs.ts'
import { followCountries } from '../resources/orders/follow-country.ts'
import { renewSubscriptions } from '../resources/plans/renew-subscriptions.ts'
import { createTotpSecret } from '../resources/second-factor/totp.ts'
import { renewSharedPhones } from '../resources/shared-phones/renew.ts'
import { createSharedPhones } from '../resources/shared-phones/shared-phones.ts'
import { deleteOldDeliveries } from '../resources/webhooks/delivery-log.ts'
import { RETRY_RULES } from '../resources/webhooks/retries.ts'
import { startWebhooks, type WebhookOptions } from '../resources/webhooks/start.ts'
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
  onAccessChange: () => void,
) => {
  if (!DATABASE_PREPARE) return undefined
  return listen(connection, [ACCESS_CHANNEL, STORE_CHANNEL], {
    onNotice: (channel, payload) => {
      if (channel === STORE_CHANNEL) return hub.heard(payload)
      accessCache.clear(payload)
      onAccessChange()
    },
    onGap: () => accessCache.clear(),
    onHeard: (until) => {
      announcements.heardUntil = until
    },
  })
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
    everyMinute: [
      async () => services.lifecycle.wake(),
      () => numberAllChanges(db),
      () => mergeAnalyticChanges(db),
      () => renewSubscriptions(db, config),
      () => followCountries(db),
    ],
    everyTenMinutes: [
      () => removeUnclaimedBlobs(services),
      () => removeExpired(db, config.SESSION_HOURS),
      () => deleteOldEvents(db, config.EVENT_DAYS),
      () => deleteOldDeliveries(db),
      () => sweepBulkJobs(services),
      () => deleteOldAppRows(db),
      () => deleteOldPlans(db),
      () => renewSharedPhones(db, services.sharedPhones),
      async () =>
        dropOldCalls(db, {
          days: config.CALL_LOG_DAYS,
          isShort: (await services.diskSpace?.hasRoom()) === false,
        }),
      () => refreshOldManifests(db, services.webhooks.egress, log),
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

/** In the background: nobody waits for an example. */
const offerExampleApps = ({ db, config, log }: Services, master: string, port: number) => {
  const origin = config.origin.replace(/:0(?=\/|$)/, `:${port}`)
  databaseCaller
    .exit(() => registerExampleApps(db, master, origin))
    .catch((error) => log.info({ err: error }, 'the example apps are not registered'))
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
  // The coordinator's log, by which standbys are measured, says nothing about the workers, which have the rows of stores.
  if (config.DATABASE_REPLICA_URL.length > 0) refuseIfDistributed('DATABASE_REPLICA_URL')
  // Those who ask about a number would have to ask every machine.
  if (config.SHARED_PHONE_COUNTS) refuseIfDistributed('SHARED_PHONE_COUNTS')
  const database = openDatabase(connection, settings)
  const { db } = database
  const master = await masterSecret(db, config)
  const announcements = { heardUntil: Number.NEGATIVE_INFINITY }
  const accessCache = createAccessCache(db, announcements)
  const hub = createHub(db)
  let lifecycle: Lifecycle | undefined
  const listener = listenForChanges(config, connection, accessCache, hub, announcements, () => lifecycle?.wake())
  const metrics = createMetrics(database, readAllMetrics, () => missingTexts.count)
  measureEvents(metrics, db, hub)
  const replicas = openStandbys(config, database, settings, metrics)
  const fileUrls = createFileUrls(`${config.baseUrl}/files`, deriveKey(master, 'file links'), config.FILE_URL_SECONDS)
  const shared = { config, db, hub, log, accessCache, fileUrls, metrics, ...collectDeclarations(resources) }
  const { webhooks, startDelivery, closeWebhooks } = startWebhooks(
    { ...shared, key: deriveKey(master, 'webhook secrets') },
    webhookOptions,
  )
  lifecycle = createLifecycle({
    db,
    log,
    egress: webhooks.egress,
    secrets: webhooks.secrets,
    retries: webhookOptions?.retries ?? RETRY_RULES,
    isOn: webhooks.isOn,
  })
  const stopping = new AbortController()
  const services: Services = {
    ...shared,
    stopping: stopping.signal,
    replicas,
    blobs: await openBlobs(config),
    diskSpace: config.DATABASE_URL ? undefined : watchDiskSpace(config.DATA_DIR),
    tokens: createAccessTokens(deriveKey(master, 'tokens')),
    sessionTokens: createSessionTokens(master),
    assistants: {
      key: deriveKey(master, 'plans of assistants'),
      connect: rehearsalConnections(database.connect, config.DATABASE_POOL),
    },
    lifecycle,
    passwords: createPasswords(passwordCost),
    firstCode: createFirstCode(master),
    totpSecret: createTotpSecret(master),
    sharedPhones: createSharedPhones(deriveKey(master, 'shared phone numbers'), config.SHARED_PHONE_COUNTS),
    webhooks,
    calls: createCallRecorder(db, log, { days: config.CALL_LOG_DAYS }),
    demo,
    exampleApps: demo && { master },
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
  if (services.exampleApps) offerExampleApps(services, services.exampleApps.master, port)
  services.calls.start()

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
      const webhooksClosed = services.lifecycle.stop().then(closeWebhooks)
      await drain(app, config)
      await bulkStopped
      await webhooksClosed
      await services.calls.stop()
      await closeServices()
    },
    abandon: () => app.server.closeAllConnections(),
  }
}

/** The whole API without a port, for a command: its requests are injected. Delivers nothing and runs no jobs. */
export const openWithoutPort = async (config: Config, connection: pg.ClientConfig) => {
  const { services, stopping, closeWebhooks, closeServices } = await openServices(config, connection, {})
  const app = await buildApp(services)
  services.calls.start()
  return {
    app,
    services,
    close: async () => {
      stopping.abort()
      await services.lifecycle.stop()
      await closeWebhooks()
      await app.close()
      await services.calls.stop()
      await closeServices()
    },
  }
}
