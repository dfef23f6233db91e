-- An offer on a product: several units for one price. Orders keep a copy of what they were sold as, so that a bundle may
-- change or go at any time.
create table bundle (
  store_id   uuid not null references store on delete cascade,
  id         uuid not null default new_id(),
  product_id uuid not null,
  name       text not null check (name <> ''),
  name_key   text collate "C" not null,
  status     text not null default 'active' check (status in ('active', 'inactive')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (store_id, id),
  foreign key (store_id, product_id) references product on delete cascade
);
create index bundle_product on bundle (store_id, product_id);
create index bundle_created on bundle (store_id, created_at, id);

create table bundle_option (
  store_id  uuid not null,
  id        uuid not null default new_id(),
  bundle_id uuid not null,
  position  integer not null,
  name      text not null check (name <> ''),
  quantity  integer not null check (quantity > 0),
  price     numeric(14, 3) not null check (price >= 0),
  primary key (store_id, id),
  foreign key (store_id, bundle_id) references bundle on delete cascade
);
create index bundle_option_bundle on bundle_option (store_id, bundle_id, position);

select count_rows('bundle', $$array['', 'status=' || r.status]$$);
select capture_changes('bundle', states => '{status}');
select capture_changes('bundle_option', 'bundle', part => 'options', whole => 'bundle_id', states => '{quantity,price}');
