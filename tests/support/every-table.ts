import { createHash, randomBytes, randomUUID } from 'node:crypto'
import pg from 'pg'
import { errorCode } from '../../src/core/storage/database.ts'

interface Column {
  table: string
  column: string
  type: string
  required: boolean
  /** The column it refers to, if it has a foreign key. */
  parent: string | null
  parent_column: string | null
}

const COLUMNS = `
  select c.relname::text as table, a.attname::text as column, format_type(a.atttypid, null) as type,
    a.attnotnull and not a.atthasdef and a.attgenerated = '' as required, f.parent, f.parent_column
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join lateral (
    select p.relname::text as parent, pa.attname::text as parent_column
    from pg_constraint k join pg_class p on p.oid = k.confrelid,
      unnest(k.conkey, k.confkey) as pair (own, theirs) join pg_attribute pa on pa.attnum = pair.theirs
    where k.contype = 'f' and k.conrelid = c.oid and pa.attrelid = k.confrelid and pair.own = a.attnum
    order by p.relname = 'store', k.conname limit 1) f on true
  where c.relkind = 'r' and not c.relispartition and c.relnamespace = 'public'::regnamespace
    and c.relname not in ('country', 'schema_migration', 'setting', 'rate_window')`

/** Text that breaks careless formats. */
const ODD = 'a\tb\\N\\. \r\n"é" متجر 🫖 '

const odd = () => ODD + randomBytes(3).toString('hex')

/** Values that check constraints require. */
const PARTICULAR: Record<string, () => unknown> = {
  currency: () => 'TND',
  rating: () => 4,
  role: () => 'product_images',
  quantity: () => 2,
  permissions: () => ['product:view', 'order:view'],
  sha256: () => createHash('sha256').update(randomUUID()).digest(),
  secret_hash: () => randomBytes(32),
  'bulk_job.mode': () => 'create',
  'invitation.role': () => 'staff',
  'membership.role': () => 'staff',
  'one_time_link.kind': () => 'reset',
  'policy.type': () => 'terms',
  'stock_change.kind': () => 'adjustment',
  'webhook_delivery.state': () => 'waiting',
}

const byType = (type: string): unknown => {
  if (type === 'uuid') return randomUUID()
  if (type === 'boolean') return true
  if (type === 'bytea') return randomBytes(32)
  if (type === 'jsonb' || type === 'json') return JSON.stringify({ odd: odd() })
  if (/^(integer|bigint|smallint|numeric|double)/.test(type)) return 3
  if (type.endsWith('[]')) return [odd(), '', 'NULL']
  return /^(timestamp|date)/.test(type) ? new Date() : odd()
}

/** Nullable, but required by a check constraint. */
const ALSO = ['file_link.product_id', 'invitation.store_id', 'one_time_link.code_hash', 'one_time_link.account_id']

type Row = Record<string, unknown>

/** Inserts a row into every table, all for one new store, so that new tables are covered automatically. */
export const fillEveryTable = async (connection: pg.ClientConfig): Promise<Record<string, Row>> => {
  const client = new pg.Client(connection)
  await client.connect()
  const { rows: columns } = await client.query<Column>(COLUMNS)
  // Not every row of a store has a foreign key to it.
  for (const column of columns)
    if (column.column === 'store_id' && !column.parent) Object.assign(column, { parent: 'store', parent_column: 'id' })
  const made: Record<string, Row> = {}
  const make = async (table: string): Promise<Row> => {
    const own = columns.filter((column) => column.table === table)
    const row: Row = {}
    for (const { column, type, required, parent, parent_column } of own) {
      if (!required && !ALSO.includes(`${table}.${column}`)) continue
      row[column] =
        parent && parent_column && parent !== table
          ? (made[parent] ?? (await make(parent)))[parent_column]
          : ((PARTICULAR[`${table}.${column}`] ?? PARTICULAR[column])?.() ?? byType(type))
    }
    const names = Object.keys(row)
    const values = names.map((_, index) => `$${index + 1}`)
    const inserted = await client
      .query<Row>(
        `insert into "${table}" (${names.map((name) => `"${name}"`)}) values (${values}) returning *`,
        Object.values(row),
      )
      // A trigger has already inserted the row.
      .catch((error) => (errorCode(error) === '23505' ? { rows: [row] } : Promise.reject(error)))
    made[table] = inserted.rows[0] as Row
    return made[table]
  }
  try {
    for (const table of new Set(columns.map(({ table }) => table))) if (!made[table]) await make(table)
    return made
  } finally {
    await client.end()
  }
}
