-- Customers who were deleted without `erase`, so that they can be erased later: which orders were theirs, and which reviews.

-- A deleted customer. Exists only while orders or reviews keep something of the person.
create table deleted_customer (
  store_id   uuid not null references store on delete cascade,
  id         uuid not null,
  email_key  text collate "C" not null,
  deleted_at timestamptz(3) not null default now(),
  primary key (store_id, id)
);
select store_table('deleted_customer');
create index deleted_customer_email on deleted_customer (store_id, email_key);

-- Which deleted customer an order belonged to. An order that is given to another customer who is deleted too is theirs.
create table deleted_customer_order (
  store_id    uuid not null,
  order_id    uuid not null,
  customer_id uuid not null,
  primary key (store_id, order_id),
  foreign key (store_id, order_id) references orders on delete cascade,
  foreign key (store_id, customer_id) references deleted_customer on delete cascade
);
select store_table('deleted_customer_order');
create index deleted_customer_order_customer on deleted_customer_order (store_id, customer_id);
