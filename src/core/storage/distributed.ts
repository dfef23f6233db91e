import type pg from 'pg'
import { OperatorError } from '../../errors.ts'
import { ClusterClient } from './hosts.ts'

let distributed = false

/** Whether the rows of stores are distributed over several machines by Citus. Known from the start on. */
export const isDistributed = () => distributed

/** For a setting that needs all rows on one machine. */
export const refuseIfDistributed = (setting: string) => {
  if (distributed) throw new OperatorError(`${setting} cannot be used with a distributed database: remove it.`)
}

type Query = (text: string) => Promise<{ rows: unknown[] }>

/** Looks whether `storefront-apps distribute` has run on this database. */
export const noteDistribution = async (query: Query): Promise<void> => {
  distributed = await hasDistributedTables(query)
}

/** The same over a connection of its own. */
export const detectDistribution = async (connection: pg.ClientConfig): Promise<void> => {
  const client = new ClusterClient({ ...connection, connectionTimeoutMillis: 5_000, query_timeout: 5_000 })
  client.on('error', () => {})
  await client.connect()
  try {
    await noteDistribution((text) => client.query(text))
  } finally {
    await client.end().catch(() => {})
  }
}

/** The catalogue of Citus can be read only where the extension is. */
export const hasDistributedTables = async (query: Query): Promise<boolean> => {
  const { rows } = await query(`select 1 where to_regclass('pg_catalog.pg_dist_partition') is not null`)
  if (rows.length === 0) return false
  const found = await query(`select 1 from pg_catalog.pg_dist_partition where logicalrelid = to_regclass('orders')`)
  return found.rows.length > 0
}
