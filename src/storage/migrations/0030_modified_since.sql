-- Products, customers, reviews, files and landing pages are listed, sorted and counted by when they were changed.
create index product_updated on product (store_id, updated_at, id);
create index customer_updated on customer (store_id, updated_at, id);
create index review_updated on review (store_id, updated_at, id);

alter table file add column updated_at timestamptz(3) not null default now();
update file set updated_at = created_at;
create index file_updated on file (store_id, updated_at, id);

-- As in 0015, and now a file that is linked, unlinked, published or sold has changed.
create or replace function note_links(stores uuid[], files uuid[]) returns void language plpgsql as $$
begin
  perform from file f where (f.store_id, f.id) in (select * from unnest(stores, files))
    order by f.store_id, f.id for no key update;
  update file f set owner_kinds = n.owner_kinds, was_sold = n.was_sold, is_public = n.is_public,
    updated_at = clock_timestamp()
  from (
    select s.store_id, s.id, kinds_of_owners(s.store_id, s.id) as owner_kinds, s.was_sold,
      not s.was_sold and is_public_type(s.mime_type) and is_shown_publicly(s.store_id, s.id) as is_public
    from (
      select l.store_id, l.id, l.mime_type, l.was_sold or is_sold(l.store_id, l.id) as was_sold
      from file l where (l.store_id, l.id) in (select * from unnest(stores, files))
    ) s
  ) n
  where f.store_id = n.store_id and f.id = n.id
    and (f.owner_kinds, f.was_sold, f.is_public) is distinct from (n.owner_kinds, n.was_sold, n.is_public);
end $$;

-- Counted anew with one more facet. Locked first, so that no change is counted twice or not at all.
lock table product, customer, review, landing_page, file in share row exclusive mode;
delete from tally where kind in ('product', 'customer', 'review', 'landing_page', 'file');
select count_rows('product', $$array_remove(array['', 'status=' || r.status, 'is_digital=' || r.is_digital,
  'out_of_stock=' || r.out_of_stock, 'category=' || r.category_id, 'updated=' || utc_day(r.updated_at)], null)$$);
select count_rows('customer',
  $$array_remove(array['', 'country=' || r.country_id, 'updated=' || utc_day(r.updated_at)], null)$$);
select count_rows('review',
  $$array['', 'status=' || r.status, 'rating=' || r.rating, 'updated=' || utc_day(r.updated_at)]$$);
select count_rows('landing_page', $$array['', 'cod_type=' || r.cod_type, 'updated=' || utc_day(r.updated_at)]$$);
select count_rows('file', $$array['', 'day=' || utc_day(r.created_at), 'mime_type=' || r.mime_type,
    'mime_type=' || split_part(r.mime_type, '/', 1) || '/*', 'updated=' || utc_day(r.updated_at)]
  || array(select 'fileable_type=' || k from unnest(r.owner_kinds) k)$$);

-- Products show updated_at: their texts are rendered again at the next start.
create or replace trigger text_changed after update of slug, title, description, page_title, meta_description, is_digital,
  status, stock_tracked, allow_order_when_oos, category_id, created_at, updated_at on product
  for each row execute function drop_product_text();
delete from product_text;
delete from setting where name = 'kept_texts';
