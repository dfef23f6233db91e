import { statfs } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Config } from '../../config/config.ts'
import { readVersion } from '../../config/project.ts'
import type { Db } from '../../core/storage/database.ts'
import { machinesOfStores } from '../../core/storage/machines.ts'
import { appliedMigrations, readMigrations } from '../../core/storage/migrate.ts'

interface Database {
  version: string
  bytes: number
  connections: number
  max_connections: number
}

const readDatabase = async (db: Db) => {
  const { rows } = await sql<Database>`select current_setting('server_version') as version,
    pg_database_size(current_database())::float8 as bytes,
    (select count(*)::int from pg_stat_activity where datname = current_database()) as connections,
    current_setting('max_connections')::int as max_connections`.execute(db)
  return rows[0] as Database
}

/** Of the disk with the data of an embedded database and of files. Null if it cannot be read. */
const readDisk = async ({ DATA_DIR }: Config) => {
  const stats = await statfs(DATA_DIR).catch(() => undefined)
  return stats ? { free: stats.bavail * stats.bsize, size: stats.blocks * stats.bsize } : null
}

const QUEUES = {
  bulk_jobs: sql`select count(*)::int as waiting from bulk_job where status in ('waiting', 'running')`,
  lifecycle_posts: sql`select count(*)::int as waiting from lifecycle_post where done_at is null`,
  webhook_deliveries: sql`select count(*)::int as waiting from webhook_delivery where state = 'waiting'`,
  failing_webhooks: sql`select count(*)::int as waiting from webhook where state = 'on' and failing_since is not null`,
}

const readQueues = async (db: Db) => {
  const count = async (queue: keyof typeof QUEUES) =>
    ((await QUEUES[queue].execute(db)).rows[0] as { waiting: number }).waiting
  return {
    bulk_jobs: await count('bulk_jobs'),
    lifecycle_posts: await count('lifecycle_posts'),
    webhook_deliveries: await count('webhook_deliveries'),
    failing_webhooks: await count('failing_webhooks'),
  }
}

/** How the service is doing, from what it can read quickly. The command `doctor` looks closer. */
export const describeSystem = async (db: Db, config: Config) => {
  const applied = await appliedMigrations(db)
  // Of a newer release too: then a page that says so helps more than an error.
  const known = await readMigrations()
  const pending = known.filter(({ checksum }) => !applied.some((migration) => migration.checksum === checksum))
  return {
    version: readVersion(),
    node: process.version,
    workers: config.WORKERS,
    uptime_seconds: Math.round(process.uptime()),
    memory: process.memoryUsage().rss,
    schema: { latest: applied.at(-1)?.name ?? '', applied: applied.length, pending: pending.map(({ name }) => name) },
    database: { ...(await readDatabase(db)), embedded: !config.DATABASE_URL },
    disk: await readDisk(config),
    shards: await machinesOfStores(db),
    queues: await readQueues(db),
  }
}
