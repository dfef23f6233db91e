-- The kept text of an order: see 0020.
create table order_text (
  store_id uuid not null,
  id       uuid not null,
  text     text not null,
  primary key (store_id, id),
  foreign key (store_id, id) references orders on delete cascade
);

do $$
begin
  if (select 'lz4' = any(enumvals) from pg_settings where name = 'default_toast_compression') then
    alter table order_text alter column text set compression lz4;
  end if;
end $$;

-- The image of a variant and the first image of a product, by the id of either, for the lines of orders.
create view first_image as
select l.store_id, l.variant_id as id, l.file_id from file_link l
where l.role = 'variant_image' and l.variant_id is not null
union all
(select distinct on (l.store_id, l.product_id) l.store_id, l.product_id, l.file_id from file_link l
where l.role = 'product_images' and l.product_id is not null
order by l.store_id, l.product_id, l.position, l.id);

-- Whoever changes the rows of an order takes its text away. What belongs to others is a hole in the text: a landing page,
-- payment method, product, variant or carrier that is deleted leaves a hole that shows nothing, and the text stays.
create function drop_order_text() returns trigger language plpgsql as $$
begin
  if new.landing_page_id is null and old.landing_page_id is not null and not exists (
      select 1 from landing_page l where l.store_id = old.store_id and l.id = old.landing_page_id)
    or new.payment_method_id is null and old.payment_method_id is not null and not exists (
      select 1 from payment_method m where m.store_id = old.store_id and m.id = old.payment_method_id)
  then
    return null;
  end if;
  delete from order_text t where t.store_id = new.store_id and t.id = new.id;
  return null;
end $$;
create trigger text_changed after update of ref, status, currency, customer_id, customer_first_name, customer_last_name,
  customer_email, customer_phone, customer_address, customer_city, customer_state, customer_postal_code, country_id,
  billing_first_name, billing_last_name, billing_email, billing_phone, billing_address, billing_city, billing_state,
  billing_postal_code, card_brand, card_last4, shipping_rate, shipping_name, discount, discount_code, tip, tip_type,
  tip_value, bundle_name, bundle_option_name, bundle_price, fee, subtotal, total, quantity, is_archived, is_cancelled,
  cancelled_at, paid_at, meta_data, payment_method_id, landing_page_id, source_link, created_at, updated_at on orders
  for each row execute function drop_order_text();

create function drop_text_of_line() returns trigger language plpgsql as $$
begin
  if new.variant_id is null and old.variant_id is not null and not exists (
      select 1 from variant v where v.store_id = old.store_id and v.id = old.variant_id)
    or new.product_id is null and old.product_id is not null and not exists (
      select 1 from product p where p.store_id = old.store_id and p.id = old.product_id)
  then
    return null;
  end if;
  delete from order_text t where t.store_id = new.store_id and t.id in (old.order_id, new.order_id);
  return null;
end $$;
-- Not of stock_taken, which is not shown.
create trigger text_changed after update of order_id, position, product_id, variant_id, quantity, price, sku, title,
  is_digital, options on order_line
  for each row execute function drop_text_of_line();

create function drop_text_of_delivery() returns trigger language plpgsql as $$
begin
  if new.carrier_id is null and old.carrier_id is not null and not exists (
    select 1 from shipping_carrier c where c.store_id = old.store_id and c.id = old.carrier_id)
  then
    return null;
  end if;
  delete from order_text t where t.store_id = new.store_id and t.id in (old.order_id, new.order_id);
  return null;
end $$;
create trigger text_changed after update of order_id, is_return, status, tracking_number, carrier_id, created_at on delivery
  for each row execute function drop_text_of_delivery();

create function drop_text_of_part() returns trigger language plpgsql as $$
begin
  -- Deleting an app changes entries of the history without the lock of their orders.
  if tg_table_name = 'order_event' then
    perform 1 from orders o where o.store_id = new.store_id and o.id = new.order_id for no key update;
  end if;
  delete from order_text t where t.store_id = new.store_id and t.id in (old.order_id, new.order_id);
  return null;
end $$;

-- By the statement: an order may have hundreds of lines.
create function drop_texts_of_orders() returns trigger language plpgsql as $$
declare
  owner record;
begin
  for owner in select c.store_id, array_agg(distinct c.order_id) as orders from changed c group by c.store_id loop
    delete from order_text t where t.store_id = owner.store_id and t.id = any(owner.orders);
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
    execute format('create trigger text_rows_added after insert on %I referencing new table as changed
      for each statement execute function drop_texts_of_orders()', own);
    execute format('create trigger text_rows_removed after delete on %I referencing old table as changed
      for each statement execute function drop_texts_of_orders()', own);
    continue when own in ('order_line', 'delivery');
    execute format('create trigger text_changed after update on %I
      for each row execute function drop_text_of_part()', own);
  end loop;
end $$;
