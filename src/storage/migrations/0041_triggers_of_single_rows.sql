-- Nearly every write changes one row of a table. Triggers that collected the rows of a statement took much of PostgreSQL's
-- time for it; these look at one row, and stop early if nothing they keep has changed.

-- Writes the function that counts the changes of a table; `facets` are those of a row r. Rows are added and removed by the
-- statement, which may write thousands; most updates change no facet.
create or replace function count_changes(counted regclass, facets text) returns void language plpgsql as $$
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
      else%s
      end if;
      return null;
    end $t$
  $f$, 'tally_' || kind,
  format(count, format('select r.store_id, f as facet, count(*) as delta from added r, unnest(%s) f group by 1, 2', facets), kind),
  format(count, format('select r.store_id, f as facet, -count(*) as delta from removed r, unnest(%s) f group by 1, 2', facets), kind));
  execute format($f$
    create or replace function %1$I() returns trigger language plpgsql as $t$
    declare
      r      record := new;
      before text[];
      after  text[] := %3$s;
    begin
      r := old;
      before := %3$s;
      if before = after then return null; end if;
      insert into tally (store_id, kind, facet, delta)
      select new.store_id, %2$L, c.facet, c.delta from (
        select f as facet, 1 as delta from unnest(after) f where f <> all(before)
        union all select f, -1 from unnest(before) f where f <> all(after)
      ) c;
      return null;
    end $t$
  $f$, 'tally_change_of_' || kind, kind, facets);
  -- One by one: Citus passes on single commands.
  execute format('create or replace trigger tally_insert after insert on %s referencing new table as added
    for each statement execute function %I()', counted, 'tally_' || kind);
  execute format('create or replace trigger tally_delete after delete on %s referencing old table as removed
    for each statement when (store_remains()) execute function %I()', counted, 'tally_' || kind);
  execute format('create or replace trigger tally_update after update on %s for each row execute function %I()',
    counted, 'tally_change_of_' || kind);
end $$;

create or replace function count_rows(counted regclass, facets text) returns void language plpgsql as $$
begin
  perform count_changes(counted, facets);
  execute format('insert into tally select r.store_id, %L, f, count(*) from %s r, unnest(%s) f group by 1, 3',
    (select relname from pg_class where oid = counted), counted, facets);
end $$;

-- What is counted stays as it was. Facets of orders are written without subqueries, which are slower in PL/pgSQL.
create function facets(name text, many text[]) returns text[] language plpgsql immutable parallel safe as $$
begin
  if cardinality(many) = 0 then return '{}'; end if;
  return string_to_array(name || array_to_string(many, ',' || name), ',');
end $$;
select count_changes('orders', $$array['', 'status=' || r.status, 'is_cancelled=' || r.is_cancelled,
    'is_archived=' || r.is_archived, 'day=' || utc_day(r.created_at), 'updated=' || utc_day(r.updated_at)]
  || facets('delivery_status=', r.delivery_statuses) || facets('return_status=', r.return_statuses)
  || facets('refund_status=', r.refund_statuses)$$);
select count_changes('product', $$array_remove(array['', 'status=' || r.status, 'is_digital=' || r.is_digital,
  'out_of_stock=' || r.out_of_stock, 'category=' || r.category_id, 'updated=' || utc_day(r.updated_at)], null)$$);
select count_changes('customer',
  $$array_remove(array['', 'country=' || r.country_id, 'updated=' || utc_day(r.updated_at)], null)$$);
select count_changes('review',
  $$array['', 'status=' || r.status, 'rating=' || r.rating, 'updated=' || utc_day(r.updated_at)]$$);
select count_changes('landing_page', $$array['', 'cod_type=' || r.cod_type, 'updated=' || utc_day(r.updated_at)]$$);
select count_changes('file', $$array['', 'day=' || utc_day(r.created_at), 'mime_type=' || r.mime_type,
    'mime_type=' || split_part(r.mime_type, '/', 1) || '/*', 'updated=' || utc_day(r.updated_at)]
  || facets('fileable_type=', r.owner_kinds)$$);
select count_changes('bundle', $$array['', 'status=' || r.status]$$);
select count_changes('domain', $$array['']$$);
select count_changes('policy', $$array['', 'type=' || r.type, 'is_published=' || r.is_published]$$);

create or replace function copy_customer_text() returns trigger language plpgsql as $$
begin
  insert into customer_text (store_id, customer_id, name_key, phone_digits, address_key, city_key, postal_code_key,
    search, country_id)
  values (new.store_id, new.id, new.name_key, new.phone_digits, new.address_key, new.city_key, new.postal_code_key,
    new.search, new.country_id);
  return null;
end $$;
create or replace trigger customer_added after insert on customer for each row execute function copy_customer_text();

create function drop_text_of_added_part() returns trigger language plpgsql as $$
begin
  delete from order_text t where t.store_id = new.store_id and t.id = new.order_id;
  return null;
end $$;
do $$
declare
  own text;
begin
  foreach own in array array['order_line', 'delivery', 'delivery_line', 'order_return', 'return_line', 'refund',
    'refund_line', 'order_event']
  loop
    execute format('create or replace trigger text_rows_added after insert on %I
      for each row execute function drop_text_of_added_part()', own);
  end loop;
end $$;

-- Captures the creation of a resource of this kind. Only for resources that requests create one at a time: parts, of which
-- a statement may add thousands to one resource, are still captured by the statement.
create function capture_created() returns trigger language plpgsql as $$
begin
  insert into change (store_id, kind, resource_id, op, changed) values (new.store_id, tg_argv[0], new.id, 'c', '{}');
  return null;
end $$;
create or replace trigger capture_insert after insert on orders for each row execute function capture_created('order');
create or replace trigger capture_insert after insert on product for each row execute function capture_created('product');
create or replace trigger capture_insert after insert on customer for each row execute function capture_created('customer');
create or replace trigger capture_insert after insert on review for each row execute function capture_created('review');
create or replace trigger capture_insert after insert on file for each row execute function capture_created('file');

-- A delivery whose status its order has already noted, such as that of a new order, changes nothing.
create function note_new_delivery() returns trigger language plpgsql as $$
begin
  if exists (
    select 1 from orders o where o.store_id = new.store_id and o.id = new.order_id
      and new.status = any(case when new.is_return then o.return_statuses else o.delivery_statuses end)
  ) then
    return null;
  end if;
  perform note_deliveries_of(new.store_id, new.order_id);
  return null;
end $$;
create function note_deliveries_of(store uuid, of_order uuid) returns void language plpgsql as $$
declare
  now_has record;
begin
  select
    coalesce(array_agg(distinct d.status) filter (where not d.is_return), '{}') as deliveries,
    coalesce(array_agg(distinct d.status) filter (where d.is_return), '{}') as returns
  into now_has
  from delivery d where d.store_id = store and d.order_id = of_order;
  if exists (
    select 1 from orders o where o.store_id = store and o.id = of_order
      and (o.delivery_statuses, o.return_statuses) is distinct from (now_has.deliveries, now_has.returns)
  ) then
    update orders o set delivery_statuses = now_has.deliveries, return_statuses = now_has.returns
    where o.store_id = store and o.id = of_order;
  end if;
end $$;
create or replace function note_deliveries() returns trigger language plpgsql as $$
declare
  part record;
begin
  for part in select distinct c.store_id, c.order_id from changed c loop
    perform note_deliveries_of(part.store_id, part.order_id);
  end loop;
  return null;
end $$;
create or replace trigger delivery_added after insert on delivery for each row execute function note_new_delivery();

-- A customer without a first order has none: the new one is the first.
create or replace function note_first_order() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    -- Under the same lock as find_first_order().
    perform 1 from customer c where c.store_id = new.store_id and c.id = new.customer_id for no key update;
    insert into first_order (store_id, customer_id, at, currency)
    values (new.store_id, new.customer_id, new.created_at, new.currency) on conflict do nothing;
    if found then
      insert into analytic_change (store_id, kind, key, currency, at, times, counts)
      values (new.store_id, 'sales', '', new.currency, quarter_hour(new.created_at), 1, '{"first_orders": 1}');
    elsif not exists (
      select 1 from first_order f where f.store_id = new.store_id and f.customer_id = new.customer_id and f.at < new.created_at)
    then
      perform find_first_order(new.store_id, new.customer_id);
    end if;
    return null;
  end if;
  if not exists (select 1 from store s where s.id = old.store_id) then return null; end if;
  perform find_first_order(old.store_id, old.customer_id);
  if tg_op <> 'DELETE' and new.customer_id is distinct from old.customer_id then
    perform find_first_order(new.store_id, new.customer_id);
  end if;
  return null;
end $$;

-- In PL/pgSQL: an SQL function would read its tables of letters again for every slug. It calls no other function of ours:
-- PostgreSQL builds indexes without our schema in the path.
do $$
begin
  execute format('create or replace function slug_key(slug text) returns text language plpgsql immutable strict
    parallel safe as %L', format('begin
  if octet_length(slug) = length(slug) then return lower(slug collate "C"); end if;
  return (%s);
end', (select prosrc from pg_proc where oid = 'slug_key(text)'::regprocedure)));
end $$;
