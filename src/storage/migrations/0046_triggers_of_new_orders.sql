-- A new order fires some thirty triggers. Those that counted it collected the rows of the statement into arrays, grouped
-- them and read the order again for each of its parts, which took longer than writing the order. Nearly every statement
-- adds one order, customer or delivery: what it counts for is now written at once.

-- The triggers that write counters belong to rows that refer to the store themselves. The reference from each counter was
-- looked up once more for every facet of a new row.
alter table tally drop constraint tally_store_id_fkey;
-- As 0024 and 0032, for the counters too.
create or replace function forget_changes() returns trigger language plpgsql as $$
begin
  delete from change c where c.store_id = old.id;
  delete from tally t where t.store_id = old.id;
  return null;
end $$;

-- As in 0041, but a single new row is counted without grouping.
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
    create or replace function %1$I() returns trigger language plpgsql as $t$
    declare
      owner record;
    begin
      if tg_op = 'DELETE' then%5$s
        return null;
      end if;
      select r.store_id, %3$s as facets into owner from added r;
      if not found then return null; end if;
      if not exists (select 1 from added offset 1) then
        insert into tally (store_id, kind, facet, delta) select owner.store_id, %2$L, f, 1 from unnest(owner.facets) f;
        return null;
      end if;%4$s
      return null;
    end $t$
  $f$, 'tally_' || kind, kind, facets,
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

-- What is counted stays as it was.
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

-- Counts a new order, and whether it is its customer's first. Updates and deletions are counted as before.
create function count_new_order() returns trigger language plpgsql as $$
declare
  is_first boolean := false;
  changes  analytic_change[];
begin
  if new.customer_id is not null and new.status <> 'abandoned' then
    -- Under the same lock as find_first_order().
    perform 1 from customer c where c.store_id = new.store_id and c.id = new.customer_id for no key update;
    insert into first_order (store_id, customer_id, at, currency)
    values (new.store_id, new.customer_id, new.created_at, new.currency) on conflict do nothing;
    is_first := found;
    if not is_first and not exists (
      select 1 from first_order f where f.store_id = new.store_id and f.customer_id = new.customer_id and f.at < new.created_at)
    then
      perform find_first_order(new.store_id, new.customer_id);
    end if;
  end if;
  -- Most orders: order_counts() would return the same.
  if new.status = 'pending' and not new.is_cancelled and new.landing_page_id is null then
    insert into analytic_change (store_id, kind, key, currency, at, times, counts)
    values (new.store_id, 'sales', '', new.currency, quarter_hour(new.created_at), 1,
      case when new.customer_id is null then '{"orders": 1, "guests": 1}'
        when is_first then '{"orders": 1, "first_orders": 1}' else '{"orders": 1}' end::jsonb);
    return null;
  end if;
  -- The row of a shard has a type of its own.
  select array_agg(row(new.store_id, c.kind, c.key, c.currency, c.at, 1, c.counts)::analytic_change) into changes
  from order_counts(row(new.*)::orders) c;
  if is_first then
    changes := changes || row(new.store_id, 'sales', '', new.currency, quarter_hour(new.created_at), 1,
      '{"first_orders": 1}')::analytic_change;
  end if;
  perform add_analytic_changes(new.store_id, changes);
  return null;
end $$;
create or replace trigger count_inserted after insert on orders for each row execute function count_new_order();
drop trigger first_order_inserted on orders;

-- As line_counts(), without a query. A statement adds the lines of one order, or of one after the other.
create function count_new_lines() returns trigger language plpgsql as $$
declare
  line    record;
  o       record;
  o_id    uuid;
  product text;
begin
  for line in select r.store_id, r.order_id, r.product_id, r.quantity, r.price from added r loop
    if o_id is distinct from line.order_id then
      o_id := line.order_id;
      select x.currency, x.status = 'paid' as is_paid, quarter_hour(x.created_at) as placed_at,
        quarter_hour(coalesce(x.paid_at, x.created_at)) as paid_at, x.status = 'abandoned' or x.is_cancelled as is_void
      into o from orders x where x.store_id = line.store_id and x.id = line.order_id;
    end if;
    if o.is_void then continue; end if;
    product := coalesce(line.product_id::text, '');
    insert into analytic_change (store_id, kind, key, currency, at, times, counts)
    values (line.store_id, 'product', product, o.currency, o.placed_at, 1,
      jsonb_build_object('ordered_units', line.quantity));
    if o.is_paid then
      insert into analytic_change (store_id, kind, key, currency, at, times, counts)
      values (line.store_id, 'product', product, o.currency, o.paid_at, 1,
        jsonb_build_object('units', line.quantity, 'gross', line.price * line.quantity));
    end if;
  end loop;
  return null;
end $$;
create or replace trigger count_insert after insert on order_line referencing new table as added
  for each statement execute function count_new_lines();

-- Notes the status of a new delivery in its order, as in 0041, and counts it, as delivery_counts() says.
create or replace function note_new_delivery() returns trigger language plpgsql as $$
declare
  o      record;
  at     timestamptz := quarter_hour(new.created_at);
  counts jsonb := jsonb_build_object(case when new.is_return then 'returns' else new.status end, 1);
begin
  select x.status <> 'abandoned' and not x.is_cancelled as is_open, btrim(x.customer_city) as city,
    new.status = any(case when new.is_return then x.return_statuses else x.delivery_statuses end) as is_noted
  into o from orders x where x.store_id = new.store_id and x.id = new.order_id;
  if not o.is_noted then perform note_deliveries_of(new.store_id, new.order_id); end if;
  if o.is_open or new.status in ('shipped', 'delivered', 'cancelled') then
    insert into analytic_change (store_id, kind, key, currency, at, times, counts)
    values (new.store_id, 'deliveries', '', '', at, 1, counts),
      (new.store_id, 'delivery', coalesce(new.carrier_id::text, '') || '/' || o.city, '', at, 1, counts);
  end if;
  return null;
end $$;
drop trigger count_insert on delivery;

-- Captures a new part of an order. Only for parts that requests add one at a time.
create function capture_added_part() returns trigger language plpgsql as $$
begin
  insert into change (store_id, kind, resource_id, op, changed)
  values (new.store_id, 'order', new.order_id, 'u', array[tg_argv[0]]);
  return null;
end $$;
create or replace trigger capture_insert after insert on delivery for each row execute function capture_added_part('deliveries');
create or replace trigger capture_insert after insert on order_return for each row execute function capture_added_part('returns');
create or replace trigger capture_insert after insert on refund for each row execute function capture_added_part('refunds');

-- As in 0038, but most updates leave every variant with some stock, and need no look at each.
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
  elsif exists (select 1 from after_rows a where a.quantity <= 0) or exists (select 1 from before_rows b where b.quantity <= 0) then
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
