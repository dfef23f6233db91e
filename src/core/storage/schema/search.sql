-- What searches look through and lists are sorted by, where that is indexed apart from its resource. An order or a customer
-- changes often, its words hardly ever, and each new version of a row enters all indexes of its table again.

-- The words of an order, folded by the service (orders/search.ts).
create table order_search (
  store_id   uuid not null,
  order_id   uuid not null,
  text       text not null,
  -- Beside the words: the newest of what a search finds are then known where it is found. The foreign key keeps it what
  -- the order says, whoever changes that.
  created_at timestamptz(3) not null,
  primary key (store_id, order_id),
  constraint order_search_order foreign key (store_id, created_at, order_id)
    references orders (store_id, created_at, id) on update cascade on delete cascade
);
select store_table('order_search');
-- More samples than usual: how common a word is decides between this index and a walk by date.
alter table order_search alter column text set statistics 1000;
create index order_search_text on order_search using gin (store_id, text gin_trgm_ops);

-- A copy of the words of a customer. The country is here for lists that are sorted by one of these and cut to a country.
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
select store_table('customer_text');
-- Triggers, so that no way of writing a customer can forget the copy.
create function copy_customer_text() returns trigger language plpgsql as $$
begin
  insert into "customer_text" (store_id, customer_id, name_key, phone_digits, address_key, city_key, postal_code_key,
    search, country_id)
  values (new.store_id, new.id, new.name_key, new.phone_digits, new.address_key, new.city_key, new.postal_code_key,
    new.search, new.country_id);
  return null;
end $$;
create trigger customer_added after insert on customer for each row execute function copy_customer_text();

create function update_customer_text() returns trigger language plpgsql as $$
begin
  update "customer_text" set name_key = new.name_key, phone_digits = new.phone_digits, address_key = new.address_key,
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
