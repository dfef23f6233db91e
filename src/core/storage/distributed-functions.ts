/** What differs in a distributed database. Each is one statement. */
export const DISTRIBUTED_FUNCTIONS: readonly string[] = [
  // References from a worker to the coordinator cannot exist.
  `create or replace function forget_installation() returns trigger language plpgsql as $$
  begin
    delete from "webhook" w where w.store_id = old.store_id and w.installation_id = old.id;
    delete from "idempotency" k where k.store_id = old.store_id and k.installation_id = old.id;
    return null;
  end $$`,
  `create or replace function forget_app() returns trigger language plpgsql as $$
  begin
    update "order_event" e set app_id = null where e.app_id = old.id;
    return null;
  end $$`,

  // As schema/counters.sql writes it; releases before replaced it here with triggers that counted updates wrongly.
  `create or replace function count_rows(counted regclass, facets text) returns void language plpgsql as $$
  begin
    perform count_changes(counted, facets);
    execute format('insert into tally (store_id, kind, facet, delta) select r.store_id, %L, f, count(*)
      from %s r, unnest(%s) f group by 1, 3', (select relname from pg_class where oid = counted), counted, facets);
  end $$`,

  // As schema/changed-since.sql has it, but a time of this transaction may be that of the coordinator, whose transaction began
  // earlier and whose clock may differ a little: Citus computes now() there.
  `create or replace function note_time_of_change() returns trigger language plpgsql as $$
  declare
    given timestamptz := new.updated_at;
  begin
    if abs(extract(epoch from clock_timestamp() - given)) > 60 then return new; end if;
    perform pg_advisory_xact_lock_shared((change_lock_group(new.store_id)::bigint << 32) | change_lock_time(now()));
    new.updated_at := date_trunc('milliseconds', clock_timestamp());
    if tg_op = 'INSERT' and tg_argv[0] = 'created_at' and new.created_at = given then
      new.created_at := new.updated_at;
    end if;
    return new;
  end $$`,

  // The shards that have the same stores as a shard of orders, and the tables that every machine has.
  `create or replace function shards_beside(shard bigint) returns table (owner regclass, name text, is_copy boolean)
  language sql stable as $$
    select s.logicalrelid::regclass, shard_name(s.logicalrelid, s.shardid), p.repmodel = 't' from pg_catalog.pg_dist_shard o
    join pg_catalog.pg_dist_partition q on q.logicalrelid = o.logicalrelid
    join pg_catalog.pg_dist_partition p on p.colocationid = q.colocationid or p.repmodel = 't'
    join pg_catalog.pg_dist_shard s on s.logicalrelid = p.logicalrelid
    where o.shardid = shard and (p.repmodel = 't' or s.shardminvalue = o.shardminvalue)
  $$`,

  // The statement with the names of shards in place of quoted tables.
  `create or replace function name_shards(statement text, shard bigint) returns text language plpgsql as $$
  declare
    s record;
  begin
    for s in select c.relname as owner, b.name from shards_beside(shard) b join pg_class c on c.oid = b.owner loop
      statement := replace(statement, format('"%s"', s.owner), s.name);
    end loop;
    return statement;
  end $$`,

  // Runs a statement on the shards of a store, on the worker that has them, without Citus: it would plan the statement on the
  // coordinator and again on the worker. The lock is the one that Citus takes for a write, so that the shard cannot move
  // meanwhile. If it has moved while this waited, the transaction starts over.
  //
  // The statement is prepared once per shard and connection; a setting remembers that, because looking into
  // pg_prepared_statements takes longer. PostgreSQL needs about 130 bytes per character of a prepared statement, and callers
  // can request more combinations of filters than fit into memory: beyond this length a statement is prepared for one use.
  `create or replace function run_in_store(store uuid, statement text, parameters text[]) returns json language plpgsql
  set plan_cache_mode = force_generic_plan as $$
  declare
    max_characters constant integer := 400000;
    shard    bigint := get_shard_id_for_distribution_column('orders', store);
    prepared text := 's' || shard || '_' || md5(statement);
    is_kept  boolean := true;
    answer   record;
    found    integer;
  begin
    perform lock_shard_metadata(5, array[shard]);
    if not exists (
      select 1 from pg_catalog.pg_dist_placement p, pg_catalog.pg_dist_local_group l where p.shardid = shard and p.groupid = l.groupid)
    then
      raise 'The rows of store % are on another machine.', store using errcode = 'serialization_failure';
    end if;
    if current_setting('storefront.' || prepared, true) is null then
      if not exists (select 1 from pg_prepared_statements s where s.name = prepared) then
        is_kept := length(statement) + (select coalesce(sum(length(s.statement)), 0) from pg_prepared_statements s) < max_characters;
        execute format('prepare %I as %s', prepared, name_shards(statement, shard));
      end if;
      if is_kept then perform set_config('storefront.' || prepared, '', false); end if;
    end if;
    execute format('execute %I (%s)', prepared, (select string_agg(quote_nullable(v), ',' order by n)
      from unnest(parameters) with ordinality p (v, n))) into answer;
    get diagnostics found = row_count;
    if not is_kept then execute format('deallocate %I', prepared); end if;
    return case when found > 0 then to_json(answer) end;
  end $$`,

  // Gives the triggers of a store's shards, as far as they name tables, functions that name the shards. Those of the tables work there too,
  // but Citus takes 0.1 to 0.5 ms for each of their statements, and lets them wait while other shards are split. Returns the
  // tables whose shards use_own_triggers() has to change, in this sequence: those of a shard that was moved or split have the
  // general functions, and those of one that was split the replica identity of identify-shards.ts.
  `create or replace function own_trigger_functions(store uuid) returns text[] language plpgsql
  set citus.enable_ddl_propagation = off as $$
  declare
    shard bigint := get_shard_id_for_distribution_column('orders', store);
    own   record;
  begin
    for own in
      select p.proname || '_' || shard as name, name_shards(p.prosrc, shard) as source from pg_proc p
      where p.pronamespace = current_schema()::regnamespace and p.prosrc <> name_shards(p.prosrc, shard)
        and p.oid in (select t.tgfoid from shards_beside(shard) b join pg_trigger t on t.tgrelid = b.owner)
    loop
      continue when exists (select 1 from pg_proc p where p.proname = own.name and p.prosrc = own.source);
      execute format('create or replace function %I() returns trigger language plpgsql set plan_cache_mode = auto as %L',
        own.name, own.source);
    end loop;
    -- A trigger that names the shard of another table takes its defaults for granted.
    return array(
      select b.owner::text from shards_beside(shard) b
      cross join lateral (select exists (select from defaults_to_draw(b.owner, b.name)) as draws) d
      where not b.is_copy and (d.draws or is_identified_twice(b.name) or exists (select from triggers_to_name(b.name, shard)))
      order by d.draws desc);
  end $$`,

  // It writes the whole row to the log for each change, although its primary key says enough.
  `create or replace function is_identified_twice(shard_name text) returns boolean language sql stable as $$
    select exists (select from pg_class c join pg_index i on i.indrelid = c.oid and i.indisprimary
      where c.oid = to_regclass(shard_name) and c.relreplident = 'f')
  $$`,

  // Citus draws numbers before it writes to a shard, which has no sequences.
  `create or replace function defaults_to_draw(owner regclass, shard_name text)
  returns table (attribute name, drawn text) language sql stable as $$
    select a.attname, pg_get_expr(d.adbin, d.adrelid) from pg_attrdef d
    join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
    where d.adrelid = owner and pg_get_expr(d.adbin, d.adrelid) like '%nextval(%' and not exists (
      select from pg_attrdef s join pg_attribute o on o.attrelid = s.adrelid and o.attnum = s.adnum
      where s.adrelid = to_regclass(shard_name) and o.attname = a.attname
        and pg_get_expr(s.adbin, s.adrelid) = pg_get_expr(d.adbin, d.adrelid))
  $$`,

  `create or replace function triggers_to_name(shard_name text, shard bigint)
  returns table (definition text, general name, own name) language sql stable as $$
    select pg_get_triggerdef(t.oid), g.proname, p.proname from pg_trigger t
    join pg_proc g on g.oid = t.tgfoid join pg_proc p on p.proname = g.proname || '_' || shard
    where t.tgrelid = to_regclass(shard_name)
  $$`,

  `create or replace function use_own_triggers(store uuid, tables text[]) returns void language plpgsql
  set citus.enable_ddl_propagation = off as $$
  declare
    shard bigint := get_shard_id_for_distribution_column('orders', store);
    found record;
    own   record;
  begin
    for found in
      select b.owner, b.name from shards_beside(shard) b where not b.is_copy and b.owner::text = any(tables)
    loop
      for own in select * from defaults_to_draw(found.owner, found.name) loop
        execute format('alter table %s alter %I set default %s', found.name, own.attribute, own.drawn);
      end loop;
      if is_identified_twice(found.name) then
        execute format('alter table %s replica identity default', found.name);
      end if;
      for own in select * from triggers_to_name(found.name, shard) loop
        execute replace(replace(own.definition, 'CREATE TRIGGER', 'CREATE OR REPLACE TRIGGER'),
          format('EXECUTE FUNCTION %I(', own.general), format('EXECUTE FUNCTION %I(', own.own));
      end loop;
    end loop;
  end $$`,

  // Runs on the worker that has the rows of the store, within a transaction on the coordinator. Each machine draws its own n,
  // from a range of its own, and a shard takes its changes along when it moves. So there is no floor below which no change can
  // appear, and changes follow each other by their time; n decides within a millisecond.
  `create or replace function number_changes(store uuid) returns integer language plpgsql as $$
  declare
    stand  feed;
    moment timestamptz(3);
    gone   change[];
    events event[];
    taken  integer;
  begin
    if not exists (select 1 from change c where c.store_id = store) then return 0; end if;
    insert into feed (store_id) values (store) on conflict do nothing;
    -- One numbers, the others wait for it.
    select f.* into stand from feed f where f.store_id = store for no key update;
    select e.at into moment from event e where e.store_id = store and e.position = stand.last;
    with deleted as (
      delete from change c where c.store_id = store and c.n in (
        select o.n from change o where o.store_id = store order by o.at, o.n limit 5000)
      returning c.store_id, c.n, c.xact, c.kind, c.resource_id, c.op, c.action, c.changed, c.previous, c.app_id,
        c.installation_id, c.at, c.account_id, c.via, c.trace
    )
    select array_agg(row(d.store_id, d.n, d.xact, d.kind, d.resource_id, d.op, d.action, d.changed, d.previous, d.app_id,
      d.installation_id, d.at, d.account_id, d.via, d.trace)::change) into gone from deleted d;
    taken := coalesce(cardinality(gone), 0);
    select array_agg(row(store, t.position, t.n, t.kind, t.action, t.resource_id, t.changed, t.previous, t.app_id,
      t.installation_id, t.at, t.account_id, t.via, t.trace)::event) into events
    from (
      select stand.last + row_number() over (order by t.since, t.n) as position, t.n, t.kind,
        coalesce(t.action, case when t.lost then 'deleted' when t.made then 'created' else 'updated' end) as action,
        t.resource_id,
        case when t.made or t.lost then '{}' else array(select distinct f from unnest(t.changed) f order by f) end as changed,
        case when t.made or t.lost then '{}' else t.previous end as previous,
        t.app_id, t.account_id, t.via, t.trace, t.installation_id, greatest(moment, max(t.at) over (order by t.since, t.n)) as at
      from (
        -- The first 16 bits of n tell machines apart, whose transactions may have the same id.
        select g.kind, g.resource_id, min(g.n) as n, min(g.at) as since, max(g.at) as at, bool_or(g.op = 'c') as made,
          bool_or(g.op = 'd') as lost, max(g.action) as action, joined(g.changed) as changed,
          merged(g.previous order by g.at desc, g.n desc) as previous, (array_agg(g.app_id order by g.at, g.n))[1] as app_id,
          (array_agg(g.account_id order by g.at, g.n))[1] as account_id, (array_agg(g.via order by g.at, g.n))[1] as via,
          min(g.trace) as trace, (array_agg(g.installation_id))[1] as installation_id
        from unnest(gone) g group by g.n >> 48, g.xact, g.kind, g.resource_id, g.action
      ) t where not (t.made and t.lost)
    ) t;
    if events is not null then
      insert into event (store_id, position, n, kind, action, resource_id, changed, previous, app_id, installation_id, at,
        account_id, via, trace)
      select store, e.position, e.n, e.kind, e.action, e.resource_id, e.changed, e.previous, e.app_id, e.installation_id, e.at,
        e.account_id, e.via, e.trace
      from unnest(events) e;
      update feed f set last = stand.last + cardinality(events) where f.store_id = store;
    end if;
    return taken;
  end $$`,
]
