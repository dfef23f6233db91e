-- Who refuses the parcels of one store orders in the next. The stores of an operator may share what became of the orders of a
-- phone number: both must want it, and what is shared is a copy, so that taking it out again leaves nothing behind.

create table shared_phone (
  store_id  uuid not null references store on delete cascade,
  -- HMAC of the number with a key of the service. The number itself is in no row.
  key       bytea not null check (length(key) = 32),
  orders    integer not null,
  delivered integer not null,
  returned  integer not null,
  -- The counts are those of the start of this day (UTC): nobody can watch another store's orders come in.
  made_on   date not null,
  primary key (store_id, key)
);
select store_table('shared_phone');
create index shared_phone_key on shared_phone (key);

alter table store alter column order_desk set default
  '{"confirm": false, "confirm_payment_methods": [], "restock_on_receipt": false, "min_parcels": 3, "bad_below": 50,
    "careful_below": 75, "min_address": 10, "max_quantity": 10, "share_phone_counts": false}';
update store set order_desk = order_desk || '{"share_phone_counts": false}';
