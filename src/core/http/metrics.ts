import { createServer } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { MetricsAddress } from '../../config/config.ts'
import { ApiError } from '../../errors.ts'
import type { Database } from '../storage/database.ts'
import { isOwnHost } from './own-host.ts'
import { faultInHead } from './request-head.ts'

const CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE

export interface Metrics {
  requests: Histogram<'method' | 'route' | 'status'>
  /** The metrics in Prometheus's text format. */
  read: () => Promise<string>
  /** Adds a gauge, evaluated on each scrape. `aggregator` combines the values of several workers. */
  addGauge: (gauge: GaugeOptions) => void
  /** Adds a counter and returns a function that increments it. */
  addCounter: (counter: CounterOptions) => (labels: Labels) => void
}

type Labels = Record<string, string>
type Values = number | (readonly [Labels, number])[]

interface CounterOptions {
  name: string
  help: string
  labels: string[]
}

interface GaugeOptions {
  name: string
  help: string
  aggregator: 'sum' | 'max'
  labels?: string[]
  /** One value, or one for each set of labels. */
  value: () => Values | Promise<Values>
}

const createRegistry = () => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  // The version would tell an attacker which vulnerabilities to try.
  registry.removeSingleMetric('nodejs_version_info')
  // Gauges named like counters, which Prometheus's linter refuses. The same numbers are in nodejs_active_handles and so on.
  for (const name of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${name}_total`)
  return registry
}

const requestHistogram = (registry: Registry) =>
  new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Requests answered, by route, method and status, with the time they took.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })

const measurePool = (registry: Registry, { pool, waiting }: Pick<Database, 'pool' | 'waiting'>) =>
  new Gauge({
    name: 'database_pool_connections',
    help: 'Database connections, and requests waiting for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'open' }, pool.totalCount)
      this.set({ state: 'idle' }, pool.idleCount)
      this.set({ state: 'waiting' }, waiting())
    },
  })

const measureMissingTexts = (registry: Registry, countMissingTexts: () => number) =>
  new Counter({
    name: 'missing_texts_total',
    help: 'Texts rendered on read because no stored text was found; doctor --all --repair stores them.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(countMissingTexts())
    },
  })

const addGauge = (registry: Registry, { name, help, aggregator, labels = [], value }: GaugeOptions) =>
  new Gauge({
    name,
    help,
    aggregator,
    labelNames: labels,
    registers: [registry],
    async collect() {
      // A gauge that needs the database must not fail the whole scrape.
      const values = await Promise.resolve(value()).catch(() => (labels.length > 0 ? [] : Number.NaN))
      if (typeof values === 'number') return this.set(values)
      this.reset()
      for (const [labels, one] of values) this.set(labels, one)
    },
  })

const addCounter = (registry: Registry, { name, help, labels }: CounterOptions) => {
  const counter = new Counter({ name, help, labelNames: labels, registers: [registry] })
  return (values: Labels) => counter.inc(values)
}

/** In a worker process, `readAll` reads the metrics of all workers, aggregated. */
export const createMetrics = (
  database: Pick<Database, 'pool' | 'waiting'>,
  readAll?: () => Promise<string>,
  countMissingTexts = () => 0,
): Metrics => {
  const registry = createRegistry()
  measurePool(registry, database)
  measureMissingTexts(registry, countMissingTexts)
  if (readAll) {
    // Creating one lets this worker respond when the primary process aggregates.
    new AggregatorRegistry()
    AggregatorRegistry.setRegistries([registry])
  }
  return {
    requests: requestHistogram(registry),
    addGauge: (gauge) => addGauge(registry, gauge),
    addCounter: (counter) => addCounter(registry, counter),
    read: readAll ?? (() => registry.metrics()),
  }
}

export const countRequests = (app: FastifyInstance, { requests }: Metrics) => {
  app.addHook('onResponse', ({ method, route }, reply, done) => {
    requests.observe({ method, route: route.url ?? 'unknown', status: reply.statusCode }, reply.elapsedTime / 1000)
    done()
  })
}

export const metricsRoute = (app: FastifyInstance, { read }: Metrics, baseUrl: string) => {
  const names = [new URL(baseUrl).hostname]
  app.get('/metrics', { config: { access: 'open', quiet: true } }, async ({ headers }, reply) => {
    if (!isOwnHost(headers.host, names)) throw new ApiError('forbidden', FOREIGN_HOST)
    return reply.type(CONTENT_TYPE).send(await read())
  })
}

const FOREIGN_HOST = 'Metrics are served under an IP address, a local name or the name in BASE_URL.'

const DEFAULT_ADDRESS = { host: '127.0.0.1', port: 9464 }

/** Serves the metrics on a separate address, which a proxy in front of the public port does not forward to. */
const serveMetrics = async (address: { host: string; port: number }, read: () => Promise<string>, baseUrl: string) => {
  const names = [new URL(baseUrl).hostname, address.host.toLowerCase()]
  const server = createServer(async (request, response) => {
    if (faultInHead(request)) return void response.writeHead(400, { Connection: 'close' }).end()
    if (!isOwnHost(request.headers.host, names)) return void response.writeHead(403).end(`${FOREIGN_HOST}\n`)
    if (request.url !== '/metrics') return void response.writeHead(404).end()
    try {
      response.writeHead(200, { 'Content-Type': CONTENT_TYPE }).end(await read())
    } catch {
      response.writeHead(503).end()
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(address.port, address.host, resolve)
  })
  return () => new Promise<void>((resolve) => server.close(() => resolve()).closeAllConnections())
}

/** Listens on the address in METRICS and returns a function that stops it. With `auto`, a port in use is not an error. */
export const openMetrics = async (
  address: MetricsAddress,
  read: () => Promise<string>,
  print: (line: string) => void,
  baseUrl: string,
) => {
  if (address === 'on' || address === 'off') return async () => {}
  if (address !== 'auto') return serveMetrics(address, read, baseUrl)
  return serveMetrics(DEFAULT_ADDRESS, read, baseUrl).catch((error: NodeJS.ErrnoException) => {
    print(
      `No metrics: 127.0.0.1:${DEFAULT_ADDRESS.port} is ${error.code === 'EADDRINUSE' ? 'already in use' : `not available (${error.code})`}. ` +
        'Set METRICS=host:port to serve them elsewhere, or METRICS=off.',
    )
    return async () => {}
  })
}
