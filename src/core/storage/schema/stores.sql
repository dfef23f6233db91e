-- Shops. All else that belongs to a shop refers to its row here.

-- Where phone numbers without a country code are from, unless the store says: the only country with the store's currency.
create function country_of_currency(wanted text) returns text language sql stable as $$
  select min(c.id) from country c where c.currency = wanted and c.id <> 'EH' having count(*) = 1
$$;

-- A shop.
create table store (
  id              uuid primary key default new_id(),
  name            text not null check (name <> ''),
  domain          text not null check (domain <> ''),
  currency        text not null check (currency ~ '^[A-Z]{3}$'),
  created_at      timestamptz(3) not null default now(),
  -- An IANA name, checked by the service: days and weeks of reports are the store's own.
  time_zone       text not null default 'UTC' check (time_zone <> ''),
  language        text not null default 'en' check (language <> ''),
  contact_email   text,
  contact_phone   text,
  contact_address text,
  -- The operator can suspend a store, of a tenant who does not pay for example: its tokens are refused, and the console shows
  -- the store without changing it. Announced by the statement that suspends, because a distributed database takes no trigger
  -- on this table.
  suspended_at    timestamptz(3),
  country_id      text references country,
  -- A store's own rules: see the guide "Cash on delivery".
  order_desk      jsonb not null default
    '{"confirm": false, "confirm_payment_methods": [], "restock_on_receipt": false, "min_parcels": 3, "bad_below": 50,
    "careful_below": 75, "min_address": 10, "max_quantity": 10, "share_phone_counts": false}',
  -- Printed on packing lists and invoices. Without a reference: in a distributed database every machine has all stores, but
  -- not all files. Whoever reads it looks for the file.
  logo_id         uuid,
  -- The country by which the phone numbers of the store's orders were read last. When the store names another, they are read
  -- again (resources/orders/follow-country.ts).
  phones_country  text
);
create unique index store_domain on store (lower(domain));

create function give_store_country() returns trigger language plpgsql as $$
begin
  new.country_id := coalesce(new.country_id, country_of_currency(new.currency));
  new.phones_country := new.country_id;
  return new;
end $$;
create trigger store_country before insert on store for each row execute function give_store_country();

-- A host name of a store. Host names are unique across stores; a distributed database has such a rule only for a table
-- that is small enough to be on every machine.
create table host_claim (
  -- In lower case.
  host     text primary key,
  store_id uuid not null references store on delete cascade
);
select store_table('host_claim');
