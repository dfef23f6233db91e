import Fastify, { type FastifyServerOptions, LogController } from 'fastify'
import { API_PREFIX } from './config/config.ts'
import { consoleRoutes } from './console/routes.ts'
import { refuseForeignWrites } from './console/same-origin.ts'
import { guardRoutes } from './core/http/access.ts'
import type { Api } from './core/http/api.ts'
import { compressBodies } from './core/http/compression.ts'
import { allowOrigins } from './core/http/cors.ts'
import { guardDiskSpace } from './core/http/disk-space-guard.ts'
import { acceptDryRuns } from './core/http/dry-run.ts'
import { closeAfterEarlyReplies } from './core/http/early-replies.ts'
import {
  handleErrors,
  refuseUnknownRoutes,
  rejectMalformedRequest,
  rejectUnroutable,
} from './core/http/error-replies.ts'
import { acceptFields } from './core/http/field-selection.ts'
import { closeConnectionsWhenStopping } from './core/http/graceful-shutdown.ts'
import { healthRoutes } from './core/http/health.ts'
import { MAX_JSON_BYTES, parseJsonBodies } from './core/http/json-bodies.ts'
import { acceptJsonLines } from './core/http/json-lines.ts'
import { countRequests, metricsRoute } from './core/http/metrics.ts'
import { acceptMultipart } from './core/http/multipart.ts'
import { limitRate } from './core/http/rate-limits.ts'
import { refuseFaultyHeads } from './core/http/request-head.ts'
import { logRequests, requestId } from './core/http/request-log.ts'
import { traceRequests } from './core/http/request-traces.ts'
import { type Resource, registerResource } from './core/http/resource.ts'
import { collectRoutes } from './core/http/route-table.ts'
import { addSecurityHeaders } from './core/http/security-headers.ts'
import { setDatabaseCaller } from './core/http/set-database-caller.ts'
import { limitUnreadReplies } from './core/http/unread-replies.ts'
import { validateRequests } from './core/input/validation.ts'
import { readTexts } from './core/reading/request-texts.ts'
import type { Kinds } from './core/reading/texts.ts'
import { databaseCaller } from './core/storage/database-caller.ts'
import { serveExampleApps } from './demo/example-apps.ts'
import { publishedDocument } from './docs/build-document.ts'
import { homeRoute } from './docs/index-routes.ts'
import { service } from './docs/resource.ts'
import { docsRoutes } from './docs/routes.ts'
import { createSessionCheck } from './resources/accounts/sessions.ts'
import { analytics } from './resources/analytics/resource.ts'
import { apps } from './resources/apps/resource.ts'
import { assistantRoutes } from './resources/assistants/routes.ts'
import { auth } from './resources/auth/resource.ts'
import { addBulkResources, collectBulkResources } from './resources/bulk/bulk-resources.ts'
import { bulk } from './resources/bulk/resource.ts'
import { bundles } from './resources/bundles/resource.ts'
import { carriers } from './resources/carriers/resource.ts'
import { categories } from './resources/categories/resource.ts'
import { countries } from './resources/countries/resource.ts'
import { customerDeletion } from './resources/customer-deletion/resource.ts'
import { customers } from './resources/customers/resource.ts'
import { domains } from './resources/domains/resource.ts'
import { startFeed } from './resources/events/feed.ts'
import { announceWrites } from './resources/events/hub.ts'
import { addEventKinds, createEventKinds } from './resources/events/kinds.ts'
import { events } from './resources/events/resource.ts'
import { addressFiles, type FileUrls, fileUrlsOf, urlsKey } from './resources/files/file-urls.ts'
import { files } from './resources/files/resource.ts'
import { invoices } from './resources/invoices/resource.ts'
import { landingPages } from './resources/landing-pages/resource.ts'
import { metadataRoutes } from './resources/oauth/metadata-routes.ts'
import { tokenRoutes } from './resources/oauth/token-routes.ts'
import { orders } from './resources/orders/resource.ts'
import { parcels } from './resources/parcels/resource.ts'
import { paymentMethods } from './resources/payment-methods/resource.ts'
import { permissions } from './resources/permissions/resource.ts'
import { plans } from './resources/plans/resource.ts'
import { policies } from './resources/policies/resource.ts'
import { products } from './resources/products/resource.ts'
import { reviews } from './resources/reviews/resource.ts'
import { settings } from './resources/settings/resource.ts'
import { stock } from './resources/stock/resource.ts'
import { showPausedWebhooks } from './resources/webhooks/paused.ts'
import { webhooks } from './resources/webhooks/resource.ts'
import { frameworkLog } from './server/log.ts'
import type { Services } from './server/services.ts'

/** All resources, in the order of the OpenAPI document. */
export const RESOURCES: readonly Resource<Services>[] = [
  auth,
  apps,
  permissions,
  products,
  stock,
  categories,
  bundles,
  orders,
  parcels,
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
  plans,
  invoices,
  service,
]

/** What the resources declare: kinds of text by the name that holes use, kinds of events, and what bulk jobs import. */
export const collectDeclarations = (resources: typeof RESOURCES) => ({
  kinds: Object.assign({}, ...resources.map(({ kinds }) => kinds)) as Kinds<FileUrls>,
  eventKinds: createEventKinds(resources),
  bulkResources: collectBulkResources(resources),
})

export const { kinds, eventKinds, bulkResources } = collectDeclarations(RESOURCES)

/**
 * Requests are validated by `validateRequests`. Replies are rendered text or small objects, and their schemas are used by
 * the OpenAPI document and the tests only. Given here, because Fastify would load its own compilers before it is told.
 */
const NO_COMPILERS = {
  compilersFactory: {
    buildValidator: () => () => () => true,
    buildSerializer: () => () => JSON.stringify,
  },
} as unknown as NonNullable<FastifyServerOptions['schemaController']>

const createFastify = ({ log, calls }: Services): Api =>
  Fastify({
    loggerInstance: frameworkLog(log),
    logController: new LogController({ disableRequestLogging: true }),
    // No child logger per request: it costs more than the log line, which has the request id anyway.
    childLoggerFactory: (logger) => logger,
    genReqId: requestId,
    bodyLimit: MAX_JSON_BYTES,
    schemaController: NO_COMPILERS,
    // Limits how long a slow client can occupy a socket.
    http: { headersTimeout: 15_000, keepAliveTimeout: 72_000, connectionsCheckingInterval: 5_000 },
    requestTimeout: 300_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => rejectUnroutable(log, calls.reject, error, request, reply),
    clientErrorHandler: (error, socket) => rejectMalformedRequest(log, calls.reject, error, socket),
    // A client id may be an address.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 800 },
  }) as unknown as Api

/** What every request passes through, in this order. */
const addPlumbing = async (app: Api, services: Services) => {
  const { config, db, accessCache, tokens, metrics, log } = services
  collectRoutes(app)
  handleErrors(app)
  refuseFaultyHeads(app)
  if (services.exampleApps) serveExampleApps(app, config, services.exampleApps.master)
  closeConnectionsWhenStopping(app)
  logRequests(app, log)
  countRequests(app, metrics)
  traceRequests(app)
  services.calls.hook(app)
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
    viewerOf: fileUrlsOf,
    keyOf: urlsKey,
    // Every change of what a snapshot contains becomes an event.
    inFeed: new Set(services.eventKinds.inSnapshots),
    // The service's own statements: a request may read from a standby, or be gone.
    numberChanges: (store) => databaseCaller.exit(() => startFeed(db, store)),
  })
  if (services.diskSpace) guardDiskSpace(app, services.diskSpace)
  parseJsonBodies(app)
  acceptMultipart(app)
  acceptJsonLines(app)
  setDatabaseCaller(app, services.replicas)
  acceptDryRuns(app)
  acceptFields(app)
  validateRequests(app)
  limitUnreadReplies(app)
  await compressBodies(app)
}

/** Health, metrics, documentation, OAuth, assistants and the console. */
const addServiceRoutes = async (app: Api, services: Services) => {
  const { config, db, metrics } = services
  healthRoutes(app, db, services.stopping)
  if (config.METRICS === 'on') metricsRoute(app, metrics, config.baseUrl)
  homeRoute(app)
  docsRoutes(app, services)
  metadataRoutes(app, services)
  await tokenRoutes(app, services)
  assistantRoutes(app, services, () => publishedDocument(app, config))
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
