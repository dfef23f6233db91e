-- Phone numbers without a country code are read by the country of the store. When the store names another, those of its orders
-- are read again (resources/orders/follow-country.ts): this is the country by which they were read last.
alter table store add column phones_country text;
update store set phones_country = country_id;

create or replace function give_store_country() returns trigger language plpgsql as $$
begin
  new.country_id := coalesce(new.country_id, country_of_currency(new.currency));
  new.phones_country := new.country_id;
  return new;
end $$;
drop trigger store_country on store;
create trigger store_country before insert on store for each row execute function give_store_country();
