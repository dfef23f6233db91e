import Fastify, { LogController } from 'fastify'
import { createSessionCheck } from './accounts/sessions.ts'
import { analytics } from './analytics/resource.ts'
import { auth } from './auth/resource.ts'
import { addBulkResources, collectBulkResources } from './bulk/bulk-resources.ts'
import { bulk } from './bulk/resource.ts'
import { bundles } from './bundles/resource.ts'
import { carriers } from './carriers/resource.ts'
import { categories } from './categories/resource.ts'
import { API_PREFIX } from './config/config.ts'
import { consoleRoutes } from './console/routes.ts'
import { refuseForeignWrites } from './console/same-origin.ts'
import { countries } from './countries/resource.ts'
import { customerDeletion } from './customer-deletion/resource.ts'
import { customers } from './customers/resource.ts'
import { homeRoute } from './docs/index-routes.ts'
import { service } from './docs/resource.ts'
import { docsRoutes } from './docs/routes.ts'
import { domains } from './domains/resource.ts'
import { startFeed } from './events/feed.ts'
import { announceWrites } from './events/hub.ts'
import { addEventKinds, createEventKinds } from './events/kinds.ts'
import { events } from './events/resource.ts'
import { addressFiles } from './files/caller-file-urls.ts'
import { type FileUrls, urlsKey } from './files/file-urls.ts'
import { files } from './files/resource.ts'
import { guardRoutes } from './http/access.ts'
import type { Api } from './http/api.ts'
import { compressBodies } from './http/compression.ts'
import { allowOrigins } from './http/cors.ts'
import { guardDiskSpace } from './http/disk-space-guard.ts'
import { acceptDryRuns } from './http/dry-run.ts'
import { closeAfterEarlyReplies } from './http/early-replies.ts'
import { handleErrors, refuseUnknownRoutes, rejectMalformedRequest, sendError } from './http/error-replies.ts'
import { closeConnectionsWhenStopping } from './http/graceful-shutdown.ts'
import { healthRoutes } from './http/health.ts'
import { MAX_JSON_BYTES, parseJsonBodies } from './http/json-bodies.ts'
import { acceptJsonLines } from './http/json-lines.ts'
import { countRequests, metricsRoute } from './http/metrics.ts'
import { acceptMultipart } from './http/multipart.ts'
import { limitRate } from './http/rate-limits.ts'
import { logRequests, requestId } from './http/request-log.ts'
import { type Resource, registerResource } from './http/resource.ts'
import { collectRoutes } from './http/route-table.ts'
import { addSecurityHeaders } from './http/security-headers.ts'
import { setDatabaseCaller } from './http/set-database-caller.ts'
import { limitUnreadReplies } from './http/unread-replies.ts'
import { validateRequests } from './input/validation.ts'
import { landingPages } from './landing-pages/resource.ts'
import { orders } from './orders/resource.ts'
import { paymentMethods } from './payment-methods/resource.ts'
import { permissions } from './permissions/resource.ts'
import { policies } from './policies/resource.ts'
import { products } from './products/resource.ts'
import { readTexts } from './reading/request-texts.ts'
import type { Kinds } from './reading/texts.ts'
import { reviews } from './reviews/resource.ts'
import { frameworkLog } from './server/log.ts'
import type { Services } from './server/services.ts'
import { settings } from './settings/resource.ts'
import { stock } from './stock/resource.ts'
import { databaseCaller } from './storage/database-caller.ts'
import { showPausedWebhooks } from './webhooks/paused.ts'
import { webhooks } from './webhooks/resource.ts'

/** All resources, in the order of the OpenAPI document. */
export const RESOURCES: readonly Resource<Services>[] = [
  auth,
  permissions,
  products,
  stock,
  categories,
  bundles,
  orders,
  customers,
  customerDeletion,
  reviews,
  landingPages,
  files,
  events,
  webhooks,
  carriers,
  bulk,
  paymentMethods,
  domains,
  policies,
  settings,
  countries,
  analytics,
  service,
]

/** What the resources declare: kinds of text by the name that holes use, kinds of events, and what bulk jobs import. */
export const collectDeclarations = (resources: typeof RESOURCES) => ({
  kinds: Object.assign({}, ...resources.map(({ kinds }) => kinds)) as Kinds<FileUrls>,
  eventKinds: createEventKinds(resources),
  bulkResources: collectBulkResources(resources),
})

export const { kinds, eventKinds, bulkResources } = collectDeclarations(RESOURCES)

const createFastify = ({ log }: Services): Api =>
  Fastify({
    loggerInstance: frameworkLog(log),
    logController: new LogController({ disableRequestLogging: true }),
    // No child logger per request: it costs more than the log line, which has the request id anyway.
    childLoggerFactory: (logger) => logger,
    genReqId: requestId,
    bodyLimit: MAX_JSON_BYTES,
    // Limits how long a slow client can occupy a socket.
    http: { headersTimeout: 15_000, keepAliveTimeout: 72_000, connectionsCheckingInterval: 5_000 },
    requestTimeout: 300_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: sendError,
    clientErrorHandler: rejectMalformedRequest,
    routerOptions: { ignoreTrailingSlash: true },
  }) as unknown as Api

/** What every request passes through, in this order. */
const addPlumbing = async (app: Api, services: Services) => {
  const { config, db, accessCache, tokens, metrics, log } = services
  collectRoutes(app)
  handleErrors(app)
  closeConnectionsWhenStopping(app)
  logRequests(app, log)
  countRequests(app, metrics)
  addEventKinds(app, services.eventKinds)
  addBulkResources(app, services.bulkResources)
  announceWrites(app, services.hub)
  showPausedWebhooks(app, services.webhooks.paused)
  addSecurityHeaders(app)
  await allowOrigins(app, config.CORS_ORIGIN)
  closeAfterEarlyReplies(app)
  limitRate(app, db, config.RATE_LIMIT_PER_MINUTE)
  refuseForeignWrites(app, config)
  guardRoutes(app, accessCache, tokens, createSessionCheck(db, config))
  refuseUnknownRoutes(app)
  addressFiles(app, services.fileUrls)
  readTexts(app, services.kinds, {
    viewerOf: ({ fileUrls }) => fileUrls,
    keyOf: urlsKey,
    isInFeed: services.eventKinds.isCaptured,
    // The service's own statements: a request may read from a standby, or be gone.
    numberChanges: (store) => databaseCaller.exit(() => startFeed(db, store)),
  })
  if (!config.DATABASE_URL) guardDiskSpace(app, config.DATA_DIR)
  parseJsonBodies(app)
  acceptMultipart(app)
  acceptJsonLines(app)
  setDatabaseCaller(app, services.replicas)
  acceptDryRuns(app)
  validateRequests(app)
  // Replies are rendered text or small objects. Their schemas are used by the OpenAPI document and the tests only.
  app.setSerializerCompiler(() => JSON.stringify)
  limitUnreadReplies(app)
  await compressBodies(app)
}

/** Health, metrics, documentation and the console. */
const addServiceRoutes = async (app: Api, services: Services) => {
  const { config, db, metrics } = services
  healthRoutes(app, db, services.stopping)
  if (config.METRICS === 'on') metricsRoute(app, metrics)
  homeRoute(app)
  docsRoutes(app, services)
  if (config.CONSOLE === 'on') await consoleRoutes(app, services)
}

export const buildApp = async (services: Services, resources = RESOURCES): Promise<Api> => {
  const app = createFastify(services)
  await addPlumbing(app, services)
  await addServiceRoutes(app, services)
  await app.register(
    async (app) => {
      for (const resource of resources) registerResource(app, resource, services)
    },
    { prefix: API_PREFIX },
  )
  return app
}
