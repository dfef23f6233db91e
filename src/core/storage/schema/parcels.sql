-- What becomes of an order: deliveries, what a carrier has collected for them, returns and refunds.
--
-- They are listed by created_at, which is the time of their statement: it begins when the order is locked. now() would be when
-- the transaction began, which may have waited for another one.

-- A parcel of an order. Also the way back: the delivery of a return has is_return set and is not among the order's
-- deliveries.
create table delivery (
  store_id         uuid not null,
  id               uuid not null default new_id(),
  order_id         uuid not null,
  is_return        boolean not null default false,
  status           text not null default 'unfulfilled'
    check (status in ('unfulfilled', 'fulfilled', 'shipped', 'delivered', 'cancelled')),
  tracking_number  text,
  carrier_id       uuid,
  created_at       timestamptz(3) not null default statement_timestamp(),
  updated_at       timestamptz(3) not null default statement_timestamp(),
  -- The cash of a parcel that the carrier has paid to the store. Not part of the order as JSON: the change of the order's
  -- status to paid is an event.
  cash_received    numeric(14, 3),
  cash_received_at timestamptz(3),
  cash_reference   text,
  primary key (store_id, id),
  unique (store_id, order_id, id),
  foreign key (store_id, order_id) references orders on delete cascade,
  foreign key (store_id, carrier_id) references shipping_carrier on delete set null (carrier_id)
);
select store_table('delivery');
create index delivery_carrier on delivery (store_id, carrier_id);
-- A parcel in one's hands is found by the number on it.
create index delivery_tracking_number on delivery (store_id, upper(tracking_number)) where tracking_number is not null;
-- Deliveries that a carrier has. A new order's have none, so these indexes cost it nothing. They have what the summary of
-- parcels counts and sums, so that it reads no row of a delivery.
create index delivery_parcels on delivery (store_id, updated_at, id) include (carrier_id, status)
  where carrier_id is not null and not is_return;
create index delivery_cash_received on delivery (store_id, cash_received_at, id) include (carrier_id, order_id, cash_received)
  where cash_received_at is not null;
select capture_changes('delivery', 'order', part => 'deliveries', whole => 'order_id', states => '{status}',
  hidden => '{cash_received,cash_received_at,cash_reference}', operations => '{update,delete}');
create trigger capture_insert after insert on delivery for each row execute function capture_added_part('deliveries');

-- The sets of statuses of an order follow its deliveries and refunds whoever changes those, psql included. Whoever does
-- so must have locked the order, or two changes at once each miss the other. Compared first: an update of no rows would
-- still run the statement triggers of orders.
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
create function note_deliveries() returns trigger language plpgsql as $$
declare
  part record;
begin
  for part in select distinct c.store_id, c.order_id from changed c loop
    perform note_deliveries_of(part.store_id, part.order_id);
  end loop;
  return null;
end $$;
-- A new delivery is noted, and counted, by note_new_delivery() in analytics.sql.
create trigger delivery_changed after update on delivery referencing new table as changed
  for each statement execute function note_deliveries();
create trigger delivery_removed after delete on delivery referencing old table as changed
  for each statement when (store_remains()) execute function note_deliveries();

-- How many units of a line are in a delivery. What the service writes here, and to the lines of returns and refunds, it
-- writes together with rows that are captured already: capturing is for changes made in SQL.
create table delivery_line (
  store_id      uuid not null,
  order_id      uuid not null,
  delivery_id   uuid not null,
  order_line_id uuid not null,
  quantity      integer not null check (quantity > 0),
  primary key (store_id, delivery_id, order_line_id),
  foreign key (store_id, order_id, delivery_id) references delivery (store_id, order_id, id) on delete cascade,
  foreign key (store_id, order_id, order_line_id) references order_line (store_id, order_id, id) on delete cascade
);
select store_table('delivery_line');
create index delivery_line_line on delivery_line (store_id, order_line_id);
select capture_changes('delivery_line', 'order', part => 'deliveries.order_variants', whole => 'order_id',
  operations => '{update,delete}');

-- What a buyer sends back of an order.
create table order_return (
  store_id    uuid not null,
  id          uuid not null default new_id(),
  order_id    uuid not null,
  reason      text,
  delivery_id uuid,
  created_at  timestamptz(3) not null default statement_timestamp(),
  primary key (store_id, id),
  unique (store_id, order_id, id),
  foreign key (store_id, order_id) references orders on delete cascade,
  foreign key (store_id, order_id, delivery_id) references delivery (store_id, order_id, id)
);
select store_table('order_return');
create index order_return_order on order_return (store_id, order_id);
create index order_return_delivery on order_return (store_id, delivery_id);
select capture_changes('order_return', 'order', part => 'returns', whole => 'order_id', operations => '{update,delete}');
create trigger capture_insert after insert on order_return for each row execute function capture_added_part('returns');

-- How many units of a line are in a return.
create table return_line (
  store_id       uuid not null,
  id             uuid not null default new_id(),
  order_id       uuid not null,
  return_id      uuid not null,
  order_line_id  uuid not null,
  quantity       integer not null check (quantity > 0),
  reason         text,
  restock        boolean not null default false,
  -- Units that go back to stock when their return is received, and not before.
  awaits_receipt boolean not null default false,
  primary key (store_id, id),
  unique (store_id, return_id, order_line_id),
  foreign key (store_id, order_id, return_id) references order_return (store_id, order_id, id) on delete cascade,
  foreign key (store_id, order_id, order_line_id) references order_line (store_id, order_id, id) on delete cascade
);
select store_table('return_line');
create index return_line_line on return_line (store_id, order_line_id);
select capture_changes('return_line', 'order', part => 'returns.return_variants', whole => 'order_id',
  hidden => '{awaits_receipt}', operations => '{update,delete}');

-- Money that goes back to a buyer.
create table refund (
  store_id    uuid not null,
  id          uuid not null default new_id(),
  order_id    uuid not null,
  return_id   uuid,
  status      text not null default 'pending' check (status in ('pending', 'refunded')),
  amount      numeric(14, 3) not null check (amount >= 0),
  reason      text,
  created_at  timestamptz(3) not null default statement_timestamp(),
  -- When the money went back; created_at is when that was decided.
  refunded_at timestamptz(3),
  primary key (store_id, id),
  unique (store_id, order_id, id),
  foreign key (store_id, order_id) references orders on delete cascade,
  foreign key (store_id, order_id, return_id) references order_return (store_id, order_id, id)
);
select store_table('refund');
create index refund_order on refund (store_id, order_id);
create index refund_return on refund (store_id, return_id);
-- refunded_at follows the status, whose change is an event.
select capture_changes('refund', 'order', part => 'refunds', whole => 'order_id', states => '{status,amount}',
  hidden => '{refunded_at}', operations => '{update,delete}');
create trigger capture_insert after insert on refund for each row execute function capture_added_part('refunds');

create function note_refund_time() returns trigger language plpgsql as $$
begin
  new.refunded_at := case when new.status = 'refunded' then coalesce(new.refunded_at, now()) end;
  return new;
end $$;
create trigger refund_time before insert or update of status, refunded_at on refund
  for each row execute function note_refund_time();

create function note_refunds() returns trigger language plpgsql as $$
declare
  part record;
begin
  for part in select distinct c.store_id, c.order_id from changed c loop
    update "orders" o set refund_statuses = now_has.refunds
    from (
      select coalesce(array_agg(distinct r.status), '{}') as refunds
      from "refund" r where r.store_id = part.store_id and r.order_id = part.order_id
    ) now_has
    where o.store_id = part.store_id and o.id = part.order_id and o.refund_statuses is distinct from now_has.refunds;
  end loop;
  return null;
end $$;
create trigger refund_added after insert on refund referencing new table as changed
  for each statement execute function note_refunds();
create trigger refund_changed after update on refund referencing new table as changed
  for each statement execute function note_refunds();
create trigger refund_removed after delete on refund referencing old table as changed
  for each statement when (store_remains()) execute function note_refunds();

-- How many units of a line are refunded, and how much for them.
create table refund_line (
  store_id      uuid not null,
  id            uuid not null default new_id(),
  order_id      uuid not null,
  refund_id     uuid not null,
  order_line_id uuid not null,
  quantity      integer not null check (quantity > 0),
  amount        numeric(14, 3) not null check (amount >= 0),
  primary key (store_id, id),
  unique (store_id, refund_id, order_line_id),
  foreign key (store_id, order_id, refund_id) references refund (store_id, order_id, id) on delete cascade,
  foreign key (store_id, order_id, order_line_id) references order_line (store_id, order_id, id) on delete cascade
);
select store_table('refund_line');
create index refund_line_line on refund_line (store_id, order_line_id);
select capture_changes('refund_line', 'order', part => 'refunds.refund_variants', whole => 'order_id',
  operations => '{update,delete}');
