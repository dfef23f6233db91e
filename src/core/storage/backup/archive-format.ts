import type pg from 'pg'

/**
 * A backup is a gzipped tar: the manifest, then rows/TABLE/PIECE, blobs/…, and `end.json`, which proves that it is
 * complete.
 */
export interface Manifest {
  format: typeof FORMAT
  format_version: number
  created_at: string
  migrations: { version: number; name: string; checksum: string }[]
  /** In loading order: a table comes after those it refers to. */
  tables: TableShape[]
}

export interface TableShape {
  name: string
  columns: string[]
}

export interface EndMarker {
  rows: Record<string, number>
  blobs: number
  /** Rows whose file content was already missing when the backup was made. */
  blobs_missing: number
}

export const FORMAT = 'storefront-backup'
export const FORMAT_VERSION = 1
export const MANIFEST_ENTRY = 'manifest.json'
export const END_ENTRY = 'end.json'
export const BLOBS_FOLDER = 'blobs/'
/** Attribute of an entry whose name does not have the SHA-256 of its content: of a thumbnail. */
export const CHECKSUM = 'STOREFRONT.sha256'
export const rowsFolder = (table: string) => `rows/${table}/`

/** Not backed up. Emptied before a restore, because they refer to other tables. */
export const TRANSIENT_TABLES = [
  'idempotency',
  'rate_window',
  'session',
  'one_time_link',
  'change',
  'bulk_job',
  'bulk_result',
  'assistant_plan',
  'call_tally',
  // Hashed with the key of this service: the service that restores makes its own.
  'shared_phone',
]
/** Derived from other rows, and rebuilt after a restore. */
export const DERIVED_TABLES = ['product_text', 'variant_text', 'order_text']
const EXCLUDED_TABLES = [...TRANSIENT_TABLES, ...DERIVED_TABLES, 'schema_migration']

/** Rows that belong to this installation and not to the data: neither backed up nor replaced. */
export const LOCAL_ROWS: Readonly<Record<string, string>> = { setting: `name in ('token_secret', 'kept_texts')` }

export const quoteIdentifier = (name: string) => `"${name.replaceAll('"', '""')}"`
export const columnList = ({ columns }: TableShape) => columns.map(quoteIdentifier).join(', ')

export const totalRows = ({ rows }: EndMarker) => Object.values(rows).reduce((sum, count) => sum + count, 0)

/** Session settings that make the text format independent of the server's configuration. */
const READABLE_ANYWHERE = `
  set local client_encoding = 'UTF8';
  set local timezone = 'UTC';
  set local datestyle = 'ISO, YMD';
  set local intervalstyle = 'postgres';
  set local bytea_output = 'hex';
  set local extra_float_digits = 3;
  set local statement_timeout = 0;
  set local idle_in_transaction_session_timeout = 0`

export const inTransaction = async <T>(
  pool: pg.Pool,
  begin: string,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> => {
  const client = await pool.connect()
  // Without a listener, a lost connection would crash the process. The running query reports the error anyway.
  client.on('error', () => {})
  try {
    await client.query(`${begin}; ${READABLE_ANYWHERE}`)
    const done = await work(client)
    await client.query('commit')
    client.release()
    return done
  } catch (error) {
    // Closes the connection, because a COPY may still be running on it.
    client.release(error as Error)
    throw error
  }
}

interface Reference {
  child: string
  parent: string
}

/** Parents before children. Tables in a reference cycle come last. */
export const inLoadingOrder = (tables: readonly TableShape[], references: readonly Reference[]): TableShape[] => {
  const placed: TableShape[] = []
  let waiting = [...tables]
  while (waiting.length > 0) {
    const names = new Set(waiting.map(({ name }) => name))
    const isFree = ({ name }: TableShape) =>
      !references.some(({ child, parent }) => child === name && parent !== name && names.has(parent))
    const free = waiting.filter(isFree)
    if (free.length === 0) return [...placed, ...waiting]
    placed.push(...free)
    waiting = waiting.filter((table) => !free.includes(table))
  }
  return placed
}

/** Generated columns are left out: the database computes them again. */
const SHAPES = `
  select c.relname::text as name, array_agg(a.attname::text order by a.attnum) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relkind = 'r' and not c.relispartition and c.relnamespace = current_schema()::text::regnamespace
    and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and c.relname <> all($1)
  group by c.relname order by c.relname`

/** Some tables of a store refer to it only in a distributed database, into which the backup may be restored. */
const REFERENCES = `
  select child.relname::text as child, parent.relname::text as parent
  from pg_constraint k join pg_class child on child.oid = k.conrelid join pg_class parent on parent.oid = k.confrelid
  where k.contype = 'f' and child.relnamespace = current_schema()::text::regnamespace
  union
  select c.relname::text, 'store' from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relkind = 'r' and c.relnamespace = current_schema()::text::regnamespace and a.attname = 'store_id'
    and to_regclass('store') is not null`

export const readTables = async (client: pg.ClientBase): Promise<TableShape[]> => {
  const { rows: tables } = await client.query<TableShape>(SHAPES, [EXCLUDED_TABLES])
  const { rows: references } = await client.query<Reference>(REFERENCES)
  return inLoadingOrder(tables, references)
}
