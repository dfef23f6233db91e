-- Where a store sells, to whom, and its orders.

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
select count_rows('landing_page', $$array['', 'cod_type=' || r.cod_type, 'updated=' || utc_day(r.updated_at)]$$);
select capture_changes('landing_page', states => '{product_id,domain_id,cod_type,published_at,lang}',
  hidden => '{slug_is_twin}', steady => true);

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
select count_rows('policy', $$array['', 'type=' || r.type, 'is_published=' || r.is_published]$$);
select capture_changes('policy', states => '{type,is_published}', steady => true);

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

-- An order.
create table orders (
  store_id             uuid not null references store on delete cascade,
  id                   uuid not null default new_id(),
  ref                  text not null,
  status               text not null default 'pending' check (status in ('pending', 'paid', 'abandoned')),
  currency             text not null check (currency ~ '^[A-Z]{3}$'),
  customer_id          uuid,
  customer_first_name  text not null default '',
  customer_last_name   text not null default '',
  customer_email       text not null default '',
  customer_phone       text not null default '',
  customer_address     text not null default '',
  customer_city        text not null default '',
  customer_state       text not null default '',
  customer_postal_code text not null default '',
  country_id           text references country,
  billing_first_name   text not null default '',
  billing_last_name    text not null default '',
  billing_email        text not null default '',
  billing_phone        text not null default '',
  billing_address      text not null default '',
  billing_city         text not null default '',
  billing_state        text not null default '',
  billing_postal_code  text not null default '',
  card_brand           text,
  card_last4           text,
  shipping_rate        numeric(14, 3) not null default 0,
  shipping_name        text,
  discount             numeric(14, 3) not null default 0,
  discount_code        text,
  tip                  numeric(14, 3) not null default 0,
  tip_type             text,
  tip_value            numeric(14, 3) not null default 0,
  bundle_name          text,
  bundle_option_name   text,
  bundle_price         numeric(14, 3),
  fee                  numeric(14, 3) not null default 0,
  subtotal             numeric(14, 3) not null default 0,
  total                numeric(14, 3) not null default 0,
  quantity             integer not null default 0,
  is_archived          boolean not null default false,
  is_cancelled         boolean not null default false,
  cancelled_at         timestamptz(3),
  paid_at              timestamptz(3),
  -- `json`, not `jsonb`: what a caller sent comes back in the sequence it was sent in.
  meta_data            json not null default '{}' check (json_typeof(meta_data) = 'object'),
  payment_method_id    uuid,
  landing_page_id      uuid,
  source_link          text,
  -- Those of the order's deliveries, returns and refunds, each once; kept by triggers, for filters.
  delivery_statuses    text[] not null default '{}',
  return_statuses      text[] not null default '{}',
  refund_statuses      text[] not null default '{}',
  created_at           timestamptz(3) not null default now(),
  updated_at           timestamptz(3) not null default now(),
  primary key (store_id, id),
  unique (store_id, ref),
  foreign key (store_id, customer_id) references customer on delete set null (customer_id),
  foreign key (store_id, payment_method_id) references payment_method on delete set null (payment_method_id),
  foreign key (store_id, landing_page_id) references landing_page on delete set null (landing_page_id),
  check (is_cancelled = (cancelled_at is not null))
);
select store_table('orders');
-- Each sort of the list, the id last as in the sort itself, and each filter in the usual sequence, by date.
create unique index orders_created on orders (store_id, created_at, id);
create index orders_updated on orders (store_id, updated_at, id);
create index orders_total on orders (store_id, total, id);
create index orders_quantity on orders (store_id, quantity, id);
create index orders_status on orders (store_id, status, id);
create index orders_status_created on orders (store_id, status, created_at, id);
create index orders_cancelled on orders (store_id, is_cancelled, created_at, id);
create index orders_archived on orders (store_id, is_archived, created_at, id);

-- An order may have deliveries of several statuses, so these are sets. One index a status gives its orders by date; an
-- order is mostly in one of them, so that together they cost as much as one.
create index orders_unfulfilled on orders (store_id, created_at, id) where 'unfulfilled' = any(delivery_statuses);
create index orders_fulfilled on orders (store_id, created_at, id) where 'fulfilled' = any(delivery_statuses);
create index orders_shipped on orders (store_id, created_at, id) where 'shipped' = any(delivery_statuses);
create index orders_delivered on orders (store_id, created_at, id) where 'delivered' = any(delivery_statuses);
create index orders_delivery_cancelled on orders (store_id, created_at, id) where 'cancelled' = any(delivery_statuses);
create index orders_return_unfulfilled on orders (store_id, created_at, id) where 'unfulfilled' = any(return_statuses);
create index orders_return_fulfilled on orders (store_id, created_at, id) where 'fulfilled' = any(return_statuses);
create index orders_return_shipped on orders (store_id, created_at, id) where 'shipped' = any(return_statuses);
create index orders_return_delivered on orders (store_id, created_at, id) where 'delivered' = any(return_statuses);
create index orders_return_cancelled on orders (store_id, created_at, id) where 'cancelled' = any(return_statuses);
create index orders_refund_pending on orders (store_id, created_at, id) where 'pending' = any(refund_statuses);
create index orders_refunded on orders (store_id, created_at, id) where 'refunded' = any(refund_statuses);

-- PostgreSQL brings no index for a foreign key; without these, here and below, deleting a parent scans.
create index orders_customer on orders (store_id, customer_id, created_at, id);
create index orders_landing_page on orders (store_id, landing_page_id, created_at, id);
create index orders_payment_method on orders (store_id, payment_method_id);

-- The states of an order, each as &name=value, with an & at the end. Orders have one counter for each combination, in all and
-- by day of creation, so that the total of any combination of filters by state is a sum.
create function order_states(status text, is_cancelled boolean, is_archived boolean, deliveries text[],
  returns text[], refunds text[]) returns text language sql stable as $$
  select '&status=' || status || '&is_cancelled=' || is_cancelled || '&is_archived=' || is_archived
    || coalesce('&delivery_status=' || nullif(array_to_string(deliveries, '&delivery_status='), ''), '')
    || coalesce('&return_status=' || nullif(array_to_string(returns, '&return_status='), ''), '')
    || coalesce('&refund_status=' || nullif(array_to_string(refunds, '&refund_status='), ''), '') || '&'
$$;
select count_rows('orders', $$array['',
  order_states(r.status, r.is_cancelled, r.is_archived, r.delivery_statuses, r.return_statuses, r.refund_statuses),
  'day=' || utc_day(r.created_at)
    || order_states(r.status, r.is_cancelled, r.is_archived, r.delivery_statuses, r.return_statuses, r.refund_statuses),
  'updated=' || utc_day(r.updated_at)]$$);
select capture_changes('orders', 'order',
  states => '{status,currency,customer_id,shipping_rate,discount,tip,tip_value,bundle_price,fee,subtotal,total,quantity,'
    'is_archived,is_cancelled,cancelled_at,paid_at,payment_method_id,landing_page_id}',
  hidden => '{delivery_statuses,refund_statuses}',
  renamed => '{"country_id": "customer_country", "payment_method_id": "payment_method", "landing_page_id": "landing_page",
    "return_statuses": "returns.delivery.status"}',
  operations => '{update,delete}');
create trigger capture_insert after insert on orders for each row execute function capture_created('order');

-- What is sold with an order. Title, price, sku and options are copied, not joined: editing a product must never change a
-- past order. Lines are added with their order, delivery, return or refund, whose change is captured.
create table order_line (
  store_id    uuid not null,
  id          uuid not null default new_id(),
  order_id    uuid not null,
  position    integer not null,
  product_id  uuid,
  variant_id  uuid,
  quantity    integer not null check (quantity > 0),
  price       numeric(14, 3) not null check (price >= 0),
  sku         text,
  title       text not null,
  is_digital  boolean not null,
  options     json not null default '{}',
  -- Units this line took out of stock and has not given back by being cancelled or abandoned.
  stock_taken integer not null default 0 check (stock_taken between 0 and quantity),
  primary key (store_id, id),
  unique (store_id, order_id, id),
  foreign key (store_id, order_id) references orders on delete cascade,
  foreign key (store_id, product_id) references product on delete set null (product_id),
  foreign key (store_id, variant_id) references variant on delete set null (variant_id)
);
select store_table('order_line');
create index order_line_product on order_line (store_id, product_id, order_id);
create index order_line_variant on order_line (store_id, variant_id);
select capture_changes('order_line', 'order', part => 'variants', whole => 'order_id', hidden => '{stock_taken}',
  operations => '{update,delete}');

-- A parcel of an order. Also the way back: the delivery of a return has is_return set and is not among the order's
-- deliveries.
create table delivery (
  store_id        uuid not null,
  id              uuid not null default new_id(),
  order_id        uuid not null,
  is_return       boolean not null default false,
  status          text not null default 'unfulfilled'
    check (status in ('unfulfilled', 'fulfilled', 'shipped', 'delivered', 'cancelled')),
  tracking_number text,
  carrier_id      uuid,
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  primary key (store_id, id),
  unique (store_id, order_id, id),
  foreign key (store_id, order_id) references orders on delete cascade,
  foreign key (store_id, carrier_id) references shipping_carrier on delete set null (carrier_id)
);
select store_table('delivery');
create index delivery_carrier on delivery (store_id, carrier_id);
select capture_changes('delivery', 'order', part => 'deliveries', whole => 'order_id', states => '{status}',
  operations => '{update,delete}');
create trigger capture_insert after insert on delivery for each row execute function capture_added_part('deliveries');

-- The sets of statuses of an order follow its deliveries and refunds whoever changes those, psql included. Whoever does
-- so must have locked the order, or two changes at once each miss the other. Compared first: an update of no rows would
-- still run the statement triggers of orders.
create function note_deliveries_of(store uuid, of_order uuid) returns void language plpgsql as $$
declare
  now_has record;
begin
  select
    coalesce(array_agg(distinct d.status) filter (where not d.is_return), '{}') as deliveries,
    coalesce(array_agg(distinct d.status) filter (where d.is_return), '{}') as returns
  into now_has
  from delivery d where d.store_id = store and d.order_id = of_order;
  if exists (
    select 1 from orders o where o.store_id = store and o.id = of_order
      and (o.delivery_statuses, o.return_statuses) is distinct from (now_has.deliveries, now_has.returns)
  ) then
    update orders o set delivery_statuses = now_has.deliveries, return_statuses = now_has.returns
    where o.store_id = store and o.id = of_order;
  end if;
end $$;
create function note_deliveries() returns trigger language plpgsql as $$
declare
  part record;
begin
  for part in select distinct c.store_id, c.order_id from changed c loop
    perform note_deliveries_of(part.store_id, part.order_id);
  end loop;
  return null;
end $$;
-- A new delivery is noted, and counted, by note_new_delivery() in analytics.sql.
create trigger delivery_changed after update on delivery referencing new table as changed
  for each statement execute function note_deliveries();
create trigger delivery_removed after delete on delivery referencing old table as changed
  for each statement when (store_remains()) execute function note_deliveries();

-- How many units of a line are in a delivery. What the service writes here, and to the lines of returns and refunds, it
-- writes together with rows that are captured already: capturing is for changes made in SQL.
create table delivery_line (
  store_id      uuid not null,
  order_id      uuid not null,
  delivery_id   uuid not null,
  order_line_id uuid not null,
  quantity      integer not null check (quantity > 0),
  primary key (store_id, delivery_id, order_line_id),
  foreign key (store_id, order_id, delivery_id) references delivery (store_id, order_id, id) on delete cascade,
  foreign key (store_id, order_id, order_line_id) references order_line (store_id, order_id, id) on delete cascade
);
select store_table('delivery_line');
create index delivery_line_line on delivery_line (store_id, order_line_id);
select capture_changes('delivery_line', 'order', part => 'deliveries.order_variants', whole => 'order_id',
  operations => '{update,delete}');

-- What a buyer sends back of an order.
create table order_return (
  store_id    uuid not null,
  id          uuid not null default new_id(),
  order_id    uuid not null,
  reason      text,
  delivery_id uuid,
  created_at  timestamptz(3) not null default now(),
  primary key (store_id, id),
  unique (store_id, order_id, id),
  foreign key (store_id, order_id) references orders on delete cascade,
  foreign key (store_id, order_id, delivery_id) references delivery (store_id, order_id, id)
);
select store_table('order_return');
create index order_return_order on order_return (store_id, order_id);
create index order_return_delivery on order_return (store_id, delivery_id);
select capture_changes('order_return', 'order', part => 'returns', whole => 'order_id', operations => '{update,delete}');
create trigger capture_insert after insert on order_return for each row execute function capture_added_part('returns');

-- How many units of a line are in a return.
create table return_line (
  store_id      uuid not null,
  id            uuid not null default new_id(),
  order_id      uuid not null,
  return_id     uuid not null,
  order_line_id uuid not null,
  quantity      integer not null check (quantity > 0),
  reason        text,
  restock       boolean not null default false,
  primary key (store_id, id),
  unique (store_id, return_id, order_line_id),
  foreign key (store_id, order_id, return_id) references order_return (store_id, order_id, id) on delete cascade,
  foreign key (store_id, order_id, order_line_id) references order_line (store_id, order_id, id) on delete cascade
);
select store_table('return_line');
create index return_line_line on return_line (store_id, order_line_id);
select capture_changes('return_line', 'order', part => 'returns.return_variants', whole => 'order_id',
  operations => '{update,delete}');

-- Money that goes back to a buyer.
create table refund (
  store_id    uuid not null,
  id          uuid not null default new_id(),
  order_id    uuid not null,
  return_id   uuid,
  status      text not null default 'pending' check (status in ('pending', 'refunded')),
  amount      numeric(14, 3) not null check (amount >= 0),
  reason      text,
  created_at  timestamptz(3) not null default now(),
  -- When the money went back; created_at is when that was decided.
  refunded_at timestamptz(3),
  primary key (store_id, id),
  unique (store_id, order_id, id),
  foreign key (store_id, order_id) references orders on delete cascade,
  foreign key (store_id, order_id, return_id) references order_return (store_id, order_id, id)
);
select store_table('refund');
create index refund_order on refund (store_id, order_id);
create index refund_return on refund (store_id, return_id);
-- refunded_at follows the status, whose change is an event.
select capture_changes('refund', 'order', part => 'refunds', whole => 'order_id', states => '{status,amount}',
  hidden => '{refunded_at}', operations => '{update,delete}');
create trigger capture_insert after insert on refund for each row execute function capture_added_part('refunds');

create function note_refund_time() returns trigger language plpgsql as $$
begin
  new.refunded_at := case when new.status = 'refunded' then coalesce(new.refunded_at, now()) end;
  return new;
end $$;
create trigger refund_time before insert or update of status, refunded_at on refund
  for each row execute function note_refund_time();

create function note_refunds() returns trigger language plpgsql as $$
declare
  part record;
begin
  for part in select distinct c.store_id, c.order_id from changed c loop
    update orders o set refund_statuses = now_has.refunds
    from (
      select coalesce(array_agg(distinct r.status), '{}') as refunds
      from refund r where r.store_id = part.store_id and r.order_id = part.order_id
    ) now_has
    where o.store_id = part.store_id and o.id = part.order_id and o.refund_statuses is distinct from now_has.refunds;
  end loop;
  return null;
end $$;
create trigger refund_added after insert on refund referencing new table as changed
  for each statement execute function note_refunds();
create trigger refund_changed after update on refund referencing new table as changed
  for each statement execute function note_refunds();
create trigger refund_removed after delete on refund referencing old table as changed
  for each statement when (store_remains()) execute function note_refunds();

-- How many units of a line are refunded, and how much for them.
create table refund_line (
  store_id      uuid not null,
  id            uuid not null default new_id(),
  order_id      uuid not null,
  refund_id     uuid not null,
  order_line_id uuid not null,
  quantity      integer not null check (quantity > 0),
  amount        numeric(14, 3) not null check (amount >= 0),
  primary key (store_id, id),
  unique (store_id, refund_id, order_line_id),
  foreign key (store_id, order_id, refund_id) references refund (store_id, order_id, id) on delete cascade,
  foreign key (store_id, order_id, order_line_id) references order_line (store_id, order_id, id) on delete cascade
);
select store_table('refund_line');
create index refund_line_line on refund_line (store_id, order_line_id);
select capture_changes('refund_line', 'order', part => 'refunds.refund_variants', whole => 'order_id',
  operations => '{update,delete}');

-- Who changed which state of an order, and when. The app may be gone later; its name stays.
create table order_event (
  store_id     uuid not null,
  id           uuid not null default new_id(),
  order_id     uuid not null,
  app_id       uuid references app on delete set null,
  app_name     text not null,
  subject      text not null,
  subject_id   uuid not null,
  from_state   text,
  to_state     text not null,
  created_at   timestamptz(3) not null default now(),
  -- Who of the people made the change, where an app's name alone does not tell.
  account_id   uuid,
  account_name text,
  primary key (store_id, id),
  foreign key (store_id, order_id) references orders on delete cascade
);
select store_table('order_event');
create index order_event_order on order_event (store_id, order_id, created_at);
select capture_changes('order_event', 'order', part => 'history', whole => 'order_id', operations => '{update,delete}');
