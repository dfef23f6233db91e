-- The JSON text of an aggregate of many rows is written when the rows change, and only sent when it is read. It is made of
-- the aggregate's own rows; whatever belongs to another, or changes on its own clock, is a hole that is filled on reading.
create table product_text (
  store_id uuid not null,
  id       uuid not null,
  text     text not null,
  primary key (store_id, id),
  foreign key (store_id, id) references product on delete cascade
);

create table variant_text (
  store_id uuid not null,
  id       uuid not null,
  text     text not null,
  primary key (store_id, id),
  foreign key (store_id, id) references variant on delete cascade
);

-- lz4 unpacks several times faster than the usual method, where the server was built with it.
do $$
begin
  if (select 'lz4' = any(enumvals) from pg_settings where name = 'default_toast_compression') then
    alter table product_text alter column text set compression lz4;
    alter table variant_text alter column text set compression lz4;
  end if;
end $$;

-- Whoever changes the rows of a product, by whatever program, takes its text away; the service puts the new one in its
-- place at the end of the same transaction. A text that is missing is rendered from the rows when it is read, so that none
-- is ever older than its rows. What orders change of a variant is a hole: selling it takes no text away.
create function drop_product_text() returns trigger language plpgsql as $$
begin
  -- A category that is gone leaves a hole that shows null.
  if new.category_id is null and old.category_id is not null and not exists (
    select 1 from category c where c.store_id = old.store_id and c.id = old.category_id)
  then
    return null;
  end if;
  delete from product_text t where t.store_id = new.store_id and t.id = new.id;
  return null;
end $$;
create trigger text_changed after update of slug, title, description, page_title, meta_description, is_digital, status,
  stock_tracked, allow_order_when_oos, category_id, created_at on product
  for each row execute function drop_product_text();

create function drop_variant_text() returns trigger language plpgsql as $$
begin
  delete from product_text t where t.store_id = new.store_id and t.id = new.product_id;
  delete from variant_text t where t.store_id = new.store_id and t.id = new.id;
  return null;
end $$;
create trigger text_changed after update of title, price, compare_price, sku, position, choice, created_at on variant
  for each row execute function drop_variant_text();

-- Tables with a product_id, by the statement: a product may have hundreds of such rows.
create function drop_texts_of_products() returns trigger language plpgsql as $$
declare
  owner record;
begin
  for owner in select c.store_id, array_agg(distinct c.product_id) as products from changed c group by c.store_id loop
    delete from product_text t where t.store_id = owner.store_id and t.id = any(owner.products);
    if tg_table_name in ('variant_value', 'product_option', 'option_value') then
      delete from variant_text t where t.store_id = owner.store_id and t.id = any(array(
        select v.id from variant v where v.store_id = owner.store_id and v.product_id = any(owner.products)));
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
      for each statement execute function drop_texts_of_products()', own);
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
  elsif exists (select 1 from file f where f.store_id = old.store_id and f.id = old.file_id) then
    perform drop_text_of_owner(old.store_id, old.product_id, old.variant_id);
  end if;
  return null;
end $$;
create trigger text_changed after insert or update or delete on file_link
  for each row execute function drop_text_of_linked();
