-- Figures of sales, products, landing pages and deliveries, exact at any time and without a scan of the orders.
--
-- Triggers add a row to analytic_change for every difference, so that writers never wait for each other. A job adds them
-- up in analytic_total (src/analytics/merge-changes.ts). A figure is the sum of both. Times are cut to quarters of an
-- hour: the days of every time zone in use begin at one. Sums of whole days and months (UTC) make rankings over long
-- periods quick.

-- When the money went back; refund.created_at is when that was decided.
alter table refund add column refunded_at timestamptz(3);
update refund r set refunded_at = coalesce((
    select max(e.created_at) from order_event e
    where e.store_id = r.store_id and e.order_id = r.order_id and e.subject = 'refund' and e.subject_id = r.id
      and e.to_state = 'refunded'), r.created_at)
where r.status = 'refunded';

create function note_refund_time() returns trigger language plpgsql as $$
begin
  new.refunded_at := case when new.status = 'refunded' then coalesce(new.refunded_at, now()) end;
  return new;
end $$;
create trigger refund_time before insert or update of status, refunded_at on refund
  for each row execute function note_refund_time();
-- It follows the status, whose change is an event.
select capture_changes('refund', 'order', part => 'refunds', whole => 'order_id', states => '{status,amount}',
  hidden => '{refunded_at}');

create table analytic_total (
  store_id         uuid not null references store on delete cascade,
  -- sales, product, landing_page, deliveries (all) or delivery (by carrier and city)
  kind             text collate "C" not null,
  -- Which product or landing page, or carrier/city; '' for sales and for all deliveries.
  key              text collate "C" not null,
  currency         text collate "C" not null,
  -- 15m, 1d or 1M: the time from `at` on, in UTC.
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
create index analytic_total_time on analytic_total (store_id, kind, span, at);

-- Without a reference to the store, which would cost each order a look at it: the job leaves out what has no store.
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
create index analytic_change_lookup on analytic_change (store_id, kind, at);

-- The time of each customer's first order, to know new customers from returning ones.
create table first_order (
  store_id    uuid not null references store on delete cascade,
  customer_id uuid not null,
  at          timestamptz(3) not null,
  currency    text not null,
  primary key (store_id, customer_id)
);

create function quarter_hour(at timestamptz) returns timestamptz language sql immutable parallel safe as $$
  select date_bin('15 minutes', at, '0001-01-01T00:00:00Z')
$$;

-- What the row of an order counts for.
create function order_counts(o orders)
returns table (kind text, key text, currency text, at timestamptz, counts jsonb) language sql stable as $$
  select 'sales', '', o.currency, quarter_hour(o.created_at), jsonb_strip_nulls(jsonb_build_object(
    'orders', case when o.status <> 'abandoned' then 1 end,
    'abandoned', case when o.status = 'abandoned' then 1 end,
    'cancelled', case when o.status <> 'abandoned' and o.is_cancelled then 1 end,
    'guests', case when o.status <> 'abandoned' and o.customer_id is null then 1 end))
  union all
  select 'sales', '', o.currency, quarter_hour(coalesce(o.paid_at, o.created_at)),
    jsonb_build_object('paid', 1, 'units', o.quantity, 'gross', o.total)
  where o.status = 'paid' and not o.is_cancelled
  union all
  -- Of the orders placed at that time, what became of them.
  select 'landing_page', o.landing_page_id::text, o.currency, quarter_hour(o.created_at),
    jsonb_strip_nulls(jsonb_build_object(
      'orders', 1,
      'cancelled', case when o.is_cancelled then 1 end,
      'paid', case when o.status = 'paid' and not o.is_cancelled then 1 end,
      'gross', case when o.status = 'paid' and not o.is_cancelled then o.total end,
      'delivered', case when d.delivered then 1 end,
      'delivered_amount', case when d.delivered then o.total end))
  from (select not o.is_cancelled and 'delivered' = any(o.delivery_statuses)
    and o.delivery_statuses <@ '{delivered,cancelled}'::text[] as delivered) d
  where o.status <> 'abandoned' and o.landing_page_id is not null
$$;

create function line_counts(o orders, product uuid, quantity integer, price numeric)
returns table (kind text, key text, currency text, at timestamptz, counts jsonb) language sql stable as $$
  select 'product', coalesce(product::text, ''), o.currency, quarter_hour(o.created_at),
    jsonb_build_object('ordered_units', quantity)
  where o.status <> 'abandoned' and not o.is_cancelled
  union all
  select 'product', coalesce(product::text, ''), o.currency, quarter_hour(coalesce(o.paid_at, o.created_at)),
    jsonb_build_object('units', quantity, 'gross', price * quantity)
  where o.status = 'paid' and not o.is_cancelled
$$;

-- A refund counts as long as the payment does: a cancelled order adds nothing and takes nothing away.
create function refund_counts(o orders, status text, amount numeric, refunded_at timestamptz)
returns table (kind text, key text, currency text, at timestamptz, counts jsonb) language sql stable as $$
  select x.kind, x.key, o.currency, quarter_hour(x.at), jsonb_build_object('refunds', amount)
  from (values ('sales', '', refunded_at), ('landing_page', o.landing_page_id::text, o.created_at)) x (kind, key, at)
  where status = 'refunded' and o.status = 'paid' and not o.is_cancelled and x.key is not null
$$;

-- Nothing more will happen to what has not left of an order that was cancelled.
create function delivery_counts(o orders, is_return boolean, status text, carrier uuid, created_at timestamptz)
returns table (kind text, key text, currency text, at timestamptz, counts jsonb) language sql stable as $$
  select x.kind, x.key, '', quarter_hour(created_at),
    jsonb_build_object(case when is_return then 'returns' else status end, 1)
  from (values ('deliveries', ''), ('delivery', coalesce(carrier::text, '') || '/' || btrim(o.customer_city))) x (kind, key)
  where status in ('shipped', 'delivered', 'cancelled') or (o.status <> 'abandoned' and not o.is_cancelled)
$$;

-- All that an order and its parts count for.
create function all_counts(o orders)
returns table (kind text, key text, currency text, at timestamptz, counts jsonb) language sql stable as $$
  select c.* from order_counts(o) c
  union all
  select c.* from order_line r, line_counts(o, r.product_id, r.quantity, r.price) c
  where r.store_id = o.store_id and r.order_id = o.id
  union all
  select c.* from refund r, refund_counts(o, r.status, r.amount, r.refunded_at) c
  where r.store_id = o.store_id and r.order_id = o.id
  union all
  select c.* from delivery r, delivery_counts(o, r.is_return, r.status, r.carrier_id, r.created_at) c
  where r.store_id = o.store_id and r.order_id = o.id
$$;

-- A statement that changes an order must not add parts to it if it also changes what the parts count for.
create function count_order() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into analytic_change (store_id, kind, key, currency, at, times, counts)
    select new.store_id, c.kind, c.key, c.currency, c.at, 1, c.counts from order_counts(new) c;
    return null;
  end if;
  -- A store that is removed takes its rows along; then there is nothing left to count for.
  if not exists (select from store s where s.id = old.store_id) then return old; end if;
  if tg_op = 'DELETE' then
    insert into analytic_change (store_id, kind, key, currency, at, times, counts)
    select old.store_id, c.kind, c.key, c.currency, c.at, -1, c.counts from all_counts(old) c;
    return old;
  end if;
  insert into analytic_change (store_id, kind, key, currency, at, times, counts)
  select new.store_id, c.kind, c.key, c.currency, c.at, sum(c.times), c.counts from (
    select -1 as times, * from all_counts(old) union all select 1, * from all_counts(new)
  ) c
  group by c.kind, c.key, c.currency, c.at, c.counts having sum(c.times) <> 0;
  return null;
end $$;
create trigger count_inserted after insert on orders for each row execute function count_order();
create trigger count_updated after update on orders for each row
  when ((old.status, old.is_cancelled, old.created_at, old.paid_at, old.currency, old.total, old.quantity,
      old.customer_id is null, old.customer_city, old.landing_page_id, old.delivery_statuses)
    is distinct from (new.status, new.is_cancelled, new.created_at, new.paid_at, new.currency, new.total, new.quantity,
      new.customer_id is null, new.customer_city, new.landing_page_id, new.delivery_statuses))
  execute function count_order();
-- Before: its parts are deleted with it.
create trigger count_deleted before delete on orders for each row execute function count_order();

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
      create function count_%1$s() returns trigger language plpgsql as $t$
      begin
        if tg_op = 'INSERT' then
          insert into analytic_change (store_id, kind, key, currency, at, times, counts)
          select r.store_id, c.kind, c.key, c.currency, c.at, count(*), c.counts
          from added r join orders o on o.store_id = r.store_id and o.id = r.order_id, %2$s c
          group by r.store_id, c.kind, c.key, c.currency, c.at, c.counts;
        elsif tg_op = 'DELETE' then
          insert into analytic_change (store_id, kind, key, currency, at, times, counts)
          select r.store_id, c.kind, c.key, c.currency, c.at, -count(*), c.counts
          from removed r join orders o on o.store_id = r.store_id and o.id = r.order_id, %2$s c
          group by r.store_id, c.kind, c.key, c.currency, c.at, c.counts;
        else
          insert into analytic_change (store_id, kind, key, currency, at, times, counts)
          select d.store_id, d.kind, d.key, d.currency, d.at, sum(d.times), d.counts from (
            select r.store_id, c.*, 1 as times
            from added r join orders o on o.store_id = r.store_id and o.id = r.order_id, %2$s c
            union all
            select r.store_id, c.*, -1
            from removed r join orders o on o.store_id = r.store_id and o.id = r.order_id, %2$s c
          ) d
          group by d.store_id, d.kind, d.key, d.currency, d.at, d.counts having sum(d.times) <> 0;
        end if;
        return null;
      end $t$;
      create trigger count_insert after insert on %1$I referencing new table as added
        for each statement execute function count_%1$s();
      create trigger count_delete after delete on %1$I referencing old table as removed
        for each statement execute function count_%1$s();
      create trigger count_update after update on %1$I referencing new table as added old table as removed
        for each statement execute function count_%1$s();
    $f$, part.name, part.counts);
  end loop;
end $$;

-- Under the customer's lock: of two orders that are placed or deleted at once, each would miss the other.
create function find_first_order(store uuid, customer uuid) returns void language plpgsql as $$
declare
  was first_order;
  earliest record;
begin
  if customer is null then return; end if;
  perform from customer c where c.store_id = store and c.id = customer for no key update;
  select * into was from first_order f where f.store_id = store and f.customer_id = customer;
  select o.created_at, o.currency into earliest from orders o
    where o.store_id = store and o.customer_id = customer and o.status <> 'abandoned'
    order by o.created_at, o.id limit 1;
  if (was.at, was.currency) is not distinct from (earliest.created_at, earliest.currency) then return; end if;
  insert into analytic_change (store_id, kind, key, currency, at, times, counts)
  select store, 'sales', '', c.currency, quarter_hour(c.at), c.times, '{"first_orders": 1}'
  from (values (was.at, was.currency, -1), (earliest.created_at, earliest.currency, 1)) c (at, currency, times)
  where c.at is not null;
  if earliest.created_at is null then
    delete from first_order f where f.store_id = store and f.customer_id = customer;
  else
    insert into first_order as f (store_id, customer_id, at, currency)
    values (store, customer, earliest.created_at, earliest.currency)
    on conflict (store_id, customer_id) do update set at = excluded.at, currency = excluded.currency;
  end if;
end $$;

create function note_first_order() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    if not exists (select from store s where s.id = old.store_id) then return null; end if;
    perform find_first_order(old.store_id, old.customer_id);
  end if;
  if tg_op <> 'DELETE' and (tg_op = 'INSERT' or new.customer_id is distinct from old.customer_id) then
    perform find_first_order(new.store_id, new.customer_id);
  end if;
  return null;
end $$;
create trigger first_order_inserted after insert on orders for each row
  when (new.customer_id is not null and new.status <> 'abandoned') execute function note_first_order();
create trigger first_order_updated after update on orders for each row
  when ((old.customer_id, old.status = 'abandoned', old.created_at, old.currency)
    is distinct from (new.customer_id, new.status = 'abandoned', new.created_at, new.currency))
  execute function note_first_order();
create trigger first_order_deleted after delete on orders for each row
  when (old.customer_id is not null) execute function note_first_order();

-- Orders that are there already.
insert into first_order
select distinct on (store_id, customer_id) store_id, customer_id, created_at, currency from orders
where customer_id is not null and status <> 'abandoned' order by store_id, customer_id, created_at, id;

insert into analytic_change (store_id, kind, key, currency, at, times, counts)
select store_id, (c).kind, (c).key, (c).currency, (c).at, 1, (c).counts
from (select o.store_id, all_counts(o) as c from orders o) counted;
insert into analytic_change (store_id, kind, key, currency, at, times, counts)
select store_id, 'sales', '', currency, quarter_hour(at), count(*), '{"first_orders": 1}' from first_order group by 1, 4, 5;

-- Written from the columns of analytic_total: the sum of totals and changes, and the function that merges changes.
do $$
declare
  named text;
begin
  select string_agg(attname, ', ' order by attnum) into named
  from pg_attribute where attrelid = 'analytic_total'::regclass and attnum > 6;

  execute (
    select format($f$
      create view analytic_count as
      select store_id, kind, key, currency, span, at, true as is_merged, %1$s from analytic_total
      union all
      select store_id, kind, key, currency, '15m', at, false, %2$s from analytic_change
    $f$, named, string_agg(format('times * (counts->>%1$L)::%2$s', attname, format_type(atttypid, null)), ', ' order by attnum))
    from pg_attribute where attrelid = 'analytic_total'::regclass and attnum > 6);

  -- Merges at most so many changes and returns their number. One caller at a time.
  execute (
    select format($f$
      create function merge_analytic_changes(most integer) returns integer language sql as $t$
        with taken as (
          delete from analytic_change where ctid = any (array(select ctid from analytic_change limit most)) returning *
        ),
        merged as (
          insert into analytic_total as t (store_id, kind, key, currency, span, at, %1$s)
          select c.store_id, c.kind, c.key, c.currency, s.span,
            case when s.unit = '' then c.at else date_trunc(s.unit, c.at, 'UTC') end, %2$s
          from taken c
          join store on store.id = c.store_id
          join (values ('15m', ''), ('1d', 'day'), ('1M', 'month')) s (span, unit)
            on s.span = '15m' or c.kind in ('product', 'landing_page', 'delivery')
          group by 1, 2, 3, 4, 5, 6
          on conflict (store_id, kind, key, span, at, currency) do update set %3$s
        )
        select count(*)::integer from taken
      $t$
    $f$, named,
    string_agg(format('sum(c.times * (c.counts->>%1$L)::%2$s)', attname, format_type(atttypid, null)), ', ' order by attnum),
    string_agg(format('%1$I = nullif(coalesce(t.%1$I, 0) + coalesce(excluded.%1$I, 0), 0)', attname), ', ' order by attnum))
    from pg_attribute where attrelid = 'analytic_total'::regclass and attnum > 6);
end $$;

do $$
begin
  while merge_analytic_changes(200000) > 0 loop
  end loop;
end $$;
