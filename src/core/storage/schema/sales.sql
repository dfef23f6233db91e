-- Where a store sells, how it is paid and delivers, and to whom it sells.

-- A host name of a store. The store's own domain is one of them, the primary one: so host names are unique across all
-- stores, whether they are given to a store or added later.
create table domain (
  store_id   uuid not null references store on delete cascade,
  id         uuid not null default new_id(),
  host       text not null check (host <> ''),
  created_at timestamptz(3) not null default now(),
  is_primary boolean not null default false,
  updated_at timestamptz(3) not null default now(),
  primary key (store_id, id)
);
select store_table('domain');
create unique index domain_host on domain (lower(host));
create unique index domain_primary on domain (store_id) where is_primary;
create index domain_created on domain (store_id, created_at, id);
select count_rows('domain', $$array['']$$);
select capture_changes('domain', states => '{host,is_primary}');

-- A page that sells one product.
create table landing_page (
  store_id         uuid not null references store on delete cascade,
  id               uuid not null default new_id(),
  title            text not null,
  slug             text not null check (slug <> ''),
  meta_description text,
  product_id       uuid not null,
  domain_id        uuid,
  screenshot_url   text,
  lang             text,
  cod_type         text not null default 'checkout' check (cod_type in ('checkout', 'popup', 'embedded')),
  published_at     timestamptz(3),
  created_at       timestamptz(3) not null default now(),
  updated_at       timestamptz(3) not null default now(),
  -- The slug as an address has it: any script, percent-encoded once and not each time the page is shown.
  path             text not null generated always as (url_encode(slug)) stored,
  -- As that of products.
  slug_is_twin     boolean not null default false,
  -- As those of products.
  file_ids         text[] generated always as (
    case when coalesce(screenshot_url, '') || ' ' || coalesce(meta_description, '') ~ '/[0-9a-f]{8}-[0-9a-f]{4}-'
    then string_to_array(btrim(translate(regexp_replace(regexp_replace(
      coalesce(screenshot_url, '') || ' ' || coalesce(meta_description, ''),
      '/([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})', E'\x01\\1\x02', 'g'), E'(^|\x02)[^\x01]*', ' ', 'g'),
      E'\x01', '')), ' ') end) stored,
  primary key (store_id, id),
  unique (store_id, slug),
  foreign key (store_id, product_id) references product on delete cascade,
  foreign key (store_id, domain_id) references domain on delete set null (domain_id)
);
select store_table('landing_page');
create unique index landing_page_slug_folded on landing_page (store_id, slug_key(slug)) where not slug_is_twin;
create index landing_page_product on landing_page (store_id, product_id, created_at, id);
create index landing_page_domain on landing_page (store_id, domain_id, created_at, id);
create index landing_page_created on landing_page (store_id, created_at, id);
create index landing_page_updated on landing_page (store_id, updated_at, id);
create index landing_page_cod_type on landing_page (store_id, cod_type, created_at, id);
create index landing_page_file_ids on landing_page using gin (store_id, file_ids) where file_ids is not null;
select count_rows('landing_page', $$array['', 'cod_type=' || r.cod_type, 'updated=' || utc_day(r.updated_at)]$$);
select capture_changes('landing_page', states => '{product_id,domain_id,cod_type,published_at,lang}',
  hidden => '{slug_is_twin}', steady => true);
create trigger note_time_of_change before insert or update of updated_at on landing_page
  for each row execute function note_time_of_change('created_at');

-- A text about how a store deals with its buyers, such as its refund policy.
create table policy (
  store_id     uuid not null references store on delete cascade,
  id           uuid not null default new_id(),
  type         text not null check (type in ('refund', 'privacy', 'terms', 'shipping', 'custom')),
  title        text not null check (title <> ''),
  slug         text not null check (slug <> ''),
  content      text not null default '',
  is_published boolean not null default false,
  created_at   timestamptz(3) not null default now(),
  updated_at   timestamptz(3) not null default now(),
  -- As those of products.
  file_ids     text[] generated always as (
    case when content ~ '/[0-9a-f]{8}-[0-9a-f]{4}-' then string_to_array(btrim(translate(regexp_replace(regexp_replace(
      content, '/([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})', E'\x01\\1\x02', 'g'), E'(^|\x02)[^\x01]*', ' ', 'g'),
      E'\x01', '')), ' ') end) stored,
  primary key (store_id, id)
);
select store_table('policy');
create unique index policy_slug on policy (store_id, slug_key(slug));
-- A store has one policy of each type, and any number of its own.
create unique index policy_type on policy (store_id, type) where type <> 'custom';
create index policy_created on policy (store_id, created_at, id);
create index policy_updated on policy (store_id, updated_at, id);
create index policy_by_type on policy (store_id, type, created_at, id);
create index policy_by_state on policy (store_id, is_published, created_at, id);
create index policy_file_ids on policy using gin (store_id, file_ids) where file_ids is not null;
select count_rows('policy', $$array['', 'type=' || r.type, 'is_published=' || r.is_published]$$);
select capture_changes('policy', states => '{type,is_published}', steady => true);
create trigger note_time_of_change before insert or update of updated_at on policy
  for each row execute function note_time_of_change('created_at');

-- A way in which buyers pay.
create table payment_method (
  store_id      uuid not null references store on delete cascade,
  id            uuid not null default new_id(),
  name          text not null check (name <> ''),
  status        text not null default 'active' check (status in ('active', 'inactive')),
  payment_types text[] not null default '{}',
  connected     boolean not null default false,
  created_at    timestamptz(3) not null default now(),
  primary key (store_id, id)
);
select store_table('payment_method');
select capture_changes('payment_method', states => '{status,connected}');

-- A company that delivers.
create table shipping_carrier (
  store_id     uuid not null references store on delete cascade,
  id           uuid not null default new_id(),
  name         text not null check (name <> ''),
  code         text not null check (code <> ''),
  status       text not null default 'active' check (status in ('active', 'inactive')),
  -- {tracking_number} in it is replaced by the number, percent-encoded.
  tracking_url text,
  created_at   timestamptz(3) not null default now(),
  primary key (store_id, id),
  unique (store_id, code)
);
select store_table('shipping_carrier');
select capture_changes('shipping_carrier', states => '{status}');

-- A buyer whom the store knows. The _key columns hold text folded by the service, so that sorting is the same on every
-- PostgreSQL, whatever its locale; search holds all that a search looks through (customers/search-text.ts).
create table customer (
  store_id            uuid not null references store on delete cascade,
  id                  uuid not null default new_id(),
  name                text not null default '',
  name_key            text collate "C",
  email               text not null,
  email_key           text collate "C" not null,
  phone               text,
  phone_digits        text collate "C",
  address             text,
  address_key         text collate "C",
  city                text,
  city_key            text collate "C",
  postal_code         text,
  postal_code_key     text collate "C",
  search              text not null,
  country_id          text references country,
  subscription_status text not null default 'not_subscribed'
    check (subscription_status in ('subscribed', 'not_subscribed')),
  -- Of the customer's orders, kept by the transaction that writes an order.
  order_count         integer not null default 0,
  amount_spent        numeric(22, 3) not null default 0,
  latest_order_id     uuid,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  primary key (store_id, id),
  unique (store_id, email_key)
);
select store_table('customer');
-- Each sort of the list, the id last as in the sort itself; those by text are in customer_text. Sorting by email needs no
-- more than the unique key: nothing ties.
create index customer_created on customer (store_id, created_at, id);
create index customer_updated on customer (store_id, updated_at, id);
create index customer_spent on customer (store_id, amount_spent, id);
create index customer_orders on customer (store_id, order_count, id);
create index customer_subscription on customer (store_id, subscription_status, id);
create index customer_country on customer (store_id, country_id, created_at, id);
select count_rows('customer',
  $$array_remove(array['', 'country=' || r.country_id, 'updated=' || utc_day(r.updated_at)], null)$$);
select capture_changes('customer', states => '{subscription_status,order_count,amount_spent,latest_order_id}',
  hidden => '{phone_digits,search}', renamed => '{"latest_order_id": "latest_order"}', operations => '{update,delete}',
  steady => true);
create trigger capture_insert after insert on customer for each row execute function capture_created('customer');
create trigger note_time_of_change before insert or update of updated_at on customer
  for each row execute function note_time_of_change('created_at');
