-- Most orders of stores that sell by cash on delivery are called before they are shipped, and many come back. What is known
-- about a phone number was in notes and spreadsheets: these are fields of the order now.

-- The customer's phone number in E.164; null if it is none. '?' is not looked at yet: rows of before this migration, or that
-- an older release or psql has written. Every start looks at them (resources/orders/read-phones.ts).
alter table orders add column phone_e164 text collate "C" default '?';
-- Null: this order needs no confirmation.
alter table orders add column confirmation text;
alter table orders add column confirmation_attempts integer not null default 0;
alter table orders add column confirmation_next_at timestamptz(3);
alter table orders add column confirmation_by text;
alter table orders add column confirmation_at timestamptz(3);
alter table orders add column confirmation_note text;
-- Who has the order before them, so that nobody else calls the same person.
alter table orders add column claimed_by uuid;
alter table orders add column claimed_until timestamptz(3);

create index orders_phone on orders (store_id, phone_e164, created_at, id) where phone_e164 <> '?';
create index orders_phone_unread on orders (store_id, id) where phone_e164 = '?';
create index orders_to_confirm on orders (store_id, created_at, id)
  where confirmation in ('waiting', 'no_answer', 'postponed') and not is_cancelled;
create index orders_confirmation on orders (store_id, confirmation, created_at, id) where confirmation is not null;

-- A store's own rules: see the guide "Cash on delivery".
alter table store add column country_id text references country;
alter table store add column order_desk jsonb not null default
  '{"confirm": false, "confirm_payment_methods": [], "restock_on_receipt": false, "min_parcels": 3, "bad_below": 50,
    "careful_below": 75, "min_address": 10, "max_quantity": 10}';

-- Where phone numbers without a country code are from: the only country with the store's currency, unless the store says.
create function country_of_currency(wanted text) returns text language sql stable as $$
  select min(c.id) from country c where c.currency = wanted and c.id <> 'EH' having count(*) = 1
$$;
-- Citus refuses the function here.
update store s set country_id = c.id
  from (select currency, min(id) as id from country where id <> 'EH' group by currency having count(*) = 1) c
  where c.currency = s.currency;
create function give_store_country() returns trigger language plpgsql as $$
begin
  new.country_id := country_of_currency(new.currency);
  return new;
end $$;
create trigger store_country before insert on store for each row when (new.country_id is null)
  execute function give_store_country();

-- A note is an entry of the history.
alter table order_event add column note text;

-- Units that go back to stock when their return is received, and not before.
alter table return_line add column awaits_receipt boolean not null default false;

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

-- Orders by phone number and what became of them.
create table phone_count (
  store_id  uuid not null references store on delete cascade,
  phone     text collate "C" not null,
  placed    integer not null,
  delivered integer not null,
  returned  integer not null,
  open      integer not null,
  primary key (store_id, phone)
) with (fillfactor = 80);
select store_table('phone_count');

create function count_phone() returns trigger language plpgsql as $$
declare
  before text := 'abandoned';
  after  text := 'abandoned';
begin
  if tg_op <> 'INSERT' and old.phone_e164 <> '?' then
    before := order_outcome(old.status, old.is_cancelled, old.is_archived, old.delivery_statuses, old.return_statuses);
  end if;
  if tg_op <> 'DELETE' and new.phone_e164 <> '?' then
    after := order_outcome(new.status, new.is_cancelled, new.is_archived, new.delivery_statuses, new.return_statuses);
  end if;
  if tg_op = 'UPDATE' and before = after and old.phone_e164 is not distinct from new.phone_e164 then return null; end if;
  if after <> 'abandoned' then
    insert into phone_count as c (store_id, phone, placed, delivered, returned, open)
    values (new.store_id, new.phone_e164, 1, (after = 'delivered')::integer, (after = 'returned')::integer,
      (after = 'open')::integer)
    on conflict (store_id, phone) do update set placed = c.placed + 1, delivered = c.delivered + excluded.delivered,
      returned = c.returned + excluded.returned, open = c.open + excluded.open;
  end if;
  if before <> 'abandoned' then
    update phone_count c set placed = c.placed - 1, delivered = c.delivered - (before = 'delivered')::integer,
      returned = c.returned - (before = 'returned')::integer, open = c.open - (before = 'open')::integer
    where c.store_id = old.store_id and c.phone = old.phone_e164;
    delete from phone_count c where c.store_id = old.store_id and c.phone = old.phone_e164 and c.placed = 0;
  end if;
  return null;
end $$;
create trigger count_phone_insert after insert on orders
  for each row when (new.phone_e164 <> '?') execute function count_phone();
create trigger count_phone_update
  after update of phone_e164, status, is_cancelled, is_archived, delivery_statuses, return_statuses on orders
  for each row when (old.phone_e164 <> '?' or new.phone_e164 <> '?') execute function count_phone();
create trigger count_phone_delete after delete on orders
  for each row when (old.phone_e164 <> '?' and store_remains()) execute function count_phone();

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

select capture_changes('orders', 'order',
  states => '{status,currency,customer_id,shipping_rate,discount,tip,tip_value,bundle_price,fee,subtotal,total,quantity,'
    'is_archived,is_cancelled,cancelled_at,paid_at,payment_method_id,landing_page_id,confirmation,confirmation_attempts}',
  hidden => '{delivery_statuses,refund_statuses,phone_e164,claimed_by,claimed_until}',
  renamed => '{"country_id": "customer_country", "payment_method_id": "payment_method", "landing_page_id": "landing_page",
    "return_statuses": "returns.delivery.status", "confirmation": "confirmation.state",
    "confirmation_attempts": "confirmation.attempts", "confirmation_next_at": "confirmation.next_at",
    "confirmation_by": "confirmation.by", "confirmation_at": "confirmation.at", "confirmation_note": "confirmation.note"}',
  operations => '{update,delete}');
select capture_changes('return_line', 'order', part => 'returns.return_variants', whole => 'order_id',
  hidden => '{awaits_receipt}', operations => '{update,delete}');
select capture_changes('order_event', 'order', part => 'history', whole => 'order_id', hidden => '{note}',
  operations => '{update,delete}');

-- The texts of orders show signals and confirmation now: the next start builds them.
select drop_text_on_update('orders', 'drop_order_text',
  unshown => '{delivery_statuses,return_statuses,refund_statuses,phone_e164,claimed_by,claimed_until}');
delete from order_text;
delete from setting where name = 'kept_texts';
