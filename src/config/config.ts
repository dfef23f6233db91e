import { BlockList, isIP, isIPv6 } from 'node:net'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { misspeltSettings } from './misspelt.ts'
import { addressesOf } from './postgres-address.ts'
import { PROJECT_FOLDER } from './project.ts'

/** An environment variable. */
interface Setting<T> {
  about: string
  /** The default as shown in the documentation. */
  shown: string
  fallback: T
  read: (text: string) => T
}

const refuse = (message: string): never => {
  throw new Error(message)
}

const text = (about: string, fallback: string): Setting<string> => ({
  about,
  shown: fallback,
  fallback,
  read: (text) => text,
})

const optional = (about: string, read: (text: string) => string = (text) => text): Setting<string | undefined> => ({
  about,
  shown: '',
  fallback: undefined,
  read,
})

const integer = (about: string, fallback: number, min: number, max: number): Setting<number> => ({
  about,
  shown: String(fallback),
  fallback,
  read: (text) => {
    const value = Number(text)
    return /^\d+$/.test(text) && value >= min && value <= max
      ? value
      : refuse(`must be a whole number from ${min} to ${max}`)
  },
})

const percentage = (about: string): Setting<number> => ({
  about,
  shown: '0',
  fallback: 0,
  read: (text) =>
    /^\d{1,2}(\.\d{1,2})?$/.test(text) ? Number(text) : refuse('must be a percentage below 100, such as 19 or 7.5'),
})

const choice = <T extends string>(about: string, fallback: T, values: readonly T[]): Setting<T> => ({
  about,
  shown: fallback,
  fallback,
  read: (text) => values.find((value) => value === text) ?? refuse(`must be one of ${values.join(', ')}`),
})

const flag = (about: string, fallback: boolean): Setting<boolean> => ({
  about,
  shown: String(fallback),
  fallback,
  read: (text) =>
    ['true', '1', 'on'].includes(text)
      ? true
      : ['false', '0', 'off'].includes(text)
        ? false
        : refuse('must be true or false'),
})

const webAddress = (text: string) => {
  const url = URL.canParse(text) ? new URL(text) : refuse('must be a web address such as https://shop.example')
  if (!/^https?:$/.test(url.protocol)) refuse('must start with http:// or https://')
  return text.replace(/(?<!\/)\/+$/, '')
}

const postgresAddress = (text: string) => {
  if (!/^postgres(ql)?:\/\//.test(text) || !addressesOf(text).every((address) => URL.canParse(address)))
    refuse('must look like postgresql://user:password@host:5432/database')
  const [, attributes] = /[?&]target_session_attrs=([^&#]*)/.exec(text) ?? []
  if (attributes !== undefined && attributes !== 'read-write' && attributes !== 'primary')
    refuse('must have target_session_attrs=read-write, if any: the service writes')
  return text
}

const postgresAddresses: Setting<string[]> = {
  about:
    'Standbys of the database that lists, exports, snapshots and analytics may be read from: PostgreSQL addresses, separated by commas. Default: none.',
  shown: '',
  fallback: [],
  read: (text) =>
    text.split(/,(?=\s*\w+:\/\/)/).map((part) => {
      const address = part.trim()
      if (addressesOf(address).length > 1) refuse('must have one host in each address')
      return postgresAddress(address)
    }),
}

const longSecret = (text: string) =>
  Buffer.byteLength(text) >= 32 ? text : refuse('must be at least 32 bytes; `openssl rand -base64 48` makes a good one')

const workers: Setting<number> = {
  about: 'Number of HTTP processes on the port, or `auto` for one per core.',
  shown: '1',
  fallback: 1,
  read: (text) =>
    text === 'auto'
      ? availableParallelism()
      : /^([1-9]|[1-5]\d|6[0-4])$/.test(text)
        ? Number(text)
        : refuse('must be auto or a whole number from 1 to 64'),
}

const dataFolder: Setting<string> = {
  about:
    'Folder for the embedded database, uploaded files and generated secrets. Default: `data` in the project folder.',
  shown: './data',
  fallback: path.join(PROJECT_FOLDER, 'data'),
  read: (text) => text,
}

type BlobLocation = 'disk' | { bucket: string; prefix: string }

const blobs: Setting<BlobLocation> = {
  about: 'Where uploaded files are stored: `disk` (in DATA_DIR), or `s3://bucket/prefix` for S3-compatible storage.',
  shown: 'disk',
  fallback: 'disk',
  read: (text) => {
    if (text === 'disk') return text
    const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9._-]{1,62})(?:\/(.*))?$/.exec(text) ?? []
    return bucket
      ? { bucket, prefix: prefix.replace(/^\/+|(?<!\/)\/+$/g, '') }
      : refuse('must be disk or s3://bucket/prefix')
  },
}

export type MetricsAddress = 'auto' | 'on' | 'off' | { host: string; port: number }

const metrics: Setting<MetricsAddress> = {
  about:
    'Where to serve `/metrics`: `auto` (127.0.0.1:9464 if that port is free), another address such as `10.0.0.5:9464`, `on` (the public port) or `off`.',
  shown: 'auto',
  fallback: 'auto',
  read: (text) => {
    if (text === 'auto' || text === 'on' || text === 'off') return text
    const [, host, port] = /^(.+):(\d{1,5})$/.exec(text) ?? []
    return host && Number(port) < 65536
      ? { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }
      : refuse('must be auto, on, off or host:port')
  },
}

/** Number of proxies in front, or their addresses. */
export type TrustedProxies = number | BlockList

const MAX_PROXIES = 10

const addNetwork = (list: BlockList, text: string, refusal: string) => {
  const [, address = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const family = isIPv6(address) ? 'ipv6' : 'ipv4'
  const longest = family === 'ipv6' ? 128 : 32
  if (!isIP(address) || Number(length ?? longest) > longest || Number(length ?? 1) === 0) refuse(refusal)
  list.addSubnet(address, Number(length ?? longest), family)
}

const networks: Setting<BlockList | undefined> = {
  about:
    'Private networks that webhooks may be sent to, also over http: `10.1.0.0/16,fd00:1::/64`. Default: none; webhooks reach public addresses only.',
  shown: '',
  fallback: undefined,
  read: (text) => {
    const list = new BlockList()
    for (const entry of text.split(','))
      addNetwork(list, entry.trim(), 'must be networks such as 10.1.0.0/16,fd00:1::/64')
    return list
  },
}

const proxies: Setting<TrustedProxies> = {
  about:
    'Proxies whose X-Forwarded-For header is trusted: their number (`1`), or their addresses and networks (`10.0.0.5,192.168.0.0/16`).',
  shown: 'false',
  fallback: 0,
  read: (text) => {
    if (text === 'false' || text === 'off') return 0
    if (text === 'true' || text === 'on')
      refuse('must be the number of proxies in front (1 for one), or their addresses')
    if (/^\d+$/.test(text))
      return Number(text) <= MAX_PROXIES ? Number(text) : refuse(`must be at most ${MAX_PROXIES} proxies`)
    const list = new BlockList()
    const refusal = 'must be a number of proxies (1 to 10), or their addresses or networks: 10.0.0.5,192.168.0.0/16'
    for (const entry of text.split(',')) addNetwork(list, entry.trim(), refusal)
    return list
  },
}

export type AllowedOrigins = '*' | string[]

const origins: Setting<AllowedOrigins | undefined> = {
  about:
    'Origins that may call the API from a browser, such as `https://admin.example`, separated by commas, or `*`. Default: none.',
  shown: '',
  fallback: undefined,
  read: (text) => {
    if (text === '*') return text
    const origins = text.split(',').map((origin) => origin.trim().replace(/\/$/, ''))
    const areValid = origins.every(
      (origin) => /^https?:/.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin,
    )
    return areValid ? origins : refuse('must be * or origins such as https://admin.example, separated by commas')
  },
}

export const settings = {
  HOST: text('Address to listen on; `0.0.0.0` for all interfaces.', '127.0.0.1'),
  PORT: integer('Port to listen on.', 3000, 0, 65535),
  BASE_URL: optional('Public URL of the API behind a proxy: `https://api.example.com`.', webAddress),
  DATA_DIR: dataFolder,
  DATABASE_URL: optional(
    'A PostgreSQL server (15 or newer) to use instead of the embedded one. With several hosts, `postgresql://user:password@one:5432,two:5432/name`, the one that accepts writes is used.',
    postgresAddress,
  ),
  DATABASE_REPLICA_URL: postgresAddresses,
  READ_YOUR_WRITES_SECONDS: integer(
    'With DATABASE_REPLICA_URL: for how many seconds after its last write an installation reads everything from the primary.',
    10,
    3,
    3600,
  ),
  REPLICA_MAX_LAG_SECONDS: integer(
    'With DATABASE_REPLICA_URL: a standby that is more seconds behind is not used. Less than READ_YOUR_WRITES_SECONDS.',
    3,
    2,
    3599,
  ),
  DATABASE_POOL: integer('Database connections per HTTP process.', 10, 2, 200),
  DATABASE_PREPARE: flag('Use prepared statements; `false` behind a pooler in transaction mode.', true),
  TOKEN_SECRET: optional(
    'Key that signs access tokens and file URLs, 32 bytes or more. Default: generated once and stored with the data.',
    longSecret,
  ),
  DEMO: choice(
    'The demo store. `auto` loads it into a new embedded database and shows its credentials if only this machine can reach the service (HOST is a loopback address; no BASE_URL, TRUST_PROXY or NODE_ENV=production). `true` always loads it. `false` never loads it, and disables the app of an existing demo store.',
    'auto',
    ['auto', 'true', 'false'] as const,
  ),
  LOG_LEVEL: choice('Minimum level of log lines.', 'info', [
    'fatal',
    'error',
    'warn',
    'info',
    'debug',
    'trace',
    'silent',
  ] as const),
  RATE_LIMIT_PER_MINUTE: integer('API requests per minute and installation; 0 means no limit.', 0, 0, 1_000_000),
  MAX_UPLOAD_MB: integer('Maximum size of an upload with POST /file, in megabytes.', 100, 1, 100_000),
  STORE_QUOTA_GB: integer(
    'Storage quota per store in gigabytes; identical files count once; 0 means no limit.',
    0,
    0,
    1_000_000,
  ),
  BLOBS: blobs,
  S3_ENDPOINT: optional('URL of the S3 service, if it is not Amazon’s.', webAddress),
  S3_REGION: text('Region of the bucket.', 'us-east-1'),
  S3_ACCESS_KEY_ID: optional('Access key of the bucket. Default: the usual AWS credential sources.'),
  S3_SECRET_ACCESS_KEY: optional('Secret access key of the bucket.'),
  S3_FORCE_PATH_STYLE: flag(
    'Put the bucket name in the path instead of the host name, as most self-hosted services need.',
    true,
  ),
  FILE_URL_SECONDS: integer('Lifetime of signed file URLs, in seconds.', 3600, 60, 604_800),
  EVENT_DAYS: integer('How long events are kept, in days.', 30, 1, 3650),
  WEBHOOKS: choice('Whether this server delivers webhooks. At least one server of a database should.', 'on', [
    'on',
    'off',
  ] as const),
  WEBHOOK_PRIVATE: networks,
  WORKERS: workers,
  METRICS: metrics,
  CORS_ORIGIN: origins,
  TRUST_PROXY: proxies,
  CONSOLE: choice('The console for people, at `/console`.', 'on', ['on', 'off'] as const),
  CALL_LOG_DAYS: integer(
    'Days for which calls of apps are kept in the log. 0 keeps neither calls nor counts.',
    7,
    0,
    90,
  ),
  SESSION_HOURS: integer('Hours after which an unused session of the console ends.', 12, 1, 168),
  BILLING_SELLER: text('Name and address of the operator, shown on invoices.', ''),
  BILLING_TAX_PERCENT: percentage('Tax on invoices, in percent.'),
  BILLING_DUE_DAYS: integer('Days until an invoice is due.', 14, 0, 365),
  BILLING_URL: optional(
    "The operator's payment page: `https://pay.example/?invoice={invoice}&amount={amount}&currency={currency}&expires={expires}&signature={signature}`. Needs BILLING_SECRET.",
    webAddress,
  ),
  BILLING_SECRET: optional(
    'Shared with the payment service, 32 bytes or more: signs links to the payment page, and reports of payments to POST /billing/paid.',
    longSecret,
  ),
  SHARED_PHONE_COUNTS: flag(
    'Whether stores may share what became of the orders of a phone number, as keyed hashes and counts only. Each store has to switch it on as well.',
    false,
  ),
  SHUTDOWN_SECONDS: integer('How long a graceful shutdown waits for requests in flight, in seconds.', 25, 1, 3600),
  SHUTDOWN_DELAY_SECONDS: integer(
    'How long the port stays open after a request to stop, while `/readyz` replies with 503, in seconds. For a load balancer in front of several nodes.',
    0,
    0,
    300,
  ),
} satisfies Record<string, Setting<unknown>>

type SettingName = keyof typeof settings
export type Settings = { [Name in SettingName]: (typeof settings)[Name]['fallback'] }

export const API_PREFIX = '/api/apps/v1'

/** Where assistants call. */
export const MCP_PATH = `${API_PREFIX}/mcp`

export interface Config extends Omit<Settings, 'BASE_URL' | 'DATA_DIR'> {
  /** Absolute. */
  DATA_DIR: string
  /** Scheme, host, and a path if a proxy adds one. No trailing slash. */
  origin: string
  /** `origin` + API_PREFIX. */
  baseUrl: string
  /** According to the settings, only this machine can reach the service. */
  isLocal: boolean
  /** Problems that do not prevent the start, such as misspelt variables. */
  warnings: string[]
}

export class ConfigError extends Error {}

const publicHost = (host: string) =>
  ['0.0.0.0', '::'].includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host

/** The address the service itself listens on, ignoring proxies. */
export const listeningAddress = ({ HOST, PORT }: Pick<Config, 'HOST' | 'PORT'>) => `http://${publicHost(HOST)}:${PORT}`

const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/

const isLocal = (env: NodeJS.ProcessEnv, { HOST, BASE_URL, TRUST_PROXY }: Settings) =>
  LOOPBACK.test(HOST) && BASE_URL === undefined && TRUST_PROXY === 0 && env.NODE_ENV !== 'production'

/** Reads the environment. One error names every invalid variable. */
export const readConfig = (env: NodeJS.ProcessEnv): Config => {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(settings)) {
    const text = env[name]?.trim()
    try {
      values[name] = text ? setting.read(text) : setting.fallback
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}${name.match(/SECRET|URL/) ? '' : `, not "${text}"`}.`)
    }
  }
  if (Number(values.REPLICA_MAX_LAG_SECONDS) >= Number(values.READ_YOUR_WRITES_SECONDS))
    problems.push('REPLICA_MAX_LAG_SECONDS must be less than READ_YOUR_WRITES_SECONDS.')
  if (values.BILLING_URL && !values.BILLING_SECRET) problems.push('BILLING_URL needs BILLING_SECRET.')
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  const read = values as Settings
  const url = read.BASE_URL ?? listeningAddress(read)
  const origin = url.endsWith(API_PREFIX) ? url.slice(0, -API_PREFIX.length) : url
  return {
    ...read,
    DATA_DIR: path.resolve(read.DATA_DIR),
    origin,
    baseUrl: origin + API_PREFIX,
    isLocal: isLocal(env, read),
    warnings: misspeltSettings(env, Object.keys(settings)),
  }
}
