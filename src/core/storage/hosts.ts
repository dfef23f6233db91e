import pg from 'pg'
import { addressesOf } from '../../config/postgres-address.ts'
import { DatabaseUnavailableError } from './database-watchdog.ts'

const PROBE_MS = 2_000

/** PostgreSQL reports these when a connection starts. A pooler may not. */
const READ_ONLY_SIGNS = new Set(['in_hot_standby', 'default_transaction_read_only'])

interface ParameterStatus {
  parameterName: string
  parameterValue: string
}

/** Missing from pg's type declarations. */
type Address = Record<'host', string> & Record<'port', number>

/** The hosts of one database. Only one at a time accepts writes. */
interface Cluster {
  addresses: string[]
  writable: Address | undefined
  finding: Promise<Address> | undefined
  clients: Set<ClusterClient>
}

const clusters = new Map<string, Cluster>()

const clusterOf = (config: string | pg.ClientConfig | undefined): Cluster | undefined => {
  const url = typeof config === 'string' ? config : config?.connectionString
  if (!url?.includes(',')) return undefined
  const addresses = addressesOf(url)
  if (addresses.length < 2) return undefined
  const known = clusters.get(url)
  if (known) return known
  const cluster = { addresses, writable: undefined, finding: undefined, clients: new Set<ClusterClient>() }
  clusters.set(url, cluster)
  return cluster
}

const watchReadOnly = (client: pg.Client) => {
  const signs = new Set<string>()
  client.connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
    if (!READ_ONLY_SIGNS.has(parameterName)) return
    if (parameterValue === 'on') signs.add(parameterName)
    else signs.delete(parameterName)
  })
  return () => signs.size > 0
}

const readOnlyError = ({ host, port }: Address) =>
  new DatabaseUnavailableError(`PostgreSQL at ${host}:${port} is read-only.`)

const probe = async (connectionString: string): Promise<Address> => {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: PROBE_MS })
  client.on('error', () => {})
  const isReadOnly = watchReadOnly(client)
  try {
    await client.connect()
    const { host, port } = client as Address
    if (isReadOnly()) throw readOnlyError({ host, port })
    return { host, port }
  } finally {
    client.end().catch(() => {})
  }
}

/** Probes all hosts in parallel, so that one that hangs delays nothing. */
const findWritable = async (cluster: Cluster): Promise<Address> => {
  try {
    const found = await Promise.any(cluster.addresses.map(probe))
    cluster.writable = found
    // Statements on other hosts, which may hang, would wait in vain.
    for (const client of cluster.clients)
      if (client.host !== found.host || client.port !== found.port)
        client.connection.stream.destroy(new DatabaseUnavailableError('Another PostgreSQL accepts writes now.'))
    return found
  } catch (error) {
    const { errors } = error as AggregateError
    // A wrong password or database name is not an outage: report it as such.
    const final = errors.find(({ code }) => /^(28|3D)/.test(code ?? ''))
    const reasons = errors.map(({ message, code }) => message || code).join('; ')
    throw final ?? new DatabaseUnavailableError(`No host accepts writes: ${reasons}`)
  }
}

/**
 * Extends pg's client, which supports one host only, to a list of hosts. Connects to the one that accepts writes, like
 * libpq with target_session_attrs=read-write, and searches again when that host is lost.
 */
export class ClusterClient extends pg.Client {
  readonly #cluster: Cluster | undefined
  readonly #isReadOnly: () => boolean
  /** Whether to refuse a read-only connection. */
  mustWrite: boolean

  constructor(config?: string | pg.ClientConfig) {
    const cluster = clusterOf(config)
    const rest = typeof config === 'string' ? {} : config
    super(cluster ? { ...rest, connectionString: cluster.addresses[0] as string } : config)
    this.#cluster = cluster
    this.#isReadOnly = watchReadOnly(this)
    this.mustWrite = cluster !== undefined
  }

  override connect(): Promise<pg.Client>
  override connect(callback: (error: Error) => void): void
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
    const connecting = this.#connect().then(() => this)
    if (!callback) return connecting
    connecting.then(() => (callback as () => void)(), callback)
    return undefined
  }

  /** Call this when the host is unavailable or read-only: the next connection searches for another. */
  forgetHost() {
    const cluster = this.#cluster
    if (cluster?.writable?.host === this.host && cluster.writable.port === this.port) cluster.writable = undefined
  }

  async #connect(): Promise<void> {
    const cluster = this.#cluster
    if (cluster) {
      cluster.finding ??= cluster.writable
        ? undefined
        : findWritable(cluster).finally(() => (cluster.finding = undefined))
      const address = cluster.writable ?? (await cluster.finding)
      Object.assign(this as Address, address)
      cluster.clients.add(this)
      this.once('end', () => cluster.clients.delete(this))
    }
    try {
      await super.connect()
      if (this.mustWrite && this.#isReadOnly()) throw readOnlyError(this as Address)
    } catch (error) {
      this.forgetHost()
      cluster?.clients.delete(this)
      this.connection.stream.destroy()
      throw error
    }
  }
}
