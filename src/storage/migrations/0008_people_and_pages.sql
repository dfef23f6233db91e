-- A copy of the words of a customer, to be indexed. Every order changes the sums of its customer, and each new version
-- of that row enters each index of its table again; these words hardly ever change, so their indexes stand apart.
-- The country is here for lists that are sorted by one of these and cut to a country.
create table customer_text (
  store_id        uuid not null,
  customer_id     uuid not null,
  name_key        text collate "C",
  phone_digits    text collate "C",
  address_key     text collate "C",
  city_key        text collate "C",
  postal_code_key text collate "C",
  search          text not null,
  country_id      text,
  primary key (store_id, customer_id),
  foreign key (store_id, customer_id) references customer on delete cascade
);

-- Triggers, so that no way of writing a customer can forget the copy.
create function copy_customer_text() returns trigger language plpgsql as $$
begin
  insert into customer_text (store_id, customer_id, name_key, phone_digits, address_key, city_key, postal_code_key,
    search, country_id)
  select store_id, id, name_key, phone_digits, address_key, city_key, postal_code_key, search, country_id from added;
  return null;
end $$;
create trigger customer_added after insert on customer referencing new table as added
  for each statement execute function copy_customer_text();

create function update_customer_text() returns trigger language plpgsql as $$
begin
  update customer_text set name_key = new.name_key, phone_digits = new.phone_digits, address_key = new.address_key,
    city_key = new.city_key, postal_code_key = new.postal_code_key, search = new.search,
    country_id = new.country_id
  where store_id = new.store_id and customer_id = new.id;
  return null;
end $$;
create trigger customer_text_changed
  after update of name_key, phone_digits, address_key, city_key, postal_code_key, search, country_id on customer
  for each row execute function update_customer_text();

create index customer_search on customer_text using gin (store_id, search gin_trgm_ops);

-- Each sort of a list is an index scan, the id last as in the sort itself. Rows without a value come last both ways,
-- hence a key for each direction: above all others when the sort goes up, below them when it goes down.
create index customer_name_up on customer_text (store_id, coalesce(name_key, U&'\+10FFFF'), customer_id);
create index customer_name_down on customer_text (store_id, coalesce(name_key, ''), customer_id);
create index customer_phone_up on customer_text (store_id, coalesce(phone_digits, U&'\+10FFFF'), customer_id);
create index customer_phone_down on customer_text (store_id, coalesce(phone_digits, ''), customer_id);
create index customer_address_up on customer_text (store_id, coalesce(address_key, U&'\+10FFFF'), customer_id);
create index customer_address_down on customer_text (store_id, coalesce(address_key, ''), customer_id);
create index customer_city_up on customer_text (store_id, coalesce(city_key, U&'\+10FFFF'), customer_id);
create index customer_city_down on customer_text (store_id, coalesce(city_key, ''), customer_id);
create index customer_postal_code_up on customer_text (store_id, coalesce(postal_code_key, U&'\+10FFFF'), customer_id);
create index customer_postal_code_down on customer_text (store_id, coalesce(postal_code_key, ''), customer_id);
create index customer_created on customer (store_id, created_at, id);
create index customer_spent on customer (store_id, amount_spent, id);
create index customer_orders on customer (store_id, order_count, id);
create index customer_subscription on customer (store_id, subscription_status, id);

-- Sorting by email needs no more than the unique key: nothing ties.
drop index customer_country;
create index customer_country on customer (store_id, country_id, created_at, id);

create index review_created on review (store_id, created_at, id);
create index review_rating on review (store_id, rating, id);
create index review_status on review (store_id, status, created_at, id);
drop index review_product;
create index review_product on review (store_id, product_id, id);
create index review_product_created on review (store_id, product_id, created_at, id);

-- The slug as an address has it: any script, percent-encoded once and not each time the page is shown.
alter table landing_page add column path text not null generated always as (url_encode(slug)) stored;

drop index landing_page_product, landing_page_domain;
create index landing_page_product on landing_page (store_id, product_id, created_at, id);
create index landing_page_domain on landing_page (store_id, domain_id, created_at, id);
create index landing_page_created on landing_page (store_id, created_at, id);
create index landing_page_updated on landing_page (store_id, updated_at, id);
create index landing_page_cod_type on landing_page (store_id, cod_type, created_at, id);
