-- When each product was changed, in a table of its own. While the index was on the products themselves, every change of one
-- wrote all indexes of its row anew, that of its words included. Now a change of its prices, its pictures or anything else
-- that no index has writes the row alone.
create table product_modified (
  store_id   uuid not null,
  id         uuid not null,
  updated_at timestamptz(3) not null,
  primary key (store_id, id),
  foreign key (store_id, id) references product on delete cascade
);
lock table product in share row exclusive mode;
insert into product_modified select store_id, id, updated_at from product;
create index product_modified_time on product_modified (store_id, updated_at, id);
drop index product_updated;
-- Room for the next version of a row on the same page, without which its indexes would have to point elsewhere.
alter table product set (fillfactor = 85);

create function note_modified_product() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into product_modified (store_id, id, updated_at) values (new.store_id, new.id, new.updated_at);
  else
    update product_modified m set updated_at = new.updated_at where m.store_id = new.store_id and m.id = new.id;
  end if;
  return null;
end $$;
create trigger modified_insert after insert on product for each row execute function note_modified_product();
create trigger modified_update after update on product for each row
  when (new.updated_at is distinct from old.updated_at) execute function note_modified_product();

-- As in 0043.
do $$
begin
  if exists (select 1 from pg_extension where extname = 'citus') then
    return;
  end if;
  alter table product_modified alter column store_id set (n_distinct = 1);
  if exists (select 1 from product_modified) then
    analyze product_modified;
  end if;
end $$;
