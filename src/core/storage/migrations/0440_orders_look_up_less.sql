-- Each new order looked its store up twice more than it needs to: for the counts of its phone number, and for the first order of
-- its customer. Both are counters, as `tally` is: the order refers to the store itself, and forget_changes() deletes the
-- counters of a deleted store.
alter table phone_count drop constraint phone_count_store_id_fkey;
alter table first_order drop constraint first_order_store_id_fkey;

create or replace function forget_changes() returns trigger language plpgsql as $$
begin
  delete from "change" c where c.store_id = old.id;
  delete from "tally" t where t.store_id = old.id;
  delete from "phone_count" p where p.store_id = old.id;
  delete from "first_order" f where f.store_id = old.id;
  return null;
end $$;

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
create or replace trigger count_phone_insert after insert on orders
  for each row when (new.phone_e164 <> '?' and new.status <> 'abandoned') execute function count_new_phone();

-- The lower number is locked first, so that two people who move orders in opposite directions do not wait for each other.
create or replace function count_phone() returns trigger language plpgsql as $$
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

-- What the signals of an order need only if its number has other orders. In the statement, each was made ready every time.
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
