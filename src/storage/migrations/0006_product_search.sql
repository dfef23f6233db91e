-- Words of title, slug and description, folded, cut and weighted by the service (products/search-words.ts), so that
-- a search finds the same on every PostgreSQL, whatever its locale and dictionaries. Each word starts with a mark
-- of its store: the index then keeps stores apart, and a word that is frequent elsewhere costs nothing here.
-- The title's words stand alone as well: ranking reads them, and only them, for each product found.
alter table product
  add column words       tsvector not null default '',
  add column title_words tsvector not null default '';
alter table product alter column title_words set storage main;

-- A row over 2 kB gives away its description and words until it is this short, instead of just under 2 kB:
-- what a search or a count passes over stays narrow.
alter table product set (toast_tuple_target = 256);

-- Without the pending list: its unsorted entries would be read through by every search.
create index product_words on product using gin (words) with (fastupdate = off);

-- Whether any variant has units left, kept by the trigger below. What is not tracked never runs out.
alter table product add column has_stock boolean not null default false;
alter table product add column out_of_stock boolean not null
  generated always as (stock_tracked and not has_stock) stored;

-- Touches a product only when one of its variants runs out or comes back, so orders do not queue for the product
-- they share. The product is locked before its variants are looked at: two orders that take the last units of two
-- variants at the same time would otherwise each still see the other's.
create function keep_has_stock() returns trigger language plpgsql as $$
declare
  stores   uuid[];
  products uuid[];
begin
  if tg_op = 'INSERT' then
    select array_agg(c.store_id), array_agg(c.product_id) into stores, products
    from (select distinct store_id, product_id from after_rows where quantity > 0) c;
  elsif tg_op = 'DELETE' then
    select array_agg(c.store_id), array_agg(c.product_id) into stores, products
    from (select distinct store_id, product_id from before_rows where quantity > 0) c;
  else
    select array_agg(c.store_id), array_agg(c.product_id) into stores, products
    from (
      select distinct a.store_id, a.product_id
      from after_rows a join before_rows b on b.store_id = a.store_id and b.id = a.id
      where (a.quantity > 0) <> (b.quantity > 0)
    ) c;
  end if;
  if products is null then
    return null;
  end if;
  perform from product p join unnest(stores, products) c (store_id, id) on p.store_id = c.store_id and p.id = c.id
    order by p.store_id, p.id for no key update of p;
  update product p set has_stock = now_has.stock
  from (
    select c.store_id, c.id, exists (
      select from variant v where v.store_id = c.store_id and v.product_id = c.id and v.quantity > 0
    ) as stock
    from unnest(stores, products) c (store_id, id)
  ) now_has
  where p.store_id = now_has.store_id and p.id = now_has.id and p.has_stock <> now_has.stock;
  return null;
end $$;
create trigger variant_added after insert on variant
  referencing new table as after_rows for each statement execute function keep_has_stock();
create trigger variant_changed after update on variant
  referencing old table as before_rows new table as after_rows for each statement execute function keep_has_stock();
create trigger variant_removed after delete on variant
  referencing old table as before_rows for each statement execute function keep_has_stock();

create index variant_product on variant (store_id, product_id, position, id);

-- Each filter with each sort is one index scan, the id last as in the sort itself, and counting needs the index
-- alone. Products without a category come last both ways, hence a key for each direction.
create index product_created on product (store_id, created_at, id);
create index product_title on product (store_id, title_key, id);
create index product_category_up on product (store_id, coalesce(category_key, U&'\+10FFFF'), id);
create index product_category_down on product (store_id, coalesce(category_key, ''), id);
create index product_exact_title on product (store_id, title);

create index product_status_created on product (store_id, status, created_at, id);
create index product_status_title on product (store_id, status, title_key, id);
create index product_status_category_up on product (store_id, status, coalesce(category_key, U&'\+10FFFF'), id);
create index product_status_category_down on product (store_id, status, coalesce(category_key, ''), id);

create index product_digital_created on product (store_id, is_digital, created_at, id);
create index product_digital_title on product (store_id, is_digital, title_key, id);
create index product_digital_category_up on product (store_id, is_digital, coalesce(category_key, U&'\+10FFFF'), id);
create index product_digital_category_down on product (store_id, is_digital, coalesce(category_key, ''), id);

create index product_stock_created on product (store_id, out_of_stock, created_at, id);
create index product_stock_title on product (store_id, out_of_stock, title_key, id);
create index product_stock_category_up on product (store_id, out_of_stock, coalesce(category_key, U&'\+10FFFF'), id);
create index product_stock_category_down on product (store_id, out_of_stock, coalesce(category_key, ''), id);

drop index product_category;
create index product_category on product (store_id, category_id, category_key, id);
create index product_category_created on product (store_id, category_id, created_at, id);
create index product_category_title on product (store_id, category_id, title_key, id);

create index category_created on category (store_id, created_at, id);
