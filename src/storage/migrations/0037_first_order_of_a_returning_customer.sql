-- An order that is later than the first order of its customer changes nothing about it: no need to look for the earliest.
create or replace function note_first_order() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    if not exists (select from store s where s.id = old.store_id) then return null; end if;
    perform find_first_order(old.store_id, old.customer_id);
  else
    -- Under the same lock as find_first_order().
    perform from customer c where c.store_id = new.store_id and c.id = new.customer_id for no key update;
    if exists (
      select from first_order f where f.store_id = new.store_id and f.customer_id = new.customer_id and f.at < new.created_at)
    then return null; end if;
  end if;
  if tg_op <> 'DELETE' and (tg_op = 'INSERT' or new.customer_id is distinct from old.customer_id) then
    perform find_first_order(new.store_id, new.customer_id);
  end if;
  return null;
end $$;
