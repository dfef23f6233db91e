-- Most orders of stores that sell by cash on delivery are called before they are shipped, and many come back. Here is what is
-- known about a phone number, and what that says of an order. How an order is confirmed is in its own columns (orders.sql).

-- What became of an order, for the figures of its phone number.
create function order_outcome(status text, is_cancelled boolean, is_archived boolean, deliveries text[], returns text[])
returns text language sql immutable parallel safe as $$
  select case
    when status = 'abandoned' then 'abandoned'
    when returns && '{unfulfilled,fulfilled,shipped,delivered}'::text[] then 'returned'
    when 'delivered' = any(deliveries) then 'delivered'
    when is_cancelled or is_archived then 'closed'
    -- Nothing to deliver, or nothing left.
    when deliveries <@ '{cancelled}'::text[] and (deliveries <> '{}' or status = 'paid') then 'closed'
    else 'open' end
$$;

-- How many orders of a phone number there were, and what became of them. Without a reference to the store, as `tally` is.
create table phone_count (
  store_id  uuid not null,
  phone     text collate "C" not null,
  placed    integer not null,
  delivered integer not null,
  returned  integer not null,
  open      integer not null,
  primary key (store_id, phone)
) with (fillfactor = 80);
select store_table('phone_count');

-- A new order has nothing to be taken off.
create function count_new_phone() returns trigger language plpgsql as $$
declare
  outcome text := order_outcome(new.status, new.is_cancelled, new.is_archived, new.delivery_statuses, new.return_statuses);
begin
  insert into "phone_count" as c (store_id, phone, placed, delivered, returned, open)
  values (new.store_id, new.phone_e164, 1, (outcome = 'delivered')::integer, (outcome = 'returned')::integer,
    (outcome = 'open')::integer)
  on conflict (store_id, phone) do update set placed = c.placed + 1, delivered = c.delivered + excluded.delivered,
    returned = c.returned + excluded.returned, open = c.open + excluded.open;
  return null;
end $$;
create trigger count_phone_insert after insert on orders
  for each row when (new.phone_e164 <> '?' and new.status <> 'abandoned') execute function count_new_phone();

-- The lower number is locked first, so that two people who move orders in opposite directions do not wait for each other.
create function count_phone() returns trigger language plpgsql as $$
declare
  before text := 'abandoned';
  after  text := 'abandoned';
begin
  if old.phone_e164 <> '?' then
    before := order_outcome(old.status, old.is_cancelled, old.is_archived, old.delivery_statuses, old.return_statuses);
  end if;
  if tg_op = 'UPDATE' and new.phone_e164 <> '?' then
    after := order_outcome(new.status, new.is_cancelled, new.is_archived, new.delivery_statuses, new.return_statuses);
  end if;
  if tg_op = 'UPDATE' and old.phone_e164 is not distinct from new.phone_e164 then
    if before = after then return null; end if;
    if before <> 'abandoned' and after <> 'abandoned' then
      update "phone_count" c set
        delivered = c.delivered + (after = 'delivered')::integer - (before = 'delivered')::integer,
        returned = c.returned + (after = 'returned')::integer - (before = 'returned')::integer,
        open = c.open + (after = 'open')::integer - (before = 'open')::integer
      where c.store_id = new.store_id and c.phone = new.phone_e164;
      return null;
    end if;
  end if;
  if before <> 'abandoned' and after <> 'abandoned' then
    perform from "phone_count" c where c.store_id = old.store_id and c.phone = old.phone_e164 and c.phone < new.phone_e164
      for no key update;
  end if;
  if after <> 'abandoned' then
    insert into "phone_count" as c (store_id, phone, placed, delivered, returned, open)
    values (new.store_id, new.phone_e164, 1, (after = 'delivered')::integer, (after = 'returned')::integer,
      (after = 'open')::integer)
    on conflict (store_id, phone) do update set placed = c.placed + 1, delivered = c.delivered + excluded.delivered,
      returned = c.returned + excluded.returned, open = c.open + excluded.open;
  end if;
  if before <> 'abandoned' then
    update "phone_count" c set placed = c.placed - 1, delivered = c.delivered - (before = 'delivered')::integer,
      returned = c.returned - (before = 'returned')::integer, open = c.open - (before = 'open')::integer
    where c.store_id = old.store_id and c.phone = old.phone_e164;
    delete from "phone_count" c where c.store_id = old.store_id and c.phone = old.phone_e164 and c.placed = 0;
  end if;
  return null;
end $$;
create trigger count_phone_update
  after update of phone_e164, status, is_cancelled, is_archived, delivery_statuses, return_statuses on orders
  for each row when (old.phone_e164 <> '?' or new.phone_e164 <> '?') execute function count_phone();
create trigger count_phone_delete after delete on orders
  for each row when (old.phone_e164 <> '?' and store_remains()) execute function count_phone();

-- What became of the orders of a phone number, as a store shares it with others of its operator: who refuses the parcels of
-- one store orders in the next. Both must want it, and what is shared is a copy, so that taking it out again leaves nothing behind.
create table shared_phone (
  store_id  uuid not null references store on delete cascade,
  -- HMAC of the number with a key of the service. The number itself is in no row.
  key       bytea not null check (length(key) = 32),
  orders    integer not null,
  delivered integer not null,
  returned  integer not null,
  -- The counts are those of the start of this day (UTC): nobody can watch another store's orders come in.
  made_on   date not null,
  primary key (store_id, key)
);
select store_table('shared_phone');
create index shared_phone_key on shared_phone (key);

-- Why an order deserves a look, as codes. The guide has the table; a store may shift the thresholds.
create function signal_reasons(rules jsonb, given_phone text, phone text, address text, has_parcel boolean, units integer,
  delivered integer, returned integer, is_duplicate boolean) returns text[] language sql immutable parallel safe as $$
  select array_remove(array[
    case when delivered + returned < (rules->>'min_parcels')::integer then null
      when delivered * 100 < (rules->>'bad_below')::integer * (delivered + returned) then 'mostly_returned'
      when delivered * 100 < (rules->>'careful_below')::integer * (delivered + returned) then 'often_returned'
      else 'delivered_before' end,
    case when given_phone <> '' and phone is null then 'invalid_phone' end,
    case when is_duplicate then 'duplicate' end,
    case when has_parcel and char_length(btrim(address)) < (rules->>'min_address')::integer then 'short_address' end,
    case when units > (rules->>'max_quantity')::integer then 'unusual_quantity' end], null)
$$;
create function signal_level(reasons text[]) returns text language sql immutable parallel safe as $$
  select case
    when reasons && '{mostly_returned,invalid_phone}'::text[] then 'bad'
    when reasons && '{often_returned,duplicate,short_address,unusual_quantity}'::text[] then 'careful'
    when reasons && '{delivered_before}'::text[] then 'good'
    else 'unknown' end
$$;

-- The signals of an order look for a duplicate and for earlier orders only if its number has other orders. As parts of their
-- statement, these searches would be prepared each time, a third of what the signals cost.

-- The first other open order of the same person, at nearly the same time, with a product of this one. Its conditions are those
-- of resources/orders/signals.ts, where many orders and a distributed database have them in the statement.
create function earliest_twin(store uuid, of_order uuid, of_phone text, of_customer uuid, placed timestamptz)
returns uuid language plpgsql stable as $$
begin
  if of_phone is not null then
    return (
      select x.id from orders x
      where x.store_id = store and x.phone_e164 = of_phone and x.phone_e164 <> '?' and x.id <> of_order
        and x.created_at between placed - interval '48 hours' and placed + interval '48 hours'
        and order_outcome(x.status, x.is_cancelled, x.is_archived, x.delivery_statuses, x.return_statuses) = 'open'
        and exists (select 1 from order_line a join order_line b on b.store_id = store and b.product_id = a.product_id
          where a.store_id = store and a.order_id = of_order and b.order_id = x.id)
      order by x.created_at, x.id limit 1);
  end if;
  return (
    select x.id from orders x
    where x.store_id = store and x.customer_id = of_customer and x.phone_e164 is null and x.id <> of_order
      and x.created_at between placed - interval '48 hours' and placed + interval '48 hours'
      and order_outcome(x.status, x.is_cancelled, x.is_archived, x.delivery_statuses, x.return_statuses) = 'open'
      and exists (select 1 from order_line a join order_line b on b.store_id = store and b.product_id = a.product_id
        where a.store_id = store and a.order_id = of_order and b.order_id = x.id)
    order by x.created_at, x.id limit 1);
end $$;

create function is_first_of_phone(store uuid, of_phone text, placed timestamptz, of_order uuid) returns boolean
language plpgsql stable as $$
begin
  return not exists (
    select 1 from orders x where x.store_id = store and x.phone_e164 = of_phone and x.phone_e164 <> '?'
      and x.status <> 'abandoned' and (x.created_at, x.id) < (placed, of_order));
end $$;
create function is_placed_before(store uuid, other uuid, placed timestamptz, of_order uuid) returns boolean
language plpgsql stable as $$
begin
  return (select (x.created_at, x.id) < (placed, of_order) from orders x where x.store_id = store and x.id = other);
end $$;
