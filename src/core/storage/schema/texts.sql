-- The JSON text of an aggregate of many rows is written when the rows change, and only sent when it is read. It is made of
-- the aggregate's own rows; whatever belongs to another, or changes on its own clock, is a hole that is filled on reading.
--
-- Whoever changes the rows, by whatever program, takes the text away; the service puts the new one in its place at the end
-- of the same transaction. A text that is missing is rendered from the rows when it is read, so that none is ever older
-- than its rows.

-- The text of a product.
create table product_text (
  store_id uuid not null,
  id       uuid not null,
  text     text not null,
  primary key (store_id, id),
  foreign key (store_id, id) references product on delete cascade
);
select store_table('product_text');

-- The text of a variant.
create table variant_text (
  store_id uuid not null,
  id       uuid not null,
  text     text not null,
  primary key (store_id, id),
  foreign key (store_id, id) references variant on delete cascade
);
select store_table('variant_text');

-- The text of an order.
create table order_text (
  store_id uuid not null,
  id       uuid not null,
  text     text not null,
  primary key (store_id, id),
  foreign key (store_id, id) references orders on delete cascade
);
select store_table('order_text');

-- lz4 unpacks several times faster than the usual method, where the server was built with it.
do $$
begin
  if (select 'lz4' = any(enumvals) from pg_settings where name = 'default_toast_compression') then
    alter table product_text alter column text set compression lz4;
    alter table variant_text alter column text set compression lz4;
    alter table order_text alter column text set compression lz4;
  end if;
end $$;

-- Takes a text away when an update sets a column that it shows: all but these and those that end in _key. To be called again
-- when a column is added.
create function drop_text_on_update(source regclass, dropping regproc, unshown text[]) returns void language plpgsql as $$
begin
  execute format('create or replace trigger text_changed after update of %s on %s for each row execute function %s()', (
    select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
    where a.attrelid = source and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      and a.attname not in ('store_id', 'id') and a.attname not like '%\_key' and a.attname <> all(unshown)), source, dropping);
end $$;

-- Products. What orders change of a variant is a hole: selling it takes no text away.
create function drop_product_text() returns trigger language plpgsql as $$
begin
  -- A category that is renamed shows its name in a hole. The reference sets both of its columns.
  if new.category_id = old.category_id and new.category_key <> old.category_key then return null; end if;
  -- A category that is gone leaves a hole that shows null.
  if new.category_id is null and old.category_id is not null and not exists (
    select 1 from "category" c where c.store_id = old.store_id and c.id = old.category_id)
  then
    return null;
  end if;
  delete from "product_text" t where t.store_id = new.store_id and t.id = new.id;
  return null;
end $$;
select drop_text_on_update('product', 'drop_product_text', unshown => '{words,title_words,has_stock,slug_is_twin}');

create function drop_variant_text() returns trigger language plpgsql as $$
begin
  delete from "product_text" t where t.store_id = new.store_id and t.id = new.product_id;
  delete from "variant_text" t where t.store_id = new.store_id and t.id = new.id;
  return null;
end $$;
select drop_text_on_update('variant', 'drop_variant_text', unshown => '{product_id,quantity,stock_noted,updated_at}');

-- Tables with a product_id, by the statement: a product may have hundreds of such rows.
create function drop_texts_of_products() returns trigger language plpgsql as $$
declare
  owner record;
begin
  for owner in select c.store_id, array_agg(distinct c.product_id) as products from changed c group by c.store_id loop
    delete from "product_text" t where t.store_id = owner.store_id and t.id = any(owner.products);
    if tg_table_name in ('variant_value', 'product_option', 'option_value') then
      delete from "variant_text" t where t.store_id = owner.store_id and t.id = any(array(
        select v.id from "variant" v where v.store_id = owner.store_id and v.product_id = any(owner.products)));
    end if;
  end loop;
  return null;
end $$;
do $$
declare
  own text;
begin
  foreach own in array array['variant', 'variant_value', 'product_option', 'option_value', 'product_property'] loop
    execute format('create trigger text_rows_added after insert on %I referencing new table as changed
      for each statement execute function drop_texts_of_products()', own);
    execute format('create trigger text_rows_removed after delete on %I referencing old table as changed
      for each statement when (store_remains()) execute function drop_texts_of_products()', own);
    continue when own = 'variant';
    execute format('create trigger text_rows_changed after update on %I referencing new table as changed
      for each statement execute function drop_texts_of_products()', own);
  end loop;
end $$;

create function drop_text_of_owner(store uuid, product uuid, variant uuid) returns void language plpgsql as $$
begin
  if product is not null then
    delete from product_text t where t.store_id = store and t.id = product;
  elsif variant is not null then
    delete from product_text t where t.store_id = store
      and t.id = (select v.product_id from variant v where v.store_id = store and v.id = variant);
    delete from variant_text t where t.store_id = store and t.id = variant;
  end if;
end $$;

create function drop_text_of_linked() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' then
    perform drop_text_of_owner(new.store_id, new.product_id, new.variant_id);
    if tg_op = 'UPDATE' and (old.product_id, old.variant_id) is distinct from (new.product_id, new.variant_id) then
      perform drop_text_of_owner(old.store_id, old.product_id, old.variant_id);
    end if;
  -- A file that is gone leaves a hole that shows nothing.
  elsif exists (select 1 from "file" f where f.store_id = old.store_id and f.id = old.file_id) then
    perform drop_text_of_owner(old.store_id, old.product_id, old.variant_id);
  end if;
  return null;
end $$;
create trigger text_changed after insert or update or delete on file_link
  for each row when (store_remains()) execute function drop_text_of_linked();

-- The image of a variant and the first image of a product, by the id of either, for the lines of orders.
create view first_image as
select l.store_id, l.variant_id as id, l.file_id from file_link l
where l.role = 'variant_image' and l.variant_id is not null
union all
(select distinct on (l.store_id, l.product_id) l.store_id, l.product_id, l.file_id from file_link l
where l.role = 'product_images' and l.product_id is not null
order by l.store_id, l.product_id, l.position, l.id);

-- Orders. What belongs to others is a hole in the text: a landing page, payment method, product, variant or carrier that is
-- deleted leaves a hole that shows nothing, and the text stays.
create function drop_order_text() returns trigger language plpgsql as $$
begin
  if new.landing_page_id is null and old.landing_page_id is not null and not exists (
      select 1 from "landing_page" l where l.store_id = old.store_id and l.id = old.landing_page_id)
    or new.payment_method_id is null and old.payment_method_id is not null and not exists (
      select 1 from "payment_method" m where m.store_id = old.store_id and m.id = old.payment_method_id)
  then
    return null;
  end if;
  delete from "order_text" t where t.store_id = new.store_id and t.id = new.id;
  return null;
end $$;

-- Captures the changes of orders, and drops their texts. A migration that adds a column to orders calls it after that:
--   select order_columns_changed();
-- A column that is no state or number and that every caller may see needs nothing else. For any other one, the migration
-- replaces the function, with the name of the column in one of these lists.
create function order_columns_changed() returns void language sql as $$
  select capture_changes('orders', 'order',
    states => '{status,currency,customer_id,shipping_rate,discount,tip,tip_value,bundle_price,fee,subtotal,total,quantity,'
      'is_archived,is_cancelled,cancelled_at,paid_at,payment_method_id,landing_page_id,confirmation,confirmation_attempts}',
    hidden => '{delivery_statuses,refund_statuses,phone_e164,claimed_by,claimed_until}',
    renamed => '{"country_id": "customer_country", "payment_method_id": "payment_method", "landing_page_id": "landing_page",
      "return_statuses": "returns.delivery.status", "confirmation": "confirmation.state",
      "confirmation_attempts": "confirmation.attempts", "confirmation_next_at": "confirmation.next_at",
      "confirmation_by": "confirmation.by", "confirmation_at": "confirmation.at", "confirmation_note": "confirmation.note"}',
    operations => '{update,delete}');
  select drop_text_on_update('orders', 'drop_order_text',
    unshown => '{delivery_statuses,return_statuses,refund_statuses,phone_e164,claimed_by,claimed_until}');
  -- The next start builds the texts, with the new column.
  delete from order_text;
  delete from setting where name = 'kept_texts';
$$;
select order_columns_changed();

create function drop_text_of_line() returns trigger language plpgsql as $$
begin
  if new.variant_id is null and old.variant_id is not null and not exists (
      select 1 from "variant" v where v.store_id = old.store_id and v.id = old.variant_id)
    or new.product_id is null and old.product_id is not null and not exists (
      select 1 from "product" p where p.store_id = old.store_id and p.id = old.product_id)
  then
    return null;
  end if;
  delete from "order_text" t where t.store_id = new.store_id and t.id in (old.order_id, new.order_id);
  return null;
end $$;
select drop_text_on_update('order_line', 'drop_text_of_line', unshown => '{stock_taken,stock_placed,stock_placed_at}');

create function drop_text_of_delivery() returns trigger language plpgsql as $$
begin
  if new.carrier_id is null and old.carrier_id is not null and not exists (
    select 1 from "shipping_carrier" c where c.store_id = old.store_id and c.id = old.carrier_id)
  then
    return null;
  end if;
  delete from "order_text" t where t.store_id = new.store_id and t.id in (old.order_id, new.order_id);
  return null;
end $$;
select drop_text_on_update('delivery', 'drop_text_of_delivery',
  unshown => '{updated_at,cash_received,cash_received_at,cash_reference}');

create function drop_text_of_part() returns trigger language plpgsql as $$
begin
  -- Deleting an app changes entries of the history without the lock of their orders.
  if tg_table_name = 'order_event' then
    perform 1 from "orders" o where o.store_id = new.store_id and o.id = new.order_id for no key update;
  end if;
  delete from "order_text" t where t.store_id = new.store_id and t.id in (old.order_id, new.order_id);
  return null;
end $$;

create function drop_text_of_added_part() returns trigger language plpgsql as $$
begin
  delete from "order_text" t where t.store_id = new.store_id and t.id = new.order_id;
  return null;
end $$;

-- By the statement: an order may have hundreds of lines.
create function drop_texts_of_orders() returns trigger language plpgsql as $$
declare
  owner record;
begin
  for owner in select c.store_id, array_agg(distinct c.order_id) as orders from changed c group by c.store_id loop
    delete from "order_text" t where t.store_id = owner.store_id and t.id = any(owner.orders);
  end loop;
  return null;
end $$;

do $$
declare
  own text;
begin
  foreach own in array array['order_line', 'delivery', 'delivery_line', 'order_return', 'return_line', 'refund',
    'refund_line', 'order_event']
  loop
    execute format('create trigger text_rows_added after insert on %I
      for each row execute function drop_text_of_added_part()', own);
    execute format('create trigger text_rows_removed after delete on %I referencing old table as changed
      for each statement when (store_remains()) execute function drop_texts_of_orders()', own);
    continue when own in ('order_line', 'delivery');
    execute format('create trigger text_changed after update on %I
      for each row execute function drop_text_of_part()', own);
  end loop;
end $$;
