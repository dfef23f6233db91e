-- Triggers write the rows of one store per statement and name that store by value, so that they also work in a database
-- that is distributed by store (src/storage/distribute.ts). There, a statement cannot combine a transition table with a
-- stored one: the rows of the transition table are collected into arrays first.

-- Retries are found by their store as well.
alter table idempotency add column store_id uuid;
update idempotency k set store_id = i.store_id from installation i where i.id = k.installation_id;
alter table idempotency alter column store_id set not null;
alter table idempotency drop constraint idempotency_pkey;
alter table idempotency add primary key (store_id, installation_id, key);

-- Deliveries know their app without a look at the installation.
alter table webhook add column app_id uuid;
update webhook w set app_id = i.app_id from installation i where i.id = w.installation_id;
alter table webhook alter column app_id set not null;

-- Shards can move while they are written to.
alter table tally replica identity full;
alter table analytic_change replica identity full;

-- They depend on no setting: the time zone and the format are fixed.
alter function iso(timestamptz) immutable;
alter function utc_day(timestamptz) immutable;

-- Which machine of a distributed database this is; 0 in any other.
create function local_node() returns integer language sql stable as $$ select 0 $$;
-- Where the floor of a feed was noted: transactions and positions of another machine do not compare.
alter table feed add column node integer not null default 0;

-- The captured changes of tables, and of those that are added later.
do $$
declare
  made text;
begin
  for made in
    select pg_get_functiondef(p.oid) from pg_proc p
    where p.pronamespace = current_schema()::regnamespace and p.proname like 'capture\_%' and p.proname <> 'capture_file_link'
  loop
    made := regexp_replace(made,
      'insert into change \(store_id, kind, resource_id, op, changed\)\s+select (distinct|%6\$s|) *r\.store_id, (.*?), r\.(\S+), (\S+), (.*?) from added r;',
      'for owner in select r.store_id, array_agg(\1 r.\3) as ids from added r group by r.store_id loop
          insert into change (store_id, kind, resource_id, op, changed)
          select owner.store_id, \2, x.id, \4, \5 from unnest(owner.ids) x (id);
        end loop;');
    made := regexp_replace(made,
      'insert into change \(store_id, kind, resource_id, op, changed\)\s+select (distinct|%6\$s|) *r\.store_id, (.*?), r\.(\S+), (\S+), (.*?) from removed r\s+where \(select true from store s where s.id = r.store_id\);',
      'for owner in select r.store_id, array_agg(\1 r.\3) as ids from removed r group by r.store_id loop
          if exists (select 1 from store s where s.id = owner.store_id) then
            insert into change (store_id, kind, resource_id, op, changed)
            select owner.store_id, \2, x.id, \4, \5 from unnest(owner.ids) x (id);
          end if;
        end loop;');
    made := regexp_replace(made, '(\$(?:t|function)\$)\s+begin\s+if tg_op = ''UPDATE''', E'\\1\n    declare\n      owner record;\n    begin\n      if tg_op = ''UPDATE''');
    if made not like '%owner record;%' or made like '%from added r;%' or made like '%from removed r\n%' then
      raise 'The function to replace is not as expected: %', made;
    end if;
    execute made;
  end loop;
end $$;

create or replace function capture_file_link() returns trigger language plpgsql as $$
declare
  owner     record;
  kinds     text[];
  resources uuid[];
  fields    text[];
begin
  for owner in
    select l.store_id, array_agg(l.product_id) as products, array_agg(l.variant_id) as variants,
      array_agg(l.landing_page_id) as landing_pages, array_agg(l.review_id) as reviews, array_agg(l.role) as roles
    from changed l group by l.store_id
  loop
    if not exists (select 1 from store s where s.id = owner.store_id) then continue; end if;
    select array_agg(c.kind), array_agg(c.id), array_agg(c.field) into kinds, resources, fields from (
      select distinct
        case when l.landing_page_id is not null then 'landing_page' when l.review_id is not null then 'review'
          else 'product' end as kind,
        coalesce(l.product_id, v.product_id, l.landing_page_id, l.review_id) as id,
        case l.role when 'variant_image' then 'variants.image' when 'digital_product' then 'variants.file'
          when 'ugc_video' then 'ugc_videos' else 'images' end as field
      from unnest(owner.products, owner.variants, owner.landing_pages, owner.reviews, owner.roles)
          l (product_id, variant_id, landing_page_id, review_id, role)
        left join variant v on v.store_id = owner.store_id and v.id = l.variant_id
    ) c where c.id is not null;
    insert into change (store_id, kind, resource_id, op, changed)
    select owner.store_id, x.kind, x.id, 'u'::"char", array[x.field] from unnest(kinds, resources, fields) x (kind, id, field);
  end loop;
  return null;
end $$;

-- Counts the changes of a table; `facets` are those of a row r.
create function count_changes(counted regclass, facets text) returns void language plpgsql as $$
declare
  kind text := (select relname from pg_class where oid = counted);
begin
  execute format($f$
    create or replace function %3$I() returns trigger language plpgsql as $t$
    declare
      owner record;
    begin
      if tg_op = 'INSERT' then
        for owner in
          select c.store_id, array_agg(c.facet) as facets, array_agg(c.delta) as deltas
          from (select r.store_id, f as facet, count(*) as delta from added r, unnest(%2$s) f group by 1, 2) c
          group by c.store_id
        loop
          insert into tally (store_id, kind, facet, delta)
          select owner.store_id, %1$L, x.facet, x.delta from unnest(owner.facets, owner.deltas) x (facet, delta);
        end loop;
      elsif tg_op = 'DELETE' then
        for owner in
          select c.store_id, array_agg(c.facet) as facets, array_agg(c.delta) as deltas
          from (select r.store_id, f as facet, -count(*) as delta from removed r, unnest(%2$s) f group by 1, 2) c
          group by c.store_id
        loop
          -- A store that is removed takes its rows along; then there is nothing left to count for.
          if exists (select 1 from store s where s.id = owner.store_id) then
            insert into tally (store_id, kind, facet, delta)
            select owner.store_id, %1$L, x.facet, x.delta from unnest(owner.facets, owner.deltas) x (facet, delta);
          end if;
        end loop;
      else
        for owner in
          select c.store_id, array_agg(c.facet) as facets, array_agg(c.delta) as deltas
          from (
            select store_id, facet, sum(delta)::bigint as delta from (
              select r.store_id, f as facet, 1 as delta from added r, unnest(%2$s) f
              union all select r.store_id, f, -1 from removed r, unnest(%2$s) f
            ) changes group by 1, 2 having sum(delta) <> 0
          ) c
          group by c.store_id
        loop
          insert into tally (store_id, kind, facet, delta)
          select owner.store_id, %1$L, x.facet, x.delta from unnest(owner.facets, owner.deltas) x (facet, delta);
        end loop;
      end if;
      return null;
    end $t$
  $f$, kind, facets, 'tally_' || kind);
end $$;

do $$
declare
  counted record;
begin
  for counted in
    select substr(p.proname, 7) as name, substring(p.prosrc from 'from added r, unnest\((.*?)\) f group by 1, 3;') as facets
    from pg_proc p where p.pronamespace = current_schema()::regnamespace and p.proname like 'tally\_%' and p.proname <> 'tally_blob'
  loop
    perform count_changes(counted.name::regclass, counted.facets);
  end loop;
end $$;

create or replace function count_rows(counted regclass, facets text) returns void language plpgsql as $$
declare
  kind text := (select relname from pg_class where oid = counted);
begin
  perform count_changes(counted, facets);
  execute format($f$
    create or replace trigger tally_insert after insert on %2$s referencing new table as added
      for each statement execute function %4$I();
    create or replace trigger tally_delete after delete on %2$s referencing old table as removed
      for each statement when (store_remains()) execute function %4$I();
    create or replace trigger tally_update after update on %2$s referencing new table as added old table as removed
      for each statement execute function %4$I();
    insert into tally select r.store_id, %1$L, f, count(*) from %2$s r, unnest(%3$s) f group by 1, 3;
  $f$, kind, counted, facets, 'tally_' || kind);
end $$;

create or replace function tally_blob() returns trigger language plpgsql as $$
declare
  owner record;
begin
  for owner in select r.store_id, sum(r.size)::bigint as size from changed r group by 1 loop
    if tg_op = 'INSERT' then
      insert into tally (store_id, kind, facet, delta) values (owner.store_id, 'blob', 'bytes', owner.size);
    elsif exists (select 1 from store s where s.id = owner.store_id) then
      insert into tally (store_id, kind, facet, delta) values (owner.store_id, 'blob', 'bytes', -owner.size);
    end if;
  end loop;
  return null;
end $$;

create or replace function copy_customer_text() returns trigger language plpgsql as $$
declare
  owner record;
begin
  for owner in
    select c.store_id, array_agg(row(c.store_id, c.id, c.name_key, c.phone_digits, c.address_key, c.city_key,
      c.postal_code_key, c.search, c.country_id)::customer_text) as texts
    from added c group by c.store_id
  loop
    insert into customer_text (store_id, customer_id, name_key, phone_digits, address_key, city_key, postal_code_key,
      search, country_id)
    select owner.store_id, c.customer_id, c.name_key, c.phone_digits, c.address_key, c.city_key, c.postal_code_key,
      c.search, c.country_id
    from unnest(owner.texts) c;
  end loop;
  return null;
end $$;

create or replace function note_deliveries() returns trigger language plpgsql as $$
declare
  part record;
begin
  for part in select distinct c.store_id, c.order_id from changed c loop
    update orders o set delivery_statuses = now_has.deliveries, return_statuses = now_has.returns
    from (
      select
        coalesce(array_agg(distinct d.status) filter (where not d.is_return), '{}') as deliveries,
        coalesce(array_agg(distinct d.status) filter (where d.is_return), '{}') as returns
      from delivery d where d.store_id = part.store_id and d.order_id = part.order_id
    ) now_has
    where o.store_id = part.store_id and o.id = part.order_id
      and (o.delivery_statuses, o.return_statuses) is distinct from (now_has.deliveries, now_has.returns);
  end loop;
  return null;
end $$;

create or replace function note_refunds() returns trigger language plpgsql as $$
declare
  part record;
begin
  for part in select distinct c.store_id, c.order_id from changed c loop
    update orders o set refund_statuses = now_has.refunds
    from (
      select coalesce(array_agg(distinct r.status), '{}') as refunds
      from refund r where r.store_id = part.store_id and r.order_id = part.order_id
    ) now_has
    where o.store_id = part.store_id and o.id = part.order_id and o.refund_statuses is distinct from now_has.refunds;
  end loop;
  return null;
end $$;

-- Locked first and looked at after: of two changes that are made at once, each would miss the other.
drop function note_links(uuid[], uuid[]);
create function note_links(store uuid, files uuid[]) returns void language plpgsql as $$
declare
  moment timestamptz := clock_timestamp();
begin
  perform 1 from file f where f.store_id = store and f.id = any(files) order by f.id for no key update;
  update file f set owner_kinds = n.owner_kinds, was_sold = n.was_sold, is_public = n.is_public, updated_at = moment
  from (
    select s.id, s.owner_kinds, s.was_sold, not s.was_sold and is_public_type(s.mime_type) and s.shown as is_public
    from (
      select g.id, g.mime_type,
        coalesce(array_agg(distinct case when l.product_id is not null then 'product'
          when l.variant_id is not null then 'variant' when l.landing_page_id is not null then 'landing_page'
          else 'review' end) filter (where l.file_id is not null), '{}') as owner_kinds,
        g.was_sold or coalesce(bool_or(l.role = 'digital_product'), false) as was_sold,
        coalesce(bool_or(l.role in ('product_images', 'variant_image', 'landing_page_images', 'ugc_video')
          or l.role = 'review_images' and r.status = 'published'), false) as shown
      from file g left join file_link l on l.store_id = store and l.file_id = g.id
        left join review r on r.store_id = store and r.id = l.review_id
      where g.store_id = store and g.id = any(files)
      group by g.id, g.mime_type, g.was_sold
    ) s
  ) n
  where f.store_id = store and f.id = n.id
    and (f.owner_kinds, f.was_sold, f.is_public) is distinct from (n.owner_kinds, n.was_sold, n.is_public);
end $$;

create or replace function note_owners() returns trigger language plpgsql as $$
declare
  owner record;
begin
  for owner in
    select c.store_id, array_agg(distinct c.file_id) as files,
      array_agg(distinct c.review_id) filter (where c.review_id is not null) as reviews
    from changed c group by c.store_id order by c.store_id
  loop
    -- A review whose status changes at this moment is waited for. The order is the one of that change: review, then file.
    if tg_op <> 'DELETE' and owner.reviews is not null then
      perform 1 from review r where r.store_id = owner.store_id and r.id = any(owner.reviews) order by r.id for share;
    end if;
    perform note_links(owner.store_id, owner.files);
  end loop;
  return null;
end $$;

create or replace function note_review_status() returns trigger language plpgsql as $$
declare
  files uuid[];
begin
  select array_agg(l.file_id) into files from file_link l where l.store_id = new.store_id and l.review_id = new.id;
  if files is not null then perform note_links(new.store_id, files); end if;
  return null;
end $$;

create or replace function keep_has_stock() returns trigger language plpgsql as $$
declare
  owner record;
begin
  if tg_op = 'INSERT' then
    for owner in
      select c.store_id, array_agg(distinct c.product_id) as products from after_rows c where c.quantity > 0 group by 1 order by 1
    loop
      perform keep_stock_of(owner.store_id, owner.products);
    end loop;
  elsif tg_op = 'DELETE' then
    for owner in
      select c.store_id, array_agg(distinct c.product_id) as products from before_rows c where c.quantity > 0 group by 1 order by 1
    loop
      perform keep_stock_of(owner.store_id, owner.products);
    end loop;
  else
    for owner in
      select a.store_id, array_agg(distinct a.product_id) as products
      from after_rows a join before_rows b on b.store_id = a.store_id and b.id = a.id
      where (a.quantity > 0) <> (b.quantity > 0) group by 1 order by 1
    loop
      perform keep_stock_of(owner.store_id, owner.products);
    end loop;
  end if;
  return null;
end $$;

-- Locked first and looked at after: of two changes that are made at once, each would miss the other.
create function keep_stock_of(store uuid, products uuid[]) returns void language plpgsql as $$
begin
  perform 1 from product p where p.store_id = store and p.id = any(products) order by p.id for no key update;
  update product p set has_stock = not p.has_stock
  where p.store_id = store and p.id = any(products) and p.has_stock <> exists (
    select 1 from variant v where v.store_id = store and v.product_id = p.id and v.quantity > 0);
end $$;

-- All that an order and its parts count for.
drop function all_counts(orders);
create function all_counts(o orders)
returns table (kind text, key text, currency text, at timestamptz, counts jsonb) language plpgsql stable as $$
declare
  part record;
begin
  return query select c.kind, c.key, c.currency, c.at, c.counts from order_counts(o) c;
  for part in
    select r.product_id, r.quantity, r.price from order_line r where r.store_id = o.store_id and r.order_id = o.id
  loop
    return query select c.kind, c.key, c.currency, c.at, c.counts
      from line_counts(o, part.product_id, part.quantity, part.price) c;
  end loop;
  for part in
    select r.status, r.amount, r.refunded_at from refund r where r.store_id = o.store_id and r.order_id = o.id
  loop
    return query select c.kind, c.key, c.currency, c.at, c.counts
      from refund_counts(o, part.status, part.amount, part.refunded_at) c;
  end loop;
  for part in
    select r.is_return, r.status, r.carrier_id, r.created_at from delivery r
    where r.store_id = o.store_id and r.order_id = o.id
  loop
    return query select c.kind, c.key, c.currency, c.at, c.counts
      from delivery_counts(o, part.is_return, part.status, part.carrier_id, part.created_at) c;
  end loop;
end $$;

create function add_analytic_changes(store uuid, changes analytic_change[]) returns void language plpgsql as $$
begin
  insert into analytic_change (store_id, kind, key, currency, at, times, counts)
  select store, c.kind, c.key, c.currency, c.at, c.times, c.counts from unnest(changes) c;
end $$;

create or replace function count_order() returns trigger language plpgsql as $$
declare
  -- The row of a shard has a type of its own.
  before  orders;
  now_is  orders;
  changes analytic_change[];
begin
  if tg_op <> 'DELETE' then now_is := row(new.*)::orders; end if;
  if tg_op = 'INSERT' then
    select array_agg(row(now_is.store_id, c.kind, c.key, c.currency, c.at, 1, c.counts)::analytic_change) into changes
    from order_counts(now_is) c;
    perform add_analytic_changes(now_is.store_id, changes);
    return null;
  end if;
  before := row(old.*)::orders;
  -- A store that is removed takes its rows along; then there is nothing left to count for.
  if not exists (select 1 from store s where s.id = before.store_id) then return old; end if;
  if tg_op = 'DELETE' then
    select array_agg(row(before.store_id, c.kind, c.key, c.currency, c.at, -1, c.counts)::analytic_change) into changes
    from all_counts(before) c;
    perform add_analytic_changes(before.store_id, changes);
    return old;
  end if;
  select array_agg(row(before.store_id, d.kind, d.key, d.currency, d.at, d.times, d.counts)::analytic_change) into changes
  from (
    select c.kind, c.key, c.currency, c.at, c.counts, sum(c.times) as times
    from (select -1 as times, a.* from all_counts(before) a union all select 1, b.* from all_counts(now_is) b) c
    group by c.kind, c.key, c.currency, c.at, c.counts having sum(c.times) <> 0
  ) d;
  if changes is not null then perform add_analytic_changes(before.store_id, changes); end if;
  return null;
end $$;

-- Parts of orders. Those of a deleted order find it gone: it has been counted off with all its parts.
do $$
declare
  part record;
begin
  for part in select * from (values
    ('order_line', 'line_counts(o, r.product_id, r.quantity, r.price)'),
    ('refund', 'refund_counts(o, r.status, r.amount, r.refunded_at)'),
    ('delivery', 'delivery_counts(o, r.is_return, r.status, r.carrier_id, r.created_at)')
  ) parts (name, counts) loop
    execute format($f$
      create or replace function count_%1$s() returns trigger language plpgsql as $t$
      declare
        owner   record;
        o       orders;
        changes analytic_change[];
      begin
        if tg_op = 'INSERT' then
          for owner in select distinct r.store_id, r.order_id from added r loop
            select x.* into o from orders x where x.store_id = owner.store_id and x.id = owner.order_id;
            if not found then continue; end if;
            select array_agg(row(owner.store_id, d.kind, d.key, d.currency, d.at, d.times, d.counts)::analytic_change)
            into changes from (
              select c.kind, c.key, c.currency, c.at, c.counts, count(*) as times from added r, %2$s c
              where r.store_id = owner.store_id and r.order_id = owner.order_id
              group by c.kind, c.key, c.currency, c.at, c.counts
            ) d;
            if changes is not null then perform add_analytic_changes(owner.store_id, changes); end if;
          end loop;
        elsif tg_op = 'DELETE' then
          for owner in select distinct r.store_id, r.order_id from removed r loop
            select x.* into o from orders x where x.store_id = owner.store_id and x.id = owner.order_id;
            if not found then continue; end if;
            select array_agg(row(owner.store_id, d.kind, d.key, d.currency, d.at, d.times, d.counts)::analytic_change)
            into changes from (
              select c.kind, c.key, c.currency, c.at, c.counts, -count(*) as times from removed r, %2$s c
              where r.store_id = owner.store_id and r.order_id = owner.order_id
              group by c.kind, c.key, c.currency, c.at, c.counts
            ) d;
            if changes is not null then perform add_analytic_changes(owner.store_id, changes); end if;
          end loop;
        else
          for owner in
            select r.store_id, r.order_id from added r union select r.store_id, r.order_id from removed r
          loop
            select x.* into o from orders x where x.store_id = owner.store_id and x.id = owner.order_id;
            if not found then continue; end if;
            select array_agg(row(owner.store_id, d.kind, d.key, d.currency, d.at, d.times, d.counts)::analytic_change)
            into changes from (
              select b.kind, b.key, b.currency, b.at, b.counts, sum(b.times) as times from (
                select c.*, 1 as times from added r, %2$s c
                where r.store_id = owner.store_id and r.order_id = owner.order_id
                union all
                select c.*, -1 from removed r, %2$s c
                where r.store_id = owner.store_id and r.order_id = owner.order_id
              ) b
              group by b.kind, b.key, b.currency, b.at, b.counts having sum(b.times) <> 0
            ) d;
            if changes is not null then perform add_analytic_changes(owner.store_id, changes); end if;
          end loop;
        end if;
        return null;
      end $t$
    $f$, part.name, part.counts);
  end loop;
end $$;

create or replace function find_first_order(store uuid, customer uuid) returns void language plpgsql as $$
declare
  was first_order;
  earliest record;
begin
  if customer is null then return; end if;
  perform 1 from customer c where c.store_id = store and c.id = customer for no key update;
  select f.* into was from first_order f where f.store_id = store and f.customer_id = customer;
  select o.created_at, o.currency into earliest from orders o
    where o.store_id = store and o.customer_id = customer and o.status <> 'abandoned'
    order by o.created_at, o.id limit 1;
  if (was.at, was.currency) is not distinct from (earliest.created_at, earliest.currency) then return; end if;
  if was.at is not null then
    insert into analytic_change (store_id, kind, key, currency, at, times, counts)
    values (store, 'sales', '', was.currency, quarter_hour(was.at), -1, '{"first_orders": 1}');
  end if;
  if earliest.created_at is null then
    delete from first_order f where f.store_id = store and f.customer_id = customer;
  else
    insert into analytic_change (store_id, kind, key, currency, at, times, counts)
    values (store, 'sales', '', earliest.currency, quarter_hour(earliest.created_at), 1, '{"first_orders": 1}');
    insert into first_order as f (store_id, customer_id, at, currency)
    values (store, customer, earliest.created_at, earliest.currency)
    on conflict (store_id, customer_id) do update set at = excluded.at, currency = excluded.currency;
  end if;
end $$;

create or replace function note_first_order() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    if not exists (select 1 from store s where s.id = old.store_id) then return null; end if;
    perform find_first_order(old.store_id, old.customer_id);
  else
    -- Under the same lock as find_first_order().
    perform 1 from customer c where c.store_id = new.store_id and c.id = new.customer_id for no key update;
    if exists (
      select 1 from first_order f where f.store_id = new.store_id and f.customer_id = new.customer_id and f.at < new.created_at)
    then return null; end if;
  end if;
  if tg_op <> 'DELETE' and (tg_op = 'INSERT' or new.customer_id is distinct from old.customer_id) then
    perform find_first_order(new.store_id, new.customer_id);
  end if;
  return null;
end $$;

-- Host names are unique across stores. A distributed database has such a rule only for a table that is small enough to be
-- on every machine.
create table host_claim (
  -- In lower case.
  host     text primary key,
  store_id uuid not null references store on delete cascade
);
insert into host_claim (host, store_id) select lower(host), store_id from domain;
