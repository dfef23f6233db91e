-- Figures of sales, products, landing pages and deliveries, exact at any time and without a scan of the orders.
--
-- Triggers add a row to analytic_change for every difference, so that writers never wait for each other. A job adds them
-- up in analytic_total (src/resources/analytics/merge-changes.ts). A figure is the sum of both. Times are cut to quarters
-- of an hour: the days of every time zone in use begin at one.

-- The figures of a span of time. All sales and all deliveries have sums of an hour, six hours, a day and a month too: a day
-- of any time zone is then made of about nine sums instead of 96. What has many keys (products, landing pages, places of
-- delivery) has quarters of an hour, days and months: there most hours have a single sale, so that sums of hours would be as
-- many rows again.
create table analytic_total (
  store_id         uuid not null references store on delete cascade,
  -- sales, product, landing_page, deliveries (all) or delivery (by carrier and city)
  kind             text collate "C" not null,
  -- Which product or landing page, or carrier/city; '' for sales and for all deliveries.
  key              text collate "C" not null,
  currency         text collate "C" not null,
  -- 15m, 1h, 6h, 1d or 1M: the time from `at` on, in UTC.
  span             text collate "C" not null,
  at               timestamptz(3) not null,
  orders           bigint,
  abandoned        bigint,
  cancelled        bigint,
  guests           bigint,
  first_orders     bigint,
  ordered_units    bigint,
  paid             bigint,
  units            bigint,
  gross            numeric,
  refunds          numeric,
  delivered        bigint,
  delivered_amount numeric,
  unfulfilled      bigint,
  fulfilled        bigint,
  shipped          bigint,
  returns          bigint,
  primary key (store_id, kind, key, span, at, currency)
);
select store_table('analytic_total');
create index analytic_total_time on analytic_total (store_id, kind, span, at);

-- A difference that is not added up yet. Without a reference to the store, which would cost each order a look at it: the
-- job leaves out what has no store.
create table analytic_change (
  store_id uuid not null,
  kind     text collate "C" not null,
  key      text collate "C" not null,
  currency text collate "C" not null,
  at       timestamptz(3) not null,
  -- How many times the counts are added; -1 takes them away.
  times    integer not null,
  -- By the names of the columns of analytic_total.
  counts   jsonb not null
);
select store_table('analytic_change');
create index analytic_change_lookup on analytic_change (store_id, kind, at);

-- What a product sold in a whole month, quarter or year (UTC): a ranking over a year reads one row per product instead of
-- twelve. A table of its own because, among the sums of days and quarters of an hour, these rows would be scattered over all
-- pages.
create table product_sales (
  store_id      uuid not null references store on delete cascade,
  -- 1M, 3M or 1Y: the time from `at` on, in UTC.
  span          text collate "C" not null,
  at            timestamptz(3) not null,
  currency      text collate "C" not null,
  -- The product; '' for those that are gone.
  key           text collate "C" not null,
  ordered_units bigint,
  units         bigint,
  gross         numeric,
  primary key (store_id, span, at, currency, key)
);
select store_table('product_sales');

-- The best sellers of a year come first, whatever they are ranked by.
create index product_sales_gross on product_sales (store_id, at, currency, coalesce(gross, 0) desc, key)
  where span = '1Y';
create index product_sales_units on product_sales (store_id, at, currency, coalesce(units, 0) desc, key)
  where span = '1Y';
create index product_sales_ordered_units on product_sales (store_id, at, currency, coalesce(ordered_units, 0) desc, key)
  where span = '1Y';

-- The time of a customer's first order, to know new customers from returning ones. As `tally`, it has no
-- reference to the store.
create table first_order (
  store_id    uuid not null,
  customer_id uuid not null,
  at          timestamptz(3) not null,
  currency    text not null,
  primary key (store_id, customer_id)
);
select store_table('first_order');

create function quarter_hour(at timestamptz) returns timestamptz language sql immutable parallel safe as $$
  select date_bin('15 minutes', at, '0001-01-01T00:00:00Z')
$$;

-- The start, in UTC, of the year, quarter, month, day or part of a day in which a time lies.
create function span_start(span text, at timestamptz) returns timestamptz
language sql immutable parallel safe as $$
  select case span
    when '1Y' then date_trunc('year', at at time zone 'UTC') at time zone 'UTC'
    when '3M' then date_trunc('quarter', at at time zone 'UTC') at time zone 'UTC'
    when '1M' then date_trunc('month', at at time zone 'UTC') at time zone 'UTC'
    when '1d' then date_bin('1 day', at, '0001-01-01T00:00:00Z')
    when '6h' then date_bin('6 hours', at, '0001-01-01T00:00:00Z')
    when '1h' then date_bin('1 hour', at, '0001-01-01T00:00:00Z')
    else at end
$$;

-- The spans of a kind in analytic_total.
create function analytic_spans(kind text) returns text[] language sql immutable parallel safe as $$
  select case
    when kind in ('sales', 'deliveries') then '{15m,1h,6h,1d,1M}'
    when kind = 'product' then '{15m,1d}'
    else '{15m,1d,1M}' end::text[]
$$;

-- What an order and its parts count for, each so many times: -1 takes them away.

create function order_counts(o orders, times integer) returns analytic_change[] language plpgsql stable as $$
declare
  placed_at timestamptz := quarter_hour(o.created_at);
  is_placed boolean := o.status <> 'abandoned';
  is_paid   boolean := o.status = 'paid' and not o.is_cancelled;
  delivered boolean := not o.is_cancelled and 'delivered' = any(o.delivery_statuses)
    and o.delivery_statuses <@ '{delivered,cancelled}'::text[];
  changes   analytic_change[];
begin
  changes[1] := row(o.store_id, 'sales', '', o.currency, placed_at, times,
    case when not is_placed then '{"abandoned": 1}'
      when o.is_cancelled then '{"orders": 1, "cancelled": 1}' else '{"orders": 1}' end::jsonb
    || case when is_placed and o.customer_id is null then '{"guests": 1}' else '{}' end::jsonb)::analytic_change;
  if is_paid then
    changes[2] := row(o.store_id, 'sales', '', o.currency, quarter_hour(coalesce(o.paid_at, o.created_at)), times,
      jsonb_build_object('paid', 1, 'units', o.quantity, 'gross', o.total))::analytic_change;
  end if;
  if is_placed and o.landing_page_id is not null then
    -- Of the orders placed at that time, what became of them.
    changes := changes || row(o.store_id, 'landing_page', o.landing_page_id::text, o.currency, placed_at, times,
      jsonb_strip_nulls(jsonb_build_object(
        'orders', 1,
        'cancelled', case when o.is_cancelled then 1 end,
        'paid', case when is_paid then 1 end,
        'gross', case when is_paid then o.total end,
        'delivered', case when delivered then 1 end,
        'delivered_amount', case when delivered then o.total end)))::analytic_change;
  end if;
  return changes;
end $$;

create function line_counts(o orders, product uuid, quantity integer, price numeric, times integer)
returns analytic_change[] language plpgsql stable as $$
declare
  changes analytic_change[];
begin
  if o.status = 'abandoned' or o.is_cancelled then return '{}'; end if;
  changes[1] := row(o.store_id, 'product', coalesce(product::text, ''), o.currency, quarter_hour(o.created_at), times,
    jsonb_build_object('ordered_units', quantity))::analytic_change;
  if o.status = 'paid' then
    changes[2] := row(o.store_id, 'product', coalesce(product::text, ''), o.currency,
      quarter_hour(coalesce(o.paid_at, o.created_at)), times,
      jsonb_build_object('units', quantity, 'gross', price * quantity))::analytic_change;
  end if;
  return changes;
end $$;

-- A refund counts as long as the payment does: a cancelled order adds nothing and takes nothing away.
create function refund_counts(o orders, status text, amount numeric, refunded_at timestamptz, times integer)
returns analytic_change[] language plpgsql stable as $$
declare
  changes analytic_change[];
begin
  if status <> 'refunded' or o.status <> 'paid' or o.is_cancelled then return '{}'; end if;
  changes[1] := row(o.store_id, 'sales', '', o.currency, quarter_hour(refunded_at), times,
    jsonb_build_object('refunds', amount))::analytic_change;
  if o.landing_page_id is not null then
    changes[2] := row(o.store_id, 'landing_page', o.landing_page_id::text, o.currency, quarter_hour(o.created_at), times,
      jsonb_build_object('refunds', amount))::analytic_change;
  end if;
  return changes;
end $$;

-- Nothing more will happen to what has not left of an order that was cancelled.
create function delivery_counts(o orders, is_return boolean, status text, carrier uuid, created_at timestamptz, times integer)
returns analytic_change[] language plpgsql stable as $$
declare
  at     timestamptz := quarter_hour(created_at);
  counts jsonb := jsonb_build_object(case when is_return then 'returns' else status end, 1);
begin
  if status not in ('shipped', 'delivered', 'cancelled') and (o.status = 'abandoned' or o.is_cancelled) then
    return '{}';
  end if;
  return array[row(o.store_id, 'deliveries', '', '', at, times, counts)::analytic_change,
    row(o.store_id, 'delivery', coalesce(carrier::text, '') || '/' || btrim(o.customer_city), '', at, times,
      counts)::analytic_change];
end $$;

-- All that an order and its parts count for.
create function all_counts(o orders, times integer) returns analytic_change[] language plpgsql stable as $$
declare
  changes analytic_change[] := order_counts(o, times);
  part    record;
begin
  for part in
    select r.product_id, r.quantity, r.price from order_line r where r.store_id = o.store_id and r.order_id = o.id
  loop
    changes := changes || line_counts(o, part.product_id, part.quantity, part.price, times);
  end loop;
  for part in
    select r.status, r.amount, r.refunded_at from refund r where r.store_id = o.store_id and r.order_id = o.id
  loop
    changes := changes || refund_counts(o, part.status, part.amount, part.refunded_at, times);
  end loop;
  for part in
    select r.is_return, r.status, r.carrier_id, r.created_at from delivery r
    where r.store_id = o.store_id and r.order_id = o.id
  loop
    changes := changes || delivery_counts(o, part.is_return, part.status, part.carrier_id, part.created_at, times);
  end loop;
  return changes;
end $$;

-- One by one: most changes are one row, and PostgreSQL starts a statement of values sooner than one that reads an array.
-- Citus keeps the plan of the former only.
create function add_analytic_changes(store uuid, changes analytic_change[]) returns void language plpgsql as $$
declare
  c analytic_change;
begin
  foreach c in array changes loop
    insert into analytic_change (store_id, kind, key, currency, at, times, counts)
    values (store, c.kind, c.key, c.currency, c.at, c.times, c.counts);
  end loop;
end $$;

-- Adds what remains of changes that partly undo each other.
create function add_differences(changes analytic_change[]) returns void language plpgsql as $$
declare
  owner record;
begin
  for owner in
    select d.store_id, array_agg(row(d.store_id, d.kind, d.key, d.currency, d.at, d.times, d.counts)::analytic_change)
      as changes
    from (
      select c.store_id, c.kind, c.key, c.currency, c.at, sum(c.times)::integer as times, c.counts from unnest(changes) c
      group by c.store_id, c.kind, c.key, c.currency, c.at, c.counts having sum(c.times) <> 0
    ) d group by d.store_id
  loop
    perform add_analytic_changes(owner.store_id, owner.changes);
  end loop;
end $$;

-- Counts a new order, and whether it is its customer's first.
create function count_new_order() returns trigger language plpgsql as $$
declare
  -- The row of a shard has a type of its own.
  changes analytic_change[] := order_counts(row(new.*)::orders, 1);
begin
  if new.customer_id is not null and new.status <> 'abandoned' then
    -- Under the same lock as find_first_order().
    perform 1 from "customer" c where c.store_id = new.store_id and c.id = new.customer_id for no key update;
    insert into "first_order" (store_id, customer_id, at, currency)
    values (new.store_id, new.customer_id, new.created_at, new.currency) on conflict do nothing;
    if found then
      changes[1].counts := changes[1].counts || '{"first_orders": 1}';
    elsif not exists (
      select 1 from "first_order" f where f.store_id = new.store_id and f.customer_id = new.customer_id and f.at < new.created_at)
    then
      perform find_first_order(new.store_id, new.customer_id);
    end if;
  end if;
  perform add_analytic_changes(new.store_id, changes);
  return null;
end $$;
create trigger count_inserted after insert on orders for each row execute function count_new_order();

-- A statement that changes an order must not add parts to it if it also changes what the parts count for.
create function count_order() returns trigger language plpgsql as $$
declare
  before orders := row(old.*)::orders;
begin
  -- A store that is removed takes its rows along; then there is nothing left to count for.
  if not exists (select 1 from "store" s where s.id = before.store_id) then return old; end if;
  if tg_op = 'DELETE' then
    perform add_analytic_changes(before.store_id, all_counts(before, -1));
    return old;
  end if;
  perform add_differences(all_counts(before, -1) || all_counts(row(new.*)::orders, 1));
  return null;
end $$;
create trigger count_updated after update on orders for each row
  when ((old.status, old.is_cancelled, old.created_at, old.paid_at, old.currency, old.total, old.quantity,
      old.customer_id is null, old.customer_city, old.landing_page_id, old.delivery_statuses)
    is distinct from (new.status, new.is_cancelled, new.created_at, new.paid_at, new.currency, new.total, new.quantity,
      new.customer_id is null, new.customer_city, new.landing_page_id, new.delivery_statuses))
  execute function count_order();
-- Before: its parts are deleted with it.
create trigger count_deleted before delete on orders for each row when (store_remains()) execute function count_order();

-- Notes the status of a new delivery in its order, unless it is there already as that of a new order is, and counts it.
create function note_new_delivery() returns trigger language plpgsql as $$
declare
  o orders;
begin
  select x.* into o from "orders" x where x.store_id = new.store_id and x.id = new.order_id;
  if not new.status = any(case when new.is_return then o.return_statuses else o.delivery_statuses end) then
    perform note_deliveries_of(new.store_id, new.order_id);
  end if;
  perform add_analytic_changes(new.store_id,
    delivery_counts(o, new.is_return, new.status, new.carrier_id, new.created_at, 1));
  return null;
end $$;
create trigger delivery_added after insert on delivery for each row execute function note_new_delivery();

-- Counts the parts of orders. Those of a deleted order find it gone: it has been counted off with all its parts. A statement
-- adds the parts of one order, or of one after the other.
do $$
declare
  part record;
  -- Loops over rows, each with the order that it is a part of.
  each text := $f$
        for r in %s loop
          if (o.store_id, o.id) is distinct from (r.store_id, r.order_id) then
            select x.* into o from "orders" x where x.store_id = r.store_id and x.id = r.order_id;
          end if;
          if o.id is not null then %s; end if;
        end loop;$f$;
begin
  for part in select * from (values
    ('order_line', 'line_counts(o, r.product_id, r.quantity, r.price, %s)'),
    ('refund', 'refund_counts(o, r.status, r.amount, r.refunded_at, %s)'),
    ('delivery', 'delivery_counts(o, r.is_return, r.status, r.carrier_id, r.created_at, %s)')
  ) parts (name, counts) loop
    execute format($f$
      create function %I() returns trigger language plpgsql as $t$
      declare
        r       record;
        o       orders;
        changes analytic_change[] := '{}';
      begin
        if tg_op = 'INSERT' then%s
          return null;
        end if;%s
        if tg_op = 'UPDATE' then%s
        end if;
        perform add_differences(changes);
        return null;
      end $t$
    $f$, 'count_' || part.name,
    format(each, 'select * from added', 'perform add_analytic_changes(r.store_id, ' || format(part.counts, 1) || ')'),
    format(each, 'select * from removed', 'changes := changes || ' || format(part.counts, -1)),
    format(each, 'select * from added', 'changes := changes || ' || format(part.counts, 1)));
    execute format('create trigger count_delete after delete on %I referencing old table as removed
      for each statement when (store_remains()) execute function %I()', part.name, 'count_' || part.name);
    execute format('create trigger count_update after update on %I referencing new table as added old table as removed
      for each statement execute function %I()', part.name, 'count_' || part.name);
  end loop;
end $$;
create trigger count_insert after insert on order_line referencing new table as added
  for each statement execute function count_order_line();
create trigger count_insert after insert on refund referencing new table as added
  for each statement execute function count_refund();

-- Under the customer's lock: of two orders that are placed or deleted at once, each would miss the other.
create function find_first_order(store uuid, customer uuid) returns void language plpgsql as $$
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

create function note_first_order() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    -- Under the same lock as find_first_order().
    perform 1 from "customer" c where c.store_id = new.store_id and c.id = new.customer_id for no key update;
    insert into "first_order" (store_id, customer_id, at, currency)
    values (new.store_id, new.customer_id, new.created_at, new.currency) on conflict do nothing;
    if found then
      insert into "analytic_change" (store_id, kind, key, currency, at, times, counts)
      values (new.store_id, 'sales', '', new.currency, quarter_hour(new.created_at), 1, '{"first_orders": 1}');
    elsif not exists (
      select 1 from "first_order" f where f.store_id = new.store_id and f.customer_id = new.customer_id and f.at < new.created_at)
    then
      perform find_first_order(new.store_id, new.customer_id);
    end if;
    return null;
  end if;
  if not exists (select 1 from "store" s where s.id = old.store_id) then return null; end if;
  perform find_first_order(old.store_id, old.customer_id);
  if tg_op <> 'DELETE' and new.customer_id is distinct from old.customer_id then
    perform find_first_order(new.store_id, new.customer_id);
  end if;
  return null;
end $$;
create trigger first_order_updated after update on orders for each row
  when ((old.customer_id, old.status = 'abandoned', old.created_at, old.currency)
    is distinct from (new.customer_id, new.status = 'abandoned', new.created_at, new.currency))
  execute function note_first_order();
create trigger first_order_deleted after delete on orders for each row
  when (store_remains() and old.customer_id is not null) execute function note_first_order();
