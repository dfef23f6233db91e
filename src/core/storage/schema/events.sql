-- The feed of a store: what changed, in the sequence in which it happened.
--
-- A transaction adds its changes to `change`, through triggers. Once it has committed, number_changes() gives them their
-- positions and moves them to `event`. So writers never wait for each other, and a reader never misses a transaction that
-- commits late.

-- Every transaction has its id before it draws an n: see number_changes().
create sequence change_n;

-- A change that has no position yet. There is no reference to the store: it would lock the store's row.
create table change (
  store_id        uuid not null,
  n               bigint not null default case when pg_current_xact_id() is not null then nextval('change_n') end,
  -- Changes of one transaction to one resource become one event; what is noted becomes one of its own.
  xact            xid8 not null default pg_current_xact_id(),
  kind            text collate "C" not null,
  resource_id     uuid not null,
  -- c(reated), u(pdated), d(eleted), or n(oted): then `action` tells what happened.
  op              "char" not null,
  action          text,
  changed         text[] not null default '{}',
  -- States, numbers and flags before the change. Never names, addresses or other personal data.
  previous        jsonb not null default '{}',
  app_id          uuid default nullif(current_setting('storefront.app', true), '')::uuid,
  -- Only this installation sees the event.
  installation_id uuid,
  at              timestamptz(3) not null default clock_timestamp(),
  -- Who made the change: besides the app, the person behind it, and whether an assistant did it for them.
  account_id      uuid default nullif(current_setting('storefront.account', true), '')::uuid,
  via             text collate "C" default nullif(current_setting('storefront.via', true), ''),
  -- The trace of the request, as a W3C traceparent, so that the delivery of the event continues it. Null unless the request is
  -- traced.
  trace           text collate "C" default nullif(current_setting('storefront.trace', true), ''),
  primary key (store_id, n)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000);
select store_table('change');

-- For RETURNING, because triggers run after it. With a column as an argument, it is not computed before the statement runs. A
-- distributed database takes only immutable functions there.
create function attribute_change(id uuid, app text, account text, via text, trace text) returns text
language plpgsql immutable as $$
begin
  perform set_config('storefront.account', coalesce(account, ''), true), set_config('storefront.via', coalesce(via, ''), true),
    set_config('storefront.trace', coalesce(trace, ''), true);
  return set_config('storefront.app', coalesce(app, ''), true);
end $$;

-- How far the events of a store are numbered. Positions come from here, not from a sequence, so that they have no gaps.
create table feed (
  store_id uuid primary key references store on delete cascade,
  -- Part of every cursor: those of before a restore are refused.
  id       text collate "C" not null default substr(replace(gen_random_uuid()::text, '-', ''), 1, 12) unique,
  last     bigint not null default 0,
  -- Events up to here have been deleted because of their age.
  swept    bigint not null default 0,
  -- No change with an n up to this one can appear any more. Numbering starts behind it, past rows that are dead but
  -- cannot be removed yet, because a backup still reads.
  floor_n  bigint not null default 0,
  -- The next floor, which holds once all transactions before next_xid have ended.
  next_n   bigint not null default 0,
  next_xid xid8 not null default '0',
  -- Not used any more. Backups of earlier releases have it.
  node     integer not null default 0
) with (fillfactor = 50);
select store_table('feed');

-- A change with its position in the feed.
create table event (
  store_id        uuid not null references store on delete cascade,
  position        bigint not null,
  n               bigint not null,
  kind            text collate "C" not null,
  action          text collate "C" not null,
  resource_id     uuid not null,
  changed         text[] not null,
  previous        jsonb not null,
  app_id          uuid,
  installation_id uuid,
  -- Never earlier than that of the position before, so that a range of time is a range of positions.
  at              timestamptz(3) not null,
  account_id      uuid,
  via             text collate "C",
  trace           text collate "C",
  primary key (store_id, position)
) with (autovacuum_vacuum_insert_scale_factor = 0.05);
select store_table('event');
create index event_time on event (store_id, at, position);

-- A store that is removed takes its feed along, what has no position yet, and its counters. At the end of the transaction:
-- rows that go with their store fire their triggers after those of the store.
create function forget_changes() returns trigger language plpgsql as $$
begin
  delete from "change" c where c.store_id = old.id;
  delete from "tally" t where t.store_id = old.id;
  delete from "phone_count" p where p.store_id = old.id;
  delete from "first_order" f where f.store_id = old.id;
  return null;
end $$;
create constraint trigger forget_changes after delete on store deferrable initially deferred
  for each row execute function forget_changes();

create aggregate merged(jsonb) (sfunc = jsonb_concat, stype = jsonb, initcond = '{}');
create aggregate joined(text[]) (sfunc = array_cat, stype = text[], initcond = '{}');

-- Gives committed changes of a store their positions, at most 5,000 at a time, and returns how many it took. `n` is drawn
-- under the lock of the changed row, so that of two changes of a resource the earlier has the lower n and is visible
-- whenever the later is: by n is the sequence in which they happened.
--
-- The rows to number are a range of n. A list of their numbers would be joined by a plan that a connection made for a few
-- rows and keeps: minutes for 40,000 changes at once. The floor is bounded by the id of the numbering transaction: the xmax
-- of a snapshot is the id behind the last one that has ended, not behind the last one that was given out.
create function number_changes(store uuid) returns integer language plpgsql as $$
declare
  stand  feed;
  drawn  bigint;
  raises boolean;
  moment timestamptz(3);
  taken  integer;
  added  integer;
begin
  -- Read before this transaction gets its id: whoever has drawn one of these has a lower id.
  if pg_current_xact_id_if_assigned() is null then
    select s.last_value - (not s.is_called)::int into drawn from change_n s;
  end if;
  if not exists (
    select from change c where c.store_id = store
      and c.n > coalesce((select f.floor_n from feed f where f.store_id = store), 0))
  then
    return 0;
  end if;
  insert into feed (store_id) values (store) on conflict do nothing;
  -- One numbers, the others wait for it.
  select * into stand from feed f where f.store_id = store for no key update;
  select e.at into moment from event e where e.store_id = store and e.position = stand.last;
  -- All that ran when the next floor was noted have ended: what they changed is visible to the statement below.
  raises := pg_snapshot_xmin(pg_current_snapshot()) >= stand.next_xid;
  with gone as (
    delete from change c where c.store_id = store and c.n > stand.floor_n and c.n <= (
      select max(o.n) from (
        select i.n from change i where i.store_id = store and i.n > stand.floor_n order by i.n limit 5000) o)
    returning c.*
  ), touched as (
    select g.kind, g.resource_id, min(g.n) as n, max(g.at) as at, bool_or(g.op = 'c') as made, bool_or(g.op = 'd') as lost,
      max(g.action) as action, joined(g.changed) as changed, merged(g.previous order by g.n desc) as previous,
      (array_agg(g.app_id order by g.n))[1] as app_id, (array_agg(g.account_id order by g.n))[1] as account_id,
      (array_agg(g.via order by g.n))[1] as via, min(g.trace) as trace,
      (array_agg(g.installation_id))[1] as installation_id
    from gone g group by g.xact, g.kind, g.resource_id, g.action
  ), numbered as (
    insert into event (store_id, position, n, kind, action, resource_id, changed, previous, app_id, account_id, via,
      trace, installation_id, at)
    select store, stand.last + row_number() over (order by t.n), t.n, t.kind,
      coalesce(t.action, case when t.lost then 'deleted' when t.made then 'created' else 'updated' end), t.resource_id,
      case when t.made or t.lost then '{}' when cardinality(t.changed) < 2 then t.changed
        else array(select distinct f from unnest(t.changed) f order by f) end,
      case when t.made or t.lost then '{}' else t.previous end,
      t.app_id, t.account_id, t.via, t.trace, t.installation_id, greatest(moment, max(t.at) over (order by t.n))
    from touched t where not (t.made and t.lost)
    returning 1
  )
  select (select count(*) from gone), (select count(*) from numbered) into taken, added;
  update feed f set last = stand.last + added,
    floor_n = case when raises and taken < 5000 then stand.next_n else stand.floor_n end,
    next_n = case when raises and drawn is not null then drawn else stand.next_n end,
    next_xid = case when raises and drawn is not null then pg_current_xact_id() else stand.next_xid end
  where f.store_id = store;
  return taken;
end $$;

create function keep_updated_at() returns trigger language plpgsql as $$
begin
  new.updated_at := old.updated_at;
  return new;
end $$;

-- Captures the changes of a table, whoever makes them, psql included:
--   select capture_changes('discount', states => '{status,amount}');
-- A table that is a part of a resource captures the change of the whole:
--   select capture_changes('delivery', kind => 'order', part => 'deliveries', whole => 'order_id');
-- All columns count but `hidden` ones, those that end in _key, and updated_at. An update that changes none of them captures
-- nothing. `states` are columns whose value before the change is kept: states, numbers, flags, and nothing personal.
-- `renamed` gives the name that a column has in the API, where it is another one. `steady`: an update that captures nothing
-- leaves updated_at alone as well; not for a table whose parts set it. To be called again when a column is added.
--
-- Updates are captured row by row: comparing two rows costs a fraction of joining two transition tables, and the condition
-- of the trigger sorts out those that change nothing before any function is called. A statement writes rows of one store,
-- which is named by value, and combines no transition table with a stored one: Citus runs such statements on one machine.
create function capture_changes(source regclass, kind text default null, states text[] default '{}',
  hidden text[] default '{}', renamed jsonb default '{}', part text default null, whole text default 'id',
  operations text[] default '{insert,update,delete}', steady boolean default false) returns void language plpgsql as $$
declare
  source_name text := (select relname from pg_class where oid = source);
  resource    text := coalesce(kind, source_name);
  prefix      text := coalesce(part || '.', '');
  -- Of the columns that count: whether any differs, the names of those that do, the values before.
  differs     text;
  names       text;
  before      text;
begin
  select string_agg(c.differs, ' or ' order by c.place),
    string_agg(format('case when %s then %L end', c.differs, prefix || c.field), ', ' order by c.place),
    coalesce(string_agg(format($f$case when %s then jsonb_build_object(%s, %s) else '{}' end$f$, c.differs,
      case when part is null then quote_literal(c.field)
        else format('%L || new.id || %L', prefix, '.' || c.field) end, c.shown), ' || ' order by c.place)
      filter (where c.name = any(states)), $f$'{}'::jsonb$f$)
  into differs, names, before
  from (
    select a.attname as name, coalesce(renamed ->> a.attname, a.attname) as field, a.attnum as place,
      format(case a.atttypid when 'json'::regtype then 'new.%1$I::text is distinct from old.%1$I::text'
        else 'new.%1$I is distinct from old.%1$I' end, a.attname) as differs,
      format(case a.atttypid when 'numeric'::regtype then 'trim_scale(old.%I)' when 'timestamptz'::regtype
        then 'iso(old.%I)' else 'old.%I' end, a.attname) as shown
    from pg_attribute a
    where a.attrelid = source and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      and a.attname not in ('store_id', 'id', 'updated_at', whole) and a.attname not like '%\_key'
      and a.attname <> all(hidden)
  ) c;

  execute format($f$
    create or replace function %1$I() returns trigger language plpgsql as $t$
    declare
      owner record;
    begin
      if tg_op = 'UPDATE' then
        insert into "change" (store_id, kind, resource_id, op, changed, previous)
        values (new.store_id, %2$L, new.%3$I, 'u', array_remove(array[%4$s], null), %5$s);
      elsif tg_op = 'INSERT' then
        for owner in select r.store_id, array_agg(%6$s r.%3$I) as ids from added r group by r.store_id loop
          insert into "change" (store_id, kind, resource_id, op, changed)
          select owner.store_id, %2$L, x.id, %7$L::"char", %8$L::text[] from unnest(owner.ids) x (id);
        end loop;
      else
        for owner in select r.store_id, array_agg(%6$s r.%3$I) as ids from removed r group by r.store_id loop
          -- A store that is removed takes its rows along; nobody is left to hear of it.
          if exists (select 1 from "store" s where s.id = owner.store_id) then
            insert into "change" (store_id, kind, resource_id, op, changed)
            select owner.store_id, %2$L, x.id, %9$L::"char", %8$L::text[] from unnest(owner.ids) x (id);
          end if;
        end loop;
      end if;
      return null;
    end $t$
  $f$, 'capture_' || source_name, resource, whole, names, before, case when part is null then '' else 'distinct' end,
    case when part is null then 'c' else 'u' end, case when part is null then '{}' else array[part]::text end,
    case when part is null then 'd' else 'u' end);

  if 'insert' = any(operations) then
    execute format('create or replace trigger capture_insert after insert on %s referencing new table as added
      for each statement execute function %I()', source, 'capture_' || source_name);
  end if;
  if 'delete' = any(operations) then
    execute format('create or replace trigger capture_delete after delete on %s referencing old table as removed
      for each statement when (store_remains()) execute function %I()', source, 'capture_' || source_name);
  end if;
  if 'update' = any(operations) then
    execute format('create or replace trigger capture_update after update on %s for each row when (%s)
      execute function %I()', source, differs, 'capture_' || source_name);
  end if;
  if steady then
    execute format('create or replace trigger keep_updated_at before update on %s for each row
      when (new.updated_at is distinct from old.updated_at and not (%s)) execute function keep_updated_at()', source, differs);
  end if;
end $$;

-- Captures the creation of a resource of this kind. Only for resources that requests create one at a time: parts, of which
-- a statement may add thousands to one resource, are captured by the statement.
create function capture_created() returns trigger language plpgsql as $$
begin
  insert into "change" (store_id, kind, resource_id, op, changed) values (new.store_id, tg_argv[0], new.id, 'c', '{}');
  return null;
end $$;

-- Captures a new part of an order. Only for parts that requests add one at a time.
create function capture_added_part() returns trigger language plpgsql as $$
begin
  insert into "change" (store_id, kind, resource_id, op, changed)
  values (new.store_id, 'order', new.order_id, 'u', array[tg_argv[0]]);
  return null;
end $$;
