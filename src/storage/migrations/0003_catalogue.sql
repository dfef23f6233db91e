-- Every resource row carries its store first in its primary key, and every reference is composite:
-- a link across stores cannot be stored even by a bug. A sharded PostgreSQL distributes by the same column.

create table category (
  store_id   uuid not null references store on delete cascade,
  id         uuid not null default new_id(),
  name       text not null check (name <> ''),
  name_key   text collate "C" not null,
  created_at timestamptz(3) not null default now(),
  primary key (store_id, id),
  unique (store_id, name_key),
  unique (store_id, id, name_key)
);

-- The bytes, once per store and content. Files point here.
create table blob (
  store_id      uuid not null references store on delete cascade,
  sha256        bytea not null check (length(sha256) = 32),
  size          bigint not null check (size >= 0),
  mime_type     text not null,
  has_thumbnail boolean not null default false,
  created_at    timestamptz(3) not null default now(),
  primary key (store_id, sha256)
);

create table file (
  store_id   uuid not null references store on delete cascade,
  id         uuid not null default new_id(),
  sha256     bytea not null,
  name       text not null,
  alt        text not null default '',
  size       bigint not null,
  -- Compared byte by byte, so that `image/*` is a range of the index.
  mime_type  text collate "C" not null,
  thumbnail  boolean not null default false,
  created_at timestamptz(3) not null default now(),
  primary key (store_id, id),
  foreign key (store_id, sha256) references blob
);
create index file_blob on file (store_id, sha256);
create index file_created on file (store_id, created_at, id);
create index file_type on file (store_id, mime_type, created_at, id);

create table product (
  store_id             uuid not null references store on delete cascade,
  id                   uuid not null default new_id(),
  slug                 text not null check (slug <> ''),
  title                text not null,
  title_key            text collate "C" not null,
  description          text,
  page_title           text,
  meta_description     text,
  is_digital           boolean not null default false,
  status               text not null default 'active' check (status in ('active', 'inactive')),
  stock_tracked        boolean not null default true,
  allow_order_when_oos boolean not null default false,
  category_id          uuid,
  -- The category's sort key, kept true by the reference below, so that sorting by category is an index scan.
  category_key         text collate "C",
  created_at           timestamptz(3) not null default now(),
  updated_at           timestamptz(3) not null default now(),
  primary key (store_id, id),
  unique (store_id, slug),
  foreign key (store_id, category_id, category_key) references category (store_id, id, name_key)
    on update cascade on delete set null (category_id, category_key),
  check ((category_id is null) = (category_key is null))
);

create table product_option (
  store_id   uuid not null,
  id         uuid not null default new_id(),
  product_id uuid not null,
  name       text not null,
  position   integer not null,
  primary key (store_id, id),
  unique (store_id, product_id, id),
  foreign key (store_id, product_id) references product on delete cascade
);

create table option_value (
  store_id   uuid not null,
  id         uuid not null default new_id(),
  product_id uuid not null,
  option_id  uuid not null,
  value      text not null,
  position   integer not null,
  primary key (store_id, id),
  unique (store_id, product_id, option_id, id),
  foreign key (store_id, product_id, option_id) references product_option (store_id, product_id, id) on delete cascade
);

create table variant (
  store_id      uuid not null,
  id            uuid not null default new_id(),
  product_id    uuid not null,
  title         text not null default '',
  price         numeric(14, 3) not null default 0 check (price >= 0),
  compare_price numeric(14, 3) not null default 0 check (compare_price >= 0),
  sku           text,
  quantity      integer not null default 0,
  position      integer not null default 0,
  -- A digest of the option values: two variants of one product can never be the same choice.
  -- Empty for the one variant of a simple product.
  choice        text collate "C" not null default '',
  created_at    timestamptz(3) not null default now(),
  updated_at    timestamptz(3) not null default now(),
  primary key (store_id, id),
  unique (store_id, product_id, id),
  -- Checked when the statement ends: one update may swap the choices of two variants.
  unique (store_id, product_id, choice) deferrable,
  foreign key (store_id, product_id) references product on delete cascade
);

create table variant_value (
  store_id   uuid not null,
  product_id uuid not null,
  variant_id uuid not null,
  option_id  uuid not null,
  value_id   uuid not null,
  primary key (store_id, variant_id, option_id),
  foreign key (store_id, product_id, variant_id) references variant (store_id, product_id, id) on delete cascade,
  foreign key (store_id, product_id, option_id, value_id) references option_value (store_id, product_id, option_id, id)
    on delete cascade
);
create index variant_value_value on variant_value (store_id, product_id, option_id, value_id);

create table product_property (
  store_id   uuid not null,
  id         uuid not null default new_id(),
  product_id uuid not null,
  name       text not null,
  value      text not null,
  position   integer not null,
  primary key (store_id, id),
  foreign key (store_id, product_id) references product on delete cascade
);
create index product_property_product on product_property (store_id, product_id, position);
