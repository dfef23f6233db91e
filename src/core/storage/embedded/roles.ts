import { randomBytes } from 'node:crypto'
import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { type Cluster, database, SERVICE, superuser } from './cluster.ts'

export interface Address {
  readonly host: string
  readonly port: number
}

export interface Login {
  readonly user: string
  readonly password: string
}

export const adminLogin = ({ password }: Cluster): Login => ({ user: superuser, password })
export const serviceLogin = ({ servicePassword }: Cluster): Login => ({ user: SERVICE, password: servicePassword })

const HBA_MARKER = '# Written by storefront-apps when it set up the roles of this cluster.'
const HBA = `${HBA_MARKER}
local all all scram-sha-256
host  all all 127.0.0.1/32 scram-sha-256
`

const hbaFile = ({ directory }: Cluster) => join(directory, 'pg_hba.conf')

/** In clusters of early releases, everybody who could reach the socket was superuser. */
export const isSetUp = async (cluster: Cluster): Promise<boolean> =>
  (await readFile(hbaFile(cluster), 'utf8').catch(() => '')).startsWith(HBA_MARKER)

/** Root writes into a directory of another account here, so it must never follow a link. */
const requirePasswords = async (cluster: Cluster): Promise<void> => {
  const draft = `${hbaFile(cluster)}.${process.pid}-${randomBytes(4).toString('hex')}`
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(HBA)
    if (cluster.account) await file.chown(cluster.account.uid, cluster.account.gid)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, hbaFile(cluster))
}

export const withAdmin = async <T>(
  cluster: Cluster,
  { host, port }: Address,
  database: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> => {
  const client = new pg.Client({
    ...{ host, port, database, ...adminLogin(cluster) },
    application_name: 'storefront set-up',
    connectionTimeoutMillis: 5_000,
    lock_timeout: 20_000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}

/**
 * Creates a role for the service that is not a superuser and owns the application's database, sets both passwords, and
 * requires passwords. Safe to interrupt and repeat.
 */
export const setUpRoles = async (cluster: Cluster, address: Address, admin: pg.Client): Promise<void> => {
  const exists = async (query: string, name: string) => ((await admin.query(query, [name])).rowCount ?? 0) > 0
  // Iterations protect passwords that can be guessed. These are random, and every new connection would repeat them.
  await admin.query('set scram_iterations = 1')
  // Passwords contain only letters, digits, - and _.
  if (!(await exists('select from pg_roles where rolname = $1', SERVICE))) await admin.query(`create role ${SERVICE}`)
  await admin.query(
    `alter role ${SERVICE} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls
     password '${cluster.servicePassword}'`,
  )
  await admin.query(`alter role ${superuser} password '${cluster.password}'`)
  if (await exists('select from pg_database where datname = $1', database)) {
    await admin.query(`alter database ${database} owner to ${SERVICE}`)
    await withAdmin(cluster, address, database, (client) => client.query(HAND_OVER))
  } else await admin.query(`create database ${database} owner ${SERVICE}`)
  await requirePasswords(cluster)
  await admin.query('select pg_reload_conf()')
}

/**
 * Changes the owner of what a superuser's migrations created. REASSIGN OWNED refuses to take anything from the first
 * superuser.
 */
const HAND_OVER = `
do $$
declare
  change text;
begin
  for change in
    with own as (
      select n.oid from pg_namespace n where n.nspname <> 'information_schema' and n.nspname !~ '^pg_'
    ), fixed as (
      -- Parts of extensions, and sequences that follow their table.
      select d.classid, d.objid from pg_depend d
      left join pg_class s on d.classid = 'pg_class'::regclass and s.oid = d.objid and s.relkind = 'S'
      where d.deptype = 'e' or (d.deptype in ('a', 'i') and s.oid is not null)
    )
    select format('alter %s %s owner to ${SERVICE}', case c.relkind when 'S' then 'sequence' when 'v' then 'view'
        when 'm' then 'materialized view' else 'table' end, c.oid::regclass)
      from pg_class c where c.relnamespace in (select oid from own) and c.relkind in ('r', 'p', 'v', 'm', 'S')
        and ('pg_class'::regclass, c.oid) not in (select classid, objid from fixed)
    union all
    select format('alter routine %s owner to ${SERVICE}', p.oid::regprocedure)
      from pg_proc p where p.pronamespace in (select oid from own)
        and ('pg_proc'::regclass, p.oid) not in (select classid, objid from fixed)
    union all
    select format('alter type %s owner to ${SERVICE}', t.oid::regtype)
      from pg_type t where t.typnamespace in (select oid from own) and t.typtype in ('d', 'e')
        and ('pg_type'::regclass, t.oid) not in (select classid, objid from fixed)
  loop
    execute change;
  end loop;
end $$`
