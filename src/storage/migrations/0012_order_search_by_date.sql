-- The date beside the words: the newest of what a search finds are then known where it is found. The foreign key keeps it
-- what the order says, whoever changes that.
drop index orders_created;
create unique index orders_created on orders (store_id, created_at, id);

alter table order_search add column created_at timestamptz(3);
update order_search s set created_at = o.created_at from orders o where o.store_id = s.store_id and o.id = s.order_id;
alter table order_search alter column created_at set not null;
alter table order_search drop constraint order_search_store_id_order_id_fkey;
alter table order_search add constraint order_search_order foreign key (store_id, created_at, order_id)
  references orders (store_id, created_at, id) on update cascade on delete cascade;
