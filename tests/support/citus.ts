import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { type Db, openDatabase } from '../../src/core/storage/database.ts'
import { DATABASE_SETTINGS, distribute } from '../../src/core/storage/distribute.ts'

/** The test databases are distributed. Tests that cannot run there say why: `skip(isOnCitus, 'because …')`. */
export const isOnCitus = Boolean(process.env.CITUS_URL)

/** Few shards: creating and dropping a test database takes longer with each. */
const SHARDS = 4

const inCitusDatabase = (url: string, database: string) => {
  const copy = new URL(url)
  copy.pathname = `/${database}`
  return copy.toString()
}

const run = async (connectionString: string, ...statements: string[]) => {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    let rows: Record<string, unknown>[] = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

interface Node {
  url: string
  host: string
  port: number
}

/** The coordinator of CITUS_URL first, then its workers. */
const nodesOf = async (url: string): Promise<Node[]> => {
  const rows = await run(url, 'select nodename, nodeport from pg_dist_node where isactive order by groupid')
  return rows.map(({ nodename, nodeport }) => {
    const node = new URL(url)
    node.hostname = nodename as string
    node.port = String(nodeport)
    return { url: node.toString(), host: nodename as string, port: nodeport as number }
  })
}

const onAllNodes = async (url: string, ...statements: string[]) => {
  for (const node of await nodesOf(url)) await run(node.url, ...statements)
}

/** Creates a database with the extension on every node, so that its coordinator knows the workers. */
export const createCitusDatabase = async (url: string, name: string) => {
  await createWithoutCitus(url, name)
  await addCitus(url, name)
}

export const createWithoutCitus = (url: string, name: string) => onAllNodes(url, `create database ${name}`)

/** Adds the extension and the workers to a database that exists on every node. */
export const addCitus = async (url: string, name: string) => {
  const [coordinator, ...workers] = await nodesOf(url)
  for (const node of [coordinator, ...workers])
    await run(inCitusDatabase((node as Node).url, name), 'create extension citus')
  const { host, port } = coordinator as Node
  await run(
    inCitusDatabase(url, name),
    `select citus_set_coordinator_host('${host}', ${port})`,
    ...workers.map((worker) => `select citus_add_node('${worker.host}', ${worker.port})`),
  )
}

/** Distributes the template, and keeps everybody out of it, so that it can be copied. */
export const distributeTemplate = async (url: string, name: string) => {
  const database = openDatabase(
    { connectionString: inCitusDatabase(url, name) },
    { pool: 1, prepare: false, name: 'tests', untimed: true },
  )
  await distribute(database.db, SHARDS)
  await database.close()
  await lockTemplate(url, name)
}

const lockTemplate = (url: string, name: string) =>
  onAllNodes(
    url,
    `alter database ${name} with allow_connections false`,
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
  )

export const cloneCitusDatabase = async (url: string, name: string, template: string) => {
  const settings = Object.entries(DATABASE_SETTINGS).map(
    ([setting, value]) => `alter database ${name} set ${setting} = '${value}'`,
  )
  await onAllNodes(url, `create database ${name} template ${template}`, ...settings)
}

/** Renames a database that is to be a template. */
export const renameCitusDatabase = async (url: string, name: string, newName: string) => {
  await lockTemplate(url, name)
  await onAllNodes(url, `alter database ${name} rename to ${newName}`)
}

interface Placement {
  shard: string
  host: string
  port: number
}

/** Where the orders of a store are. */
export const findShard = async (db: Db, store: string) => {
  const { rows } = await sql<Placement>`
    select shardid::text as shard, nodename as host, nodeport as port from pg_dist_shard_placement
    where shardid = get_shard_id_for_distribution_column('orders', ${store}::uuid)`.execute(db)
  return rows[0] as Placement
}

/** Moves all rows of the store to the other worker, while it is being written to. */
export const moveStore = async (db: Db, store: string): Promise<void> => {
  const { shard, host, port } = await findShard(db, store)
  try {
    await sql`select citus_move_shard_placement(${shard}::bigint, ${host}, ${port}, n.nodename, n.nodeport, 'force_logical')
      from pg_dist_node n where n.shouldhaveshards and n.nodeport <> ${port} limit 1`.execute(db)
  } catch (error) {
    // Citus is still removing what the previous move has left.
    if (!(error as Error).message.includes('could not be cleaned up')) throw error
    await sleep(200)
    return moveStore(db, store)
  }
}

/** Gives a store a shard of its own, while it is being written to. */
export const isolateStore = (db: Db, store: string) =>
  sql`select isolate_tenant_to_new_shard('orders', ${store}::uuid, 'CASCADE')`.execute(db)

const OWN_FUNCTIONS = `select count(*) from pg_trigger t join pg_proc p on p.oid = t.tgfoid
  where t.tgrelid = '%s'::regclass and p.proname ~ '_[0-9]+$'`

/** How many triggers of each shard of orders have a function that names shards. */
export const ownFunctions = async (db: Db): Promise<Map<string, number>> => {
  const { rows } = await sql<{ shard: string; count: number }>`
    select shardid::text as shard, result::int as count
    from run_command_on_placements('orders', ${OWN_FUNCTIONS})`.execute(db)
  return new Map(rows.map(({ shard, count }) => [shard, count]))
}

/** Tries for a minute: Citus may connect to the database again while it is dropped. */
export const dropCitusDatabase = async (url: string, name: string) => {
  const isInUse = (error: unknown) => (error as { code?: string }).code === '55006'
  const drop = () => onAllNodes(url, `drop database if exists ${name} with (force)`)
  for (let tries = 1; ; tries++) {
    const error = await drop().catch((error: unknown) => error)
    if (!error) return
    if (!isInUse(error) || tries === 12) throw error
  }
}
