create table domain (
  store_id   uuid not null references store on delete cascade,
  id         uuid not null default new_id(),
  host       text not null check (host <> ''),
  created_at timestamptz(3) not null default now(),
  primary key (store_id, id)
);
create unique index domain_host on domain (lower(host));

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
  primary key (store_id, id),
  unique (store_id, slug),
  foreign key (store_id, product_id) references product on delete cascade,
  foreign key (store_id, domain_id) references domain on delete set null (domain_id)
);

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

-- The _key columns hold text folded by the service, so that sorting is the same on every PostgreSQL, whatever its
-- locale; search holds all that a search looks through (customers/search-text.ts).
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
  amount_spent        numeric(16, 3) not null default 0,
  latest_order_id     uuid,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  primary key (store_id, id),
  unique (store_id, email_key)
);

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
  meta_data            jsonb not null default '{}' check (jsonb_typeof(meta_data) = 'object'),
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

-- Title, price, sku and options are copied, not joined: editing a product must never change a past order.
create table order_line (
  store_id   uuid not null,
  id         uuid not null default new_id(),
  order_id   uuid not null,
  position   integer not null,
  product_id uuid,
  variant_id uuid,
  quantity   integer not null check (quantity > 0),
  price      numeric(14, 3) not null check (price >= 0),
  sku        text,
  title      text not null,
  is_digital boolean not null,
  options    jsonb not null default '{}',
  -- Units this line took out of stock and has not given back by being cancelled or abandoned.
  stock_taken integer not null default 0 check (stock_taken between 0 and quantity),
  primary key (store_id, id),
  unique (store_id, order_id, id),
  foreign key (store_id, order_id) references orders on delete cascade,
  foreign key (store_id, product_id) references product on delete set null (product_id),
  foreign key (store_id, variant_id) references variant on delete set null (variant_id)
);

-- Also the way back: the delivery of a return has is_return set and is not among the order's deliveries.
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

create table refund (
  store_id   uuid not null,
  id         uuid not null default new_id(),
  order_id   uuid not null,
  return_id  uuid,
  status     text not null default 'pending' check (status in ('pending', 'refunded')),
  amount     numeric(14, 3) not null check (amount >= 0),
  reason     text,
  created_at timestamptz(3) not null default now(),
  primary key (store_id, id),
  unique (store_id, order_id, id),
  foreign key (store_id, order_id) references orders on delete cascade,
  foreign key (store_id, order_id, return_id) references order_return (store_id, order_id, id)
);

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

-- Who changed which state of an order, and when. The app may be gone later; its name stays.
create table order_event (
  store_id   uuid not null,
  id         uuid not null default new_id(),
  order_id   uuid not null,
  app_id     uuid references app on delete set null,
  app_name   text not null,
  subject    text not null,
  subject_id uuid not null,
  from_state text,
  to_state   text not null,
  created_at timestamptz(3) not null default now(),
  primary key (store_id, id),
  foreign key (store_id, order_id) references orders on delete cascade
);

create table review (
  store_id       uuid not null references store on delete cascade,
  id             uuid not null default new_id(),
  product_id     uuid not null,
  content        text not null,
  status         text not null default 'pending' check (status in ('pending', 'hidden', 'published')),
  rating         smallint not null check (rating between 1 and 5),
  reviewer_name  text not null,
  reviewer_email text,
  created_at     timestamptz(3) not null default now(),
  updated_at     timestamptz(3) not null default now(),
  primary key (store_id, id),
  foreign key (store_id, product_id) references product on delete cascade
);

-- One column for each kind of owner instead of a type and a bare id, so that each link is a real reference:
-- it goes with the file or with its owner, and can point into no other store.
create table file_link (
  store_id        uuid not null,
  id              uuid not null default new_id(),
  file_id         uuid not null,
  role            text not null check (role in
    ('product_images', 'variant_image', 'digital_product', 'landing_page_images', 'review_images', 'ugc_video')),
  position        integer not null default 0,
  product_id      uuid,
  variant_id      uuid,
  landing_page_id uuid,
  review_id       uuid,
  primary key (store_id, id),
  foreign key (store_id, file_id) references file on delete cascade,
  foreign key (store_id, product_id) references product on delete cascade,
  foreign key (store_id, variant_id) references variant on delete cascade,
  foreign key (store_id, landing_page_id) references landing_page on delete cascade,
  foreign key (store_id, review_id) references review on delete cascade,
  check (num_nonnulls(product_id, variant_id, landing_page_id, review_id) = 1)
);
create index file_link_file on file_link (store_id, file_id);
create unique index file_link_product on file_link (store_id, product_id, role, file_id) where product_id is not null;
create unique index file_link_variant on file_link (store_id, variant_id, role) where variant_id is not null;
create unique index file_link_landing_page on file_link (store_id, landing_page_id, role, file_id)
  where landing_page_id is not null;
create unique index file_link_review on file_link (store_id, review_id, role, file_id) where review_id is not null;

-- Foreign keys of PostgreSQL bring no index of their own; without these, deleting a parent scans.
create index order_line_order on order_line (store_id, order_id, position);
create index order_line_product on order_line (store_id, product_id, order_id);
create index order_line_variant on order_line (store_id, variant_id);
create index delivery_order on delivery (store_id, order_id);
create index delivery_carrier on delivery (store_id, carrier_id);
create index delivery_line_line on delivery_line (store_id, order_line_id);
create index order_return_order on order_return (store_id, order_id);
create index order_return_delivery on order_return (store_id, delivery_id);
create index return_line_line on return_line (store_id, order_line_id);
create index refund_order on refund (store_id, order_id);
create index refund_return on refund (store_id, return_id);
create index refund_line_line on refund_line (store_id, order_line_id);
create index order_event_order on order_event (store_id, order_id, created_at);
create index orders_customer on orders (store_id, customer_id, created_at, id);
create index orders_landing_page on orders (store_id, landing_page_id, created_at, id);
create index orders_payment_method on orders (store_id, payment_method_id);
create index landing_page_product on landing_page (store_id, product_id);
create index landing_page_domain on landing_page (store_id, domain_id);
create index review_product on review (store_id, product_id);
create index product_category on product (store_id, category_id);
create index orders_country on orders (country_id);
create index customer_country on customer (store_id, country_id);
