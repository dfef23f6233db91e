import { type RawBuilder, sql } from 'kysely'
import { OperatorError } from '../../errors.ts'
import { ADVISORY_LOCKS } from './advisory-locks.ts'
import type { Db, Tx } from './database.ts'
import { DISTRIBUTED_FUNCTIONS } from './distributed-functions.ts'
import { identifyNewShards } from './identify-shards.ts'
import { removeLocalRows } from './local-rows.ts'
import { nameShards } from './name-shards.ts'
import { splitStatements } from './split-statements.ts'

/** Read with every store's rows, and small: every machine has a copy. */
const REFERENCE_TABLES = ['country', 'setting', 'store', 'host_claim']

/** Of apps and people, not of a store's business. Changes of the first ones are announced with NOTIFY. */
const COORDINATOR_TABLES = [
  'app',
  'installation',
  'app_manifest',
  'removed_installation',
  'lifecycle_post',
  'connected_assistant',
  'oauth_grant',
  'oauth_code',
  'oauth_refresh',
  'account',
  'app_member',
  'staff_role',
  'membership',
  'invitation',
  'session',
  'one_time_link',
  'authenticator',
  'recovery_code',
  'passkey',
  'saved_view',
  'audit_entry',
  'plan',
  'subscription',
  'order_use',
  'invoice',
  'call_tally',
  'permission_use',
  'permission_request',
  'store_work',
  'schema_migration',
]

/** Distributed by another column than the store. */
const OTHER_KEYS: Readonly<Record<string, string>> = { rate_window: 'key' }

/** All tables of a store are colocated with this one. */
const FIRST = 'orders'

export const DEFAULT_SHARDS = 32

/** Settings of the database, so that they hold behind a pooler too. */
export const DATABASE_SETTINGS = {
  // So that lock timeouts and the app that changes are attributed to reach the workers.
  'citus.propagate_set_commands': 'local',
  'citus.multi_shard_modify_mode': 'sequential',
  // Our triggers write rows of the same store only, which are on the same machine.
  'citus.enable_unsafe_triggers': 'on',
  jit: 'off',
}

interface ForeignKey {
  name: string
  child: string
  parent: string
  definition: string
  columns: string[]
  parent_columns: string[]
  /** Columns that are set to null when the parent is deleted. */
  emptied: string[] | null
  follows: boolean
}

const FOREIGN_KEYS = sql<ForeignKey>`
  select k.conname::text as name, k.conrelid::regclass::text as child, k.confrelid::regclass::text as parent,
    pg_get_constraintdef(k.oid) as definition,
    array(select a.attname::text from unnest(k.conkey) with ordinality c (n, place)
      join pg_attribute a on a.attrelid = k.conrelid and a.attnum = c.n order by c.place) as columns,
    array(select a.attname::text from unnest(k.confkey) with ordinality c (n, place)
      join pg_attribute a on a.attrelid = k.confrelid and a.attnum = c.n order by c.place) as parent_columns,
    case when k.confdeltype = 'n' then array(select a.attname::text from pg_attribute a
      where a.attrelid = k.conrelid and a.attnum = any(coalesce(k.confdelsetcols, k.conkey))) end as emptied,
    k.confupdtype = 'c' as follows
  from pg_constraint k where k.contype = 'f' and k.connamespace = current_schema()::regnamespace order by 1`

/** Tables that Citus does not know yet, with the column they are distributed by. */
export const newTables = async (db: Db) => {
  const { rows } = await sql<{ name: string; has_store: boolean }>`
    select c.relname::text as name, exists (
      select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'store_id' and not a.attisdropped) as has_store
    from pg_class c where c.relkind = 'r' and not c.relispartition and c.relnamespace = current_schema()::regnamespace
      and not exists (select 1 from pg_catalog.pg_dist_partition p where p.logicalrelid = c.oid)
    order by c.relname <> ${FIRST}, c.relname`.execute(db)
  return rows
    .filter(({ name }) => !COORDINATOR_TABLES.includes(name))
    .map(({ name, has_store }) => ({
      name,
      isReference: REFERENCE_TABLES.includes(name),
      key: OTHER_KEYS[name] ?? (has_store ? 'store_id' : undefined),
    }))
}

/** Citus passes the whole text of a message on to the workers, so each statement is a message of its own. */
const raw = async (db: Db, text: string) => {
  for (const statement of splitStatements(text)) await sql.raw(statement).execute(db)
}
const quote = (name: string) => `"${name}"`

/** Runs before the reference is checked: triggers run by name, and those of references are called RI_…. */
const follower = (name: string, table: string, event: string, condition: string, statement: string) => `
  create or replace function ${quote(name)}() returns trigger language plpgsql as $$
  begin
    ${statement};
    return null;
  end $$;
  drop trigger if exists ${quote(name)} on ${table};
  create trigger ${quote(name)} after ${event} on ${table} for each row when (${condition}) execute function ${quote(name)}()`

/** Citus knows neither `on delete set null` nor `on update cascade` between distributed tables. */
const addForeignKey = async (
  db: Db,
  { name, child, parent, definition, columns, parent_columns, emptied, follows }: ForeignKey,
) => {
  const own = columns
    .map((column, place) => ({ column, of: parent_columns[place] }))
    .filter(({ column }) => column !== 'store_id')
  const matches = own.map(({ column, of }) => `${quote(column)} = old.${quote(of as string)}`).join(' and ')
  if (emptied)
    await raw(
      db,
      follower(
        `A_${name}_deleted`,
        parent,
        'delete',
        'store_remains()',
        `update ${quote(child)} set ${emptied.map((column) => `${quote(column)} = null`).join(', ')} where store_id = old.store_id and ${matches}`,
      ),
    )
  if (follows) {
    const names = own.map(({ of }) => quote(of as string))
    await raw(
      db,
      follower(
        `A_${name}_changed`,
        parent,
        `update of ${names.join(', ')}`,
        names.map((column) => `old.${column} is distinct from new.${column}`).join(' or '),
        `update ${quote(child)} set ${own.map(({ column, of }) => `${quote(column)} = new.${quote(of as string)}`).join(', ')}
        where store_id = old.store_id and ${matches}`,
      ),
    )
  }
  const supported = definition.replace(/ ON UPDATE CASCADE/, '').replace(/ ON DELETE SET NULL( \([^)]*\))?/, '')
  await raw(db, `alter table ${child} add constraint ${quote(name)} ${supported}`)
}

interface Trigger {
  name: string
  table: string
  definition: string
}

const TRIGGERS = sql<Trigger>`
  select t.tgname::text as name, t.tgrelid::regclass::text as "table", pg_get_triggerdef(t.oid) as definition
  from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace order by 2, 1`

/**
 * Distributes the tables that are not distributed yet, in the caller's transaction. References are removed first and added
 * again at the end, because both of their tables must be distributed. So are triggers, which would count the rows again
 * that are copied to the workers.
 */
export const distributeNewTables = async (db: Tx, shards: number): Promise<string[]> => {
  const tables = await newTables(db)
  if (tables.length === 0) return []
  const unknown = tables.filter(({ isReference, key }) => !isReference && !key).map(({ name }) => name)
  if (unknown.length > 0) throw new Error(`These tables belong to no store: ${unknown.join(', ')}.`)
  const names = new Set(tables.map(({ name }) => name))
  const isLocal = (name: string) => COORDINATOR_TABLES.includes(name)
  const { rows } = await FOREIGN_KEYS.execute(db)
  const affected = rows.filter(({ child, parent }) => names.has(child) || names.has(parent))
  for (const { child, name } of affected) await raw(db, `alter table ${child} drop constraint ${quote(name)}`)
  const triggers = (await TRIGGERS.execute(db)).rows.filter(({ table }) => names.has(table))
  for (const { name, table } of triggers) await raw(db, `drop trigger ${quote(name)} on ${table}`)
  for (const { name, isReference } of tables) {
    if (isReference) await sql`select create_reference_table(${name}::text::regclass)`.execute(db)
  }
  for (const { name, isReference, key } of tables) {
    if (isReference) continue
    const place =
      key !== 'store_id' || name === FIRST
        ? sql`shard_count => ${sql.lit(shards)}, colocate_with => 'none'`
        : sql`colocate_with => ${sql.lit(FIRST)}`
    await sql`select create_distributed_table(${name}::text::regclass, ${key}, ${place})`.execute(db)
  }
  for (const { definition } of triggers) await raw(db, definition)
  for (const key of affected) if (isLocal(key.child) === isLocal(key.parent)) await addForeignKey(db, key)
  return [...names]
}

const prepareSession = async (db: Tx) => {
  await sql`select pg_advisory_xact_lock(${sql.lit(ADVISORY_LOCKS.migration)})`.execute(db)
  await applyDistributedSettings(db)
}

/** For the transaction, before the settings of the database apply. */
export const applyDistributedSettings = async (db: Tx) => {
  for (const [name, value] of Object.entries(DATABASE_SETTINGS)) await raw(db, `set local ${name} = '${value}'`)
  await raw(db, 'set local client_min_messages = warning')
}

const requireWorkers = async (db: Db) => {
  const { rows: found } = await sql<{ citus: boolean }>`
    select to_regclass('pg_catalog.pg_dist_node') is not null as citus`.execute(db)
  if (!found[0]?.citus)
    throw new OperatorError('The database lacks the extension citus: create it on every node, then add the workers.')
  const { rows } = await sql<{ workers: number }>`
    select count(*)::int as workers from pg_catalog.pg_dist_node where isactive and shouldhaveshards`.execute(db)
  if (!rows[0]?.workers)
    throw new OperatorError(`The database has no workers: select citus_add_node('host', 5432) adds one.`)
}

/** What a distributed database does without or has besides. Each locks a table, so it runs only where it changes something. */
const ADAPTATIONS: readonly { unless: string; run: string }[] = [
  // Unique across stores. Host names are claimed in host_claim; the id of a feed is random.
  { unless: `to_regclass('domain_host') is null`, run: 'drop index domain_host' },
  {
    unless: `not exists (select from pg_constraint where conname = 'feed_id_key')`,
    run: 'alter table feed drop constraint feed_id_key',
  },
  // Triggers of a table with copies would run on every machine. The service does their work.
  ...['store_console', 'forget_changes'].map((name) => ({
    unless: `not exists (select from pg_trigger where tgrelid = 'store'::regclass and tgname = '${name}')`,
    run: `drop trigger ${name} on store`,
  })),
]

/** References are known once both tables are distributed; these functions once they exist. */
const LAST_ADAPTATIONS: typeof ADAPTATIONS = [
  // Without the trigger forget_changes, references delete the counters of a deleted store.
  ...['tally', 'phone_count', 'first_order'].map((table) => ({
    unless: `exists (select from pg_constraint where conname = '${table}_store_id_fkey')`,
    run: `delete from ${table} where store_id not in (select id from store);
      alter table ${table} add constraint ${table}_store_id_fkey foreign key (store_id) references store on delete cascade`,
  })),
  // References from a worker to the coordinator cannot exist.
  ...['installation', 'app'].map((table) => ({
    unless: `exists (select from pg_trigger where tgrelid = '${table}'::regclass and tgname = 'forget_${table}')`,
    run: `create trigger forget_${table} after delete on ${table} for each row execute function forget_${table}()`,
  })),
  // Each machine counts changes for itself: numbers do not only rise.
  {
    unless: 'not exists (select 1 from feed where floor_n > 0)',
    run: 'update feed set floor_n = 0 where floor_n > 0',
  },
  {
    unless: `to_regprocedure('name_shards_in_triggers(uuid)') is null`,
    run: 'drop function name_shards_in_triggers(uuid)',
  },
]

const adapt = async (db: Tx, adaptations: typeof ADAPTATIONS) => {
  for (const { unless, run } of adaptations) {
    const { rows } = await sql.raw<{ done: boolean }>(`select ${unless} as done`).execute(db)
    if (!rows[0]?.done) await raw(db, run)
  }
}

/** Distributes what is not distributed yet, and replaces what differs in a distributed database, except in shards. */
const distributeRest = async (db: Tx, shards = DEFAULT_SHARDS): Promise<string[]> => {
  await adapt(db, ADAPTATIONS)
  // Citus refuses other functions in writes. Elsewhere they are stable, as to_char() is, or they could not be inlined.
  await raw(db, 'alter function iso(timestamptz) immutable; alter function utc_day(timestamptz) immutable')
  const distributed = await distributeNewTables(db, shards)
  for (const statement of DISTRIBUTED_FUNCTIONS) await raw(db, statement)
  await adapt(db, LAST_ADAPTATIONS)
  await distributeFunctions(db)
  await planForEachStore(db)
  return distributed
}

/** Completes a migration in its transaction: the triggers of shards fit the tables at any time. */
export const distributeMigrated = async (db: Tx) => {
  await distributeRest(db)
  await nameShards(db)
}

/**
 * Distributes the database over the workers that Citus knows, completely or not at all. Running it again distributes what
 * is new and names shards that were moved or split meanwhile. Requests are served while it does.
 */
export const distribute = async (db: Db, shards = DEFAULT_SHARDS): Promise<string[]> => {
  await requireWorkers(db)
  const tables = await db.transaction().execute(async (db) => {
    await prepareSession(db)
    const distributed = await distributeRest(db, shards)
    if (distributed.length > 0) await nameShards(db)
    return distributed
  })
  await nameShards(db)
  await removeLocalRows(db)
  await identifyNewShards(db)
  await keepSettings(db)
  return tables
}

/** Settings of the database hold for connections that begin from now on. */
const keepSettings = async (db: Db) => {
  const { rows } = await sql<{ name: string }>`select current_database()::text as name`.execute(db)
  for (const [name, value] of Object.entries(DATABASE_SETTINGS)) {
    const statement = `alter database ${quote(rows[0]?.name as string)} set ${name} = '${value}'`
    await raw(db, statement)
    await sql`select run_command_on_workers(${statement})`.execute(db)
  }
}

/** Functions that triggers call must exist on the workers too. Numbering runs where the store's rows are. */
const distributeFunctions = async (db: Tx) => {
  const { rows } = await sql<{ signature: string }>`
    select p.oid::regprocedure::text as signature from pg_proc p
    where p.pronamespace = current_schema()::regnamespace and p.prokind in ('f', 'a')
      and p.proname not like 'announce\\_%' and p.proname not in ('install_built_in_app')
      and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')
      and not exists (select 1 from pg_catalog.pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = p.oid
        and (p.proname <> all(${Object.keys(STORE_FUNCTIONS)}::text[]) or o.distribution_argument_index is not null))
    order by p.prokind`.execute(db)
  await distributeInTurn(
    db,
    rows.map(({ signature }) => signature),
  )
}

/**
 * run_in_store() asks for generic plans. Triggers that it fires, and functions that read tables, must not: Citus has to know the
 * store to choose the shard.
 */
const planForEachStore = async (db: Tx) => {
  const { rows } = await sql<{ signature: string; is_trigger: boolean }>`
    select p.oid::regprocedure::text as signature, p.prorettype = 'trigger'::regtype as is_trigger from pg_proc p
    where p.pronamespace = current_schema()::regnamespace and p.proconfig is null and (
      p.prorettype = 'trigger'::regtype and exists (select 1 from pg_trigger t where t.tgfoid = p.oid)
      or p.provolatile = 's' and p.prolang = (select oid from pg_language where lanname = 'plpgsql'))`.execute(db)
  for (const { signature, is_trigger } of rows) {
    await raw(db, `alter function ${signature} set plan_cache_mode = 'auto'`)
    // A statement that Citus plans itself calls them on the worker. They read rows of the same store only, which are there.
    if (!is_trigger) await raw(db, `alter function ${signature} set citus.allow_nested_distributed_execution = 'on'`)
  }
}

/** A function that calls one which the workers do not have yet is tried again after the others. */
const distributeInTurn = async (db: Tx, signatures: readonly string[]): Promise<void> => {
  const left: string[] = []
  let reason: unknown
  for (const signature of signatures) {
    await raw(db, 'savepoint one_function')
    await distributeFunction(db, signature).then(
      () => raw(db, 'release savepoint one_function'),
      async (error) => {
        await raw(db, 'rollback to savepoint one_function')
        left.push(signature)
        reason = error
      },
    )
  }
  if (left.length === signatures.length && reason) throw reason
  if (left.length > 0) await distributeInTurn(db, left)
}

/** Functions that run where the rows of the store are, which is their first argument. */
const STORE_FUNCTIONS: Readonly<Record<string, RawBuilder<unknown>>> = {
  number_changes: sql`, '$1', colocate_with => ${sql.lit(FIRST)}`,
  // Within a transaction too.
  run_in_store: sql`, '$1', colocate_with => ${sql.lit(FIRST)}, force_delegation => true`,
  own_trigger_functions: sql`, '$1', colocate_with => ${sql.lit(FIRST)}, force_delegation => true`,
  use_own_triggers: sql`, '$1', colocate_with => ${sql.lit(FIRST)}, force_delegation => true`,
}

const distributeFunction = (db: Tx, signature: string) =>
  sql`select create_distributed_function(${signature}::text::regprocedure${
    STORE_FUNCTIONS[signature.split('(', 1)[0] as string] ?? sql``
  })`.execute(db)
