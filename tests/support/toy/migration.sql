create table discount (
  store_id   uuid not null references store on delete cascade,
  id         uuid not null default new_id(),
  code       text not null,
  status     text not null default 'active' check (status in ('active', 'ended')),
  product_id uuid,
  created_at timestamptz not null default now(),
  primary key (store_id, id),
  foreign key (store_id, product_id) references product (store_id, id)
);
select store_table('discount');
select count_rows('discount', $$array['', 'status=' || r.status]$$);
select capture_changes('discount', states => '{status}');
