-- The history of a variant's stock. What new orders take is read from their lines, so placing an order writes nothing more;
-- every other change of a quantity has a row here.
--
-- variant.stock_noted is the sum of the changes that lines of orders or rows here tell. Whoever changes a quantity and not this
-- sum as well gets a row from the trigger: an edit of the product, an import, psql.

-- A change of a variant's quantity.
create table stock_change (
  store_id   uuid not null,
  id         uuid not null default new_id(),
  variant_id uuid not null,
  at         timestamptz not null default clock_timestamp(),
  kind       text collate "C" not null check (kind in ('order_placed', 'order_changed', 'order_cancelled',
    'order_reactivated', 'return', 'adjustment', 'product_update')),
  delta      bigint not null check (delta <> 0),
  order_id   uuid,
  reason     text,
  app_id     uuid default nullif(current_setting('storefront.app', true), '')::uuid,
  account_id uuid default nullif(current_setting('storefront.account', true), '')::uuid,
  primary key (store_id, variant_id, at, id),
  foreign key (store_id, variant_id) references variant on delete cascade
);
select store_table('stock_change');

create function note_stock_change() returns trigger language plpgsql as $$
begin
  insert into "stock_change" (store_id, variant_id, kind, delta) values (new.store_id, new.id, 'product_update',
    (new.quantity::bigint - new.stock_noted) - (old.quantity::bigint - old.stock_noted));
  return null;
end $$;
create trigger note_stock_change after update of quantity on variant for each row
  when (new.quantity::bigint - new.stock_noted <> old.quantity::bigint - old.stock_noted) execute function note_stock_change();

-- The line goes, what it took remains told.
create function keep_stock_change() returns trigger language plpgsql as $$
begin
  insert into "stock_change" (store_id, id, variant_id, at, kind, delta, order_id, app_id, account_id)
  select old.store_id, old.id, v.id, old.stock_placed_at, 'order_placed', -old.stock_placed, old.order_id, null, null
  from "variant" v where v.store_id = old.store_id and v.id = old.variant_id;
  return null;
end $$;
create trigger keep_stock_change after delete on order_line for each row
  when (old.stock_placed > 0 and old.variant_id is not null and store_remains()) execute function keep_stock_change();
