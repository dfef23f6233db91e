-- Whoever changes the phone number of an order changes the counts of two numbers. The new one was locked first, so that two
-- people who moved orders in opposite directions waited for each other. The lower number is locked first now, and an order that
-- keeps its number changes its counts once.
create or replace function count_phone() returns trigger language plpgsql as $$
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
  if tg_op = 'UPDATE' and old.phone_e164 is not distinct from new.phone_e164 then
    if before = after then return null; end if;
    if before <> 'abandoned' and after <> 'abandoned' then
      update phone_count c set
        delivered = c.delivered + (after = 'delivered')::integer - (before = 'delivered')::integer,
        returned = c.returned + (after = 'returned')::integer - (before = 'returned')::integer,
        open = c.open + (after = 'open')::integer - (before = 'open')::integer
      where c.store_id = new.store_id and c.phone = new.phone_e164;
      return null;
    end if;
  end if;
  if before <> 'abandoned' and after <> 'abandoned' then
    perform from phone_count c where c.store_id = old.store_id and c.phone = old.phone_e164 and c.phone < new.phone_e164
      for no key update;
  end if;
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
