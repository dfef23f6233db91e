-- What has changed and has no position yet. A transaction adds its rows here, through the triggers below; once it has
-- committed, number_changes() moves them to `event`. So writers never wait for each other, and a reader never misses a
-- transaction that commits late. There is no reference to the store: it would lock the store's row.
create sequence change_n;
create table change (
  store_id        uuid not null,
  n               bigint not null default nextval('change_n'),
  -- Changes of one transaction to one resource become one event.
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
  primary key (store_id, n)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000);

-- One row for each store with events. Positions come from here, not from a sequence, so that they have no gaps.
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
  next_xid xid8 not null default '0'
) with (fillfactor = 50);

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
  primary key (store_id, position)
) with (autovacuum_vacuum_insert_scale_factor = 0.05);
create index event_time on event (store_id, at, position);

create aggregate merged(jsonb) (sfunc = jsonb_concat, stype = jsonb, initcond = '{}');
create aggregate joined(text[]) (sfunc = array_cat, stype = text[], initcond = '{}');

-- Gives committed changes of a store their positions, at most 5,000 at a time, and returns how many it took. `n` is drawn
-- under the lock of the changed row, so that of two changes of a resource the earlier has the lower n and is visible
-- whenever the later is: by n is the sequence in which they happened.
create function number_changes(store uuid) returns integer language plpgsql as $$
declare
  stand  feed;
  drawn  bigint;
  raises boolean;
  moment timestamptz(3);
  taken  integer;
  added  integer;
begin
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
  -- Read before the snapshot of the last statement is taken: whoever has drawn one of these is older than that.
  select s.last_value - (not s.is_called)::int into drawn from change_n s;
  with gone as (
    delete from change c where c.store_id = store and c.n in (
      select o.n from change o where o.store_id = store and o.n > stand.floor_n order by o.n limit 5000)
    returning c.*
  ), touched as (
    select g.kind, g.resource_id, min(g.n) as n, max(g.at) as at, bool_or(g.op = 'c') as made, bool_or(g.op = 'd') as lost,
      max(g.action) as action, joined(g.changed) as changed, merged(g.previous order by g.n desc) as previous,
      (array_agg(g.app_id order by g.n))[1] as app_id, (array_agg(g.installation_id))[1] as installation_id
    from gone g group by g.xact, g.kind, g.resource_id
  ), numbered as (
    insert into event (store_id, position, n, kind, action, resource_id, changed, previous, app_id, installation_id, at)
    select store, stand.last + row_number() over (order by t.n), t.n, t.kind,
      coalesce(t.action, case when t.lost then 'deleted' when t.made then 'created' else 'updated' end), t.resource_id,
      case when t.made or t.lost then '{}' else array(select distinct f from unnest(t.changed) f order by f) end,
      case when t.made or t.lost then '{}' else t.previous end,
      t.app_id, t.installation_id, greatest(moment, max(t.at) over (order by t.n))
    from touched t where not (t.made and t.lost)
    returning 1
  )
  select (select count(*) from gone), (select count(*) from numbered) into taken, added;
  update feed f set last = stand.last + added,
    floor_n = case when raises and taken < 5000 then stand.next_n else stand.floor_n end,
    next_n = case when raises then drawn else stand.next_n end,
    next_xid = case when raises then pg_snapshot_xmax(pg_current_snapshot()) else stand.next_xid end
  where f.store_id = store;
  return taken;
end $$;

-- A store that is removed takes its feed along, and what has no position yet.
create function forget_changes() returns trigger language plpgsql as $$
begin
  delete from change c where c.store_id = old.id;
  return null;
end $$;
create trigger forget_changes after delete on store for each row execute function forget_changes();

create function keep_updated_at() returns trigger language plpgsql as $$
begin
  new.updated_at := old.updated_at;
  return new;
end $$;

-- Notes the changes of a table, whoever makes them, psql included:
--   select capture_changes('discount', states => '{status,amount}');
-- A table that is a part of a resource notes the change of the whole:
--   select capture_changes('delivery', kind => 'order', part => 'deliveries', whole => 'order_id');
-- All columns count but `hidden` ones, those that end in _key, and updated_at. An update that changes none of them notes
-- nothing. `states` are columns whose value before the change is kept: states, numbers, flags, and nothing personal.
-- `renamed` gives the name that a column has in the API, where it is another one. `steady`: an update that notes nothing
-- leaves updated_at alone as well; not for a table whose parts set it. To be called again when a column is added.
--
-- Updates are captured row by row: comparing two rows costs a fraction of joining two transition tables, and the condition
-- of the trigger sorts out those that change nothing before any function is called.
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
    begin
      if tg_op = 'UPDATE' then
        insert into change (store_id, kind, resource_id, op, changed, previous)
        values (new.store_id, %2$L, new.%3$I, 'u', array_remove(array[%4$s], null), %5$s);
      elsif tg_op = 'INSERT' then
        insert into change (store_id, kind, resource_id, op, changed)
        select %6$s r.store_id, %2$L, r.%3$I, %7$L::"char", %8$L::text[] from added r;
      else
        -- A store that is removed takes its rows along; nobody is left to hear of it.
        insert into change (store_id, kind, resource_id, op, changed)
        select %6$s r.store_id, %2$L, r.%3$I, %9$L::"char", %8$L::text[] from removed r
        where (select true from store s where s.id = r.store_id);
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
      for each statement execute function %I()', source, 'capture_' || source_name);
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

select capture_changes('orders', 'order',
  states => '{status,currency,customer_id,shipping_rate,discount,tip,tip_value,bundle_price,fee,subtotal,total,quantity,'
    'is_archived,is_cancelled,cancelled_at,paid_at,payment_method_id,landing_page_id}',
  hidden => '{delivery_statuses,refund_statuses}',
  renamed => '{"country_id": "customer_country", "payment_method_id": "payment_method", "landing_page_id": "landing_page",
    "return_statuses": "returns.delivery.status"}');
-- Lines are added with their order, delivery, return or refund, which notes it.
select capture_changes('order_line', 'order', part => 'variants', whole => 'order_id', hidden => '{stock_taken}',
  operations => '{update,delete}');
select capture_changes('delivery', 'order', part => 'deliveries', whole => 'order_id', states => '{status}');
select capture_changes('order_return', 'order', part => 'returns', whole => 'order_id');
select capture_changes('refund', 'order', part => 'refunds', whole => 'order_id', states => '{status,amount}');

select capture_changes('product', states => '{is_digital,status,stock_tracked,allow_order_when_oos,category_id}',
  hidden => '{words,title_words,has_stock,slug_is_twin}', renamed => '{"category_id": "category"}');
select capture_changes('variant', 'product', part => 'variants', whole => 'product_id',
  states => '{price,compare_price,quantity}', hidden => '{choice}', steady => true);
select capture_changes('product_option', 'product', part => 'options', whole => 'product_id');
select capture_changes('option_value', 'product', part => 'options.values', whole => 'product_id');
select capture_changes('product_property', 'product', part => 'properties', whole => 'product_id');

select capture_changes('category');
select capture_changes('customer', states => '{subscription_status,order_count,amount_spent,latest_order_id}',
  hidden => '{phone_digits,search}', renamed => '{"latest_order_id": "latest_order"}', steady => true);
select capture_changes('review', states => '{status,rating}', renamed => '{"product_id": "product"}', steady => true);
select capture_changes('landing_page', states => '{product_id,domain_id,cod_type,published_at,lang}',
  hidden => '{slug_is_twin}', steady => true);
select capture_changes('file', hidden => '{sha256,owner_kinds,is_public,was_sold}');
select capture_changes('shipping_carrier', states => '{status}');
select capture_changes('payment_method', states => '{status,connected}');

-- Links of files have owners of several kinds.
create function capture_file_link() returns trigger language plpgsql as $$
begin
  insert into change (store_id, kind, resource_id, op, changed)
  select distinct l.store_id,
    case when l.landing_page_id is not null then 'landing_page' when l.review_id is not null then 'review'
      else 'product' end,
    coalesce(l.product_id, v.product_id, l.landing_page_id, l.review_id), 'u'::"char",
    array[case l.role when 'variant_image' then 'variants.image' when 'digital_product' then 'variants.file'
      when 'ugc_video' then 'ugc_videos' else 'images' end]
  from changed l left join variant v on v.store_id = l.store_id and v.id = l.variant_id
  where coalesce(l.product_id, v.product_id, l.landing_page_id, l.review_id) is not null
    and exists (select from store s where s.id = l.store_id);
  return null;
end $$;
create trigger capture_insert after insert on file_link referencing new table as changed
  for each statement execute function capture_file_link();
create trigger capture_delete after delete on file_link referencing old table as changed
  for each statement execute function capture_file_link();
create trigger capture_update after update on file_link referencing new table as changed
  for each statement execute function capture_file_link();
