import { sql } from 'kysely'
import type { Db } from './database.ts'

/**
 * A shard that is split, as to isolate a store, goes on being written to: what changes is recorded and sent to the new shards.
 * Citus gives these their primary keys some time after it began to record. An update recorded before cannot be applied, and the
 * split never ends, unless a new shard has a replica identity from the moment it is created. `distribute` takes it away again.
 *
 * On each worker, and of the superuser: what others own must not run whenever a superuser creates a table.
 */
const INSTALL = `do $install$ begin
  set local citus.enable_ddl_propagation = off;
  create or replace function storefront_identify_shard() returns event_trigger language plpgsql
  set search_path = pg_catalog set citus.enable_ddl_propagation = off as $$
  declare
    made regclass;
  begin
    for made in
      select k.oid from pg_event_trigger_ddl_commands() c join pg_class k on k.oid = c.objid
      cross join lateral (select substring(k.relname from '_([0-9]{6,18})$')::bigint as shard) d
      where c.classid = 'pg_class'::regclass and c.object_type = 'table'
        and not exists (select from pg_dist_shard s where s.shardid = d.shard)
        and exists (select from pg_dist_shard s join pg_class o on o.oid = s.logicalrelid
          where k.relname = o.relname || '_' || d.shard and k.relnamespace = o.relnamespace)
    loop
      execute format('alter table %s replica identity full', made);
    end loop;
  end $$;
  if not exists (select from pg_event_trigger where evtname = 'storefront_identify_shard') then
    create event trigger storefront_identify_shard on ddl_command_end when tag in ('CREATE TABLE')
      execute function storefront_identify_shard();
  end if;
end $install$`

const IS_INSTALLED = `select exists (select from pg_event_trigger where evtname = 'storefront_identify_shard')`

/** Lets shards be split while they are written to. Only a superuser may. */
export const identifyNewShards = async (db: Db) => {
  const { rows } = await sql<{ is_superuser: boolean }>`
    select rolsuper as is_superuser from pg_roles where rolname = current_user`.execute(db)
  if (rows[0]?.is_superuser) await sql`select run_command_on_workers(${INSTALL})`.execute(db)
}

/** Whether a shard of any worker can be split while it is written to. */
export const areNewShardsIdentified = async (db: Db): Promise<boolean> => {
  const { rows } = await sql<{ everywhere: boolean }>`
    select coalesce(bool_and(success and result = 't'), false) as everywhere
    from run_command_on_workers(${IS_INSTALLED})`.execute(db)
  return rows[0]?.everywhere ?? false
}
