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

-- Which machine of a distributed database this is; 0 in any other.
create function local_node() returns integer language sql stable as $$ select 0 $$;
-- Where the floor of a feed was noted: transactions and positions of another machine do not compare.
alter table feed add column node integer not null default 0;

-- What it does and takes is described in 0024.
create or replace function capture_changes(source regclass, kind text default null, states text[] default '{}',
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
        insert into change (store_id, kind, resource_id, op, changed, previous)
        values (new.store_id, %2$L, new.%3$I, 'u', array_remove(array[%4$s], null), %5$s);
      elsif tg_op = 'INSERT' then
        for owner in select r.store_id, array_agg(%6$s r.%3$I) as ids from added r group by r.store_id loop
          insert into change (store_id, kind, resource_id, op, changed)
          select owner.store_id, %2$L, x.id, %7$L::"char", %8$L::text[] from unnest(owner.ids) x (id);
        end loop;
      else
        for owner in select r.store_id, array_agg(%6$s r.%3$I) as ids from removed r group by r.store_id loop
          -- A store that is removed takes its rows along; nobody is left to hear of it.
          if exists (select 1 from store s where s.id = owner.store_id) then
            insert into change (store_id, kind, resource_id, op, changed)
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
select capture_changes('refund', 'order', part => 'refunds', whole => 'order_id', states => '{status,amount}',
  hidden => '{refunded_at}');

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
select capture_changes('bundle', states => '{status}');
select capture_changes('bundle_option', 'bundle', part => 'options', whole => 'bundle_id', states => '{quantity,price}');
select capture_changes('policy', states => '{type,is_published}', steady => true);

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

-- Writes the function that counts the changes of a table; `facets` are those of a row r.
create function count_changes(counted regclass, facets text) returns void language plpgsql as $$
declare
  kind  text := (select relname from pg_class where oid = counted);
  -- Counts what a query gives: store, facet and how many more there are.
  count text := $f$
        for owner in
          select c.store_id, array_agg(c.facet) as facets, array_agg(c.delta) as deltas from (%s) c group by c.store_id
        loop
          -- A store that is removed takes its rows along; then there is nothing left to count for.
          if tg_op <> 'DELETE' or exists (select 1 from store s where s.id = owner.store_id) then
            insert into tally (store_id, kind, facet, delta)
            select owner.store_id, %L, x.facet, x.delta from unnest(owner.facets, owner.deltas) x (facet, delta);
          end if;
        end loop;$f$;
begin
  execute format($f$
    create or replace function %I() returns trigger language plpgsql as $t$
    declare
      owner record;
    begin
      if tg_op = 'INSERT' then%s
      elsif tg_op = 'DELETE' then%s
      else%s
      end if;
      return null;
    end $t$
  $f$, 'tally_' || kind,
  format(count, format('select r.store_id, f as facet, count(*) as delta from added r, unnest(%s) f group by 1, 2', facets), kind),
  format(count, format('select r.store_id, f as facet, -count(*) as delta from removed r, unnest(%s) f group by 1, 2', facets), kind),
  format(count, format('select store_id, facet, sum(delta)::bigint as delta from (
      select r.store_id, f as facet, 1 as delta from added r, unnest(%1$s) f
      union all select r.store_id, f, -1 from removed r, unnest(%1$s) f
    ) changes group by 1, 2 having sum(delta) <> 0', facets), kind));
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

-- What is counted stays as it was.
select count_changes('orders', $$array['', 'status=' || r.status, 'is_cancelled=' || r.is_cancelled,
    'is_archived=' || r.is_archived, 'day=' || utc_day(r.created_at), 'updated=' || utc_day(r.updated_at)]
  || array(select 'delivery_status=' || s from unnest(r.delivery_statuses) s)
  || array(select 'return_status=' || s from unnest(r.return_statuses) s)
  || array(select 'refund_status=' || s from unnest(r.refund_statuses) s)$$);
select count_changes('product', $$array_remove(array['', 'status=' || r.status, 'is_digital=' || r.is_digital,
  'out_of_stock=' || r.out_of_stock, 'category=' || r.category_id, 'updated=' || utc_day(r.updated_at)], null)$$);
select count_changes('customer',
  $$array_remove(array['', 'country=' || r.country_id, 'updated=' || utc_day(r.updated_at)], null)$$);
select count_changes('review',
  $$array['', 'status=' || r.status, 'rating=' || r.rating, 'updated=' || utc_day(r.updated_at)]$$);
select count_changes('landing_page', $$array['', 'cod_type=' || r.cod_type, 'updated=' || utc_day(r.updated_at)]$$);
select count_changes('file', $$array['', 'day=' || utc_day(r.created_at), 'mime_type=' || r.mime_type,
    'mime_type=' || split_part(r.mime_type, '/', 1) || '/*', 'updated=' || utc_day(r.updated_at)]
  || array(select 'fileable_type=' || k from unnest(r.owner_kinds) k)$$);
select count_changes('bundle', $$array['', 'status=' || r.status]$$);
select count_changes('domain', $$array['']$$);
select count_changes('policy', $$array['', 'type=' || r.type, 'is_published=' || r.is_published]$$);

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

-- Compared first: an update of no rows would still run the statement triggers of orders.
create or replace function note_deliveries() returns trigger language plpgsql as $$
declare
  part    record;
  now_has record;
begin
  for part in select distinct c.store_id, c.order_id from changed c loop
    select
      coalesce(array_agg(distinct d.status) filter (where not d.is_return), '{}') as deliveries,
      coalesce(array_agg(distinct d.status) filter (where d.is_return), '{}') as returns
    into now_has
    from delivery d where d.store_id = part.store_id and d.order_id = part.order_id;
    if exists (
      select 1 from orders o where o.store_id = part.store_id and o.id = part.order_id
        and (o.delivery_statuses, o.return_statuses) is distinct from (now_has.deliveries, now_has.returns)
    ) then
      update orders o set delivery_statuses = now_has.deliveries, return_statuses = now_has.returns
      where o.store_id = part.store_id and o.id = part.order_id;
    end if;
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
  part  record;
  -- Counts what a query gives for the parts of each order: what they count for, and how many times.
  count text := $f$
        for owner in %s loop
          select x.* into o from orders x where x.store_id = owner.store_id and x.id = owner.order_id;
          if not found then continue; end if;
          select array_agg(row(owner.store_id, d.kind, d.key, d.currency, d.at, d.times, d.counts)::analytic_change)
          into changes from (
            select b.kind, b.key, b.currency, b.at, b.counts, sum(b.times) as times from (%s) b
            group by b.kind, b.key, b.currency, b.at, b.counts having sum(b.times) <> 0
          ) d;
          if changes is not null then perform add_analytic_changes(owner.store_id, changes); end if;
        end loop;$f$;
  added   text;
  removed text;
begin
  for part in select * from (values
    ('order_line', 'line_counts(o, r.product_id, r.quantity, r.price)'),
    ('refund', 'refund_counts(o, r.status, r.amount, r.refunded_at)'),
    ('delivery', 'delivery_counts(o, r.is_return, r.status, r.carrier_id, r.created_at)')
  ) parts (name, counts) loop
    added := format('select c.*, 1 as times from added r, %s c
              where r.store_id = owner.store_id and r.order_id = owner.order_id', part.counts);
    removed := format('select c.*, -1 as times from removed r, %s c
              where r.store_id = owner.store_id and r.order_id = owner.order_id', part.counts);
    execute format($f$
      create or replace function %I() returns trigger language plpgsql as $t$
      declare
        owner   record;
        o       orders;
        changes analytic_change[];
      begin
        if tg_op = 'INSERT' then%s
        elsif tg_op = 'DELETE' then%s
        else%s
        end if;
        return null;
      end $t$
    $f$, 'count_' || part.name,
    format(count, 'select distinct r.store_id, r.order_id from added r', added),
    format(count, 'select distinct r.store_id, r.order_id from removed r', removed),
    format(count, 'select r.store_id, r.order_id from added r union select r.store_id, r.order_id from removed r',
      added || ' union all ' || removed));
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
