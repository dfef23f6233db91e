-- A customer who was deleted without `erase` could not be erased later: nothing said which orders had been theirs, or that
-- a review with their email is theirs. These rows exist only while orders or reviews keep something of the person.
create table deleted_customer (
  store_id   uuid not null references store on delete cascade,
  id         uuid not null,
  email_key  text collate "C" not null,
  deleted_at timestamptz(3) not null default now(),
  primary key (store_id, id)
);
create index deleted_customer_email on deleted_customer (store_id, email_key);

-- An order is in it once. If it is given to another customer who is deleted too, it is theirs.
create table deleted_customer_order (
  store_id    uuid not null,
  order_id    uuid not null,
  customer_id uuid not null,
  primary key (store_id, order_id),
  foreign key (store_id, order_id) references orders on delete cascade,
  foreign key (store_id, customer_id) references deleted_customer on delete cascade
);
create index deleted_customer_order_customer on deleted_customer_order (store_id, customer_id);

-- As store_table() does, which databases of before the schema get in a later migration.
do $$ begin
  if not exists (select 1 from pg_extension where extname = 'citus') then
    alter table deleted_customer alter column store_id set (n_distinct = 1);
    alter table deleted_customer_order alter column store_id set (n_distinct = 1);
  end if;
end $$;

-- Finds the reviews of a person who is erased. slug_key() ignores case, whatever the locale of the server.
create index review_email on review (store_id, slug_key(reviewer_email)) where reviewer_email is not null;
