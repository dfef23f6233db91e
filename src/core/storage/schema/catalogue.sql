-- What a store sells.
--
-- Every row of a store carries the store first in its primary key, and every reference is composite: a link across stores
-- cannot be stored even by a bug. A distributed PostgreSQL distributes by the same column.

-- A group of products, as a shop shows them.
create table category (
  store_id   uuid not null references store on delete cascade,
  id         uuid not null default new_id(),
  name       text not null check (name <> ''),
  name_key   text collate "C" not null,
  created_at timestamptz(3) not null default now(),
  primary key (store_id, id),
  unique (store_id, name_key),
  unique (store_id, id, name_key)
);
select store_table('category');
create index category_created on category (store_id, created_at, id);
select capture_changes('category');

-- A product with its variants. Its _key columns hold text folded by the service, so that sorting is the same on every
-- PostgreSQL, whatever its locale.
create table product (
  store_id             uuid not null references store on delete cascade,
  id                   uuid not null default new_id(),
  slug                 text not null check (slug <> ''),
  title                text not null,
  title_key            text collate "C" not null,
  description          text,
  page_title           text,
  meta_description     text,
  is_digital           boolean not null default false,
  status               text not null default 'active' check (status in ('active', 'inactive')),
  stock_tracked        boolean not null default true,
  allow_order_when_oos boolean not null default false,
  category_id          uuid,
  -- The category's sort key, kept true by the reference below, so that sorting by category is an index scan.
  category_key         text collate "C",
  created_at           timestamptz(3) not null default now(),
  updated_at           timestamptz(3) not null default now(),
  -- Words of title, slug and description, folded, cut and weighted by the service (products/search-words.ts), so that
  -- a search finds the same on every PostgreSQL, whatever its locale and dictionaries. Each word starts with a mark
  -- of its store: the index then keeps stores apart, and a word that is frequent elsewhere costs nothing here.
  words                tsvector not null default '',
  -- The title's words stand alone as well: ranking reads them, and only them, for each product found.
  title_words          tsvector not null default '',
  -- Whether any variant has units left, maintained by the triggers of variants. What is not tracked never runs out.
  has_stock            boolean not null default false,
  out_of_stock         boolean not null generated always as (stock_tracked and not has_stock) stored,
  -- Slugs that were given before slug_key() made them one stay as they are, since they are in the addresses of live
  -- pages: the oldest of each key has it, the others have this mark until they are given another slug.
  slug_is_twin         boolean not null default false,
  -- The files whose address stands in the description, so that they are not taken for unused; null for most. Ids are found
  -- behind a slash, as addresses have them, with functions that every machine of a distributed database has.
  file_ids             text[] generated always as (
    case when description ~ '/[0-9a-f]{8}-[0-9a-f]{4}-' then string_to_array(btrim(translate(regexp_replace(regexp_replace(
      description, '/([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})', E'\x01\\1\x02', 'g'), E'(^|\x02)[^\x01]*', ' ', 'g'),
      E'\x01', '')), ' ') end) stored,
  primary key (store_id, id),
  unique (store_id, slug),
  foreign key (store_id, category_id, category_key) references category (store_id, id, name_key)
    on update cascade on delete set null (category_id, category_key),
  check ((category_id is null) = (category_key is null))
) with (
  -- A row over 2 kB gives away its description and words until it is this short, instead of just under 2 kB: what a
  -- search or a count passes over stays narrow.
  toast_tuple_target = 256,
  -- Room for the next version of a row on the same page, without which its indexes would have to point elsewhere.
  fillfactor = 85
);
select store_table('product');
alter table product alter column title_words set storage main;

create unique index product_slug_folded on product (store_id, slug_key(slug)) where not slug_is_twin;
-- Without the pending list: its unsorted entries would be read through by every search.
create index product_words on product using gin (words) with (fastupdate = off);

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

create index product_category on product (store_id, category_id, category_key, id);
create index product_category_created on product (store_id, category_id, created_at, id);
create index product_category_title on product (store_id, category_id, title_key, id);

create index product_file_ids on product using gin (store_id, file_ids) where file_ids is not null;

select count_rows('product', $$array_remove(array['', 'status=' || r.status, 'is_digital=' || r.is_digital,
  'out_of_stock=' || r.out_of_stock, 'category=' || r.category_id, 'updated=' || utc_day(r.updated_at)], null)$$);
select capture_changes('product', states => '{is_digital,status,stock_tracked,allow_order_when_oos,category_id}',
  hidden => '{words,title_words,has_stock,slug_is_twin}', renamed => '{"category_id": "category"}',
  operations => '{update,delete}');
create trigger capture_insert after insert on product for each row execute function capture_created('product');
create trigger note_time_of_change before insert or update of updated_at on product
  for each row execute function note_time_of_change('created_at');

-- When a product was changed, in a table of its own. An index on the products themselves would make every change of one
-- write all indexes of its row, that of its words included. So a change of its prices, its pictures or anything else that
-- no index has writes the row alone.
create table product_modified (
  store_id   uuid not null,
  id         uuid not null,
  updated_at timestamptz(3) not null,
  primary key (store_id, id),
  foreign key (store_id, id) references product on delete cascade
);
select store_table('product_modified');
create index product_modified_time on product_modified (store_id, updated_at, id);
create function note_modified_product() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into "product_modified" (store_id, id, updated_at) values (new.store_id, new.id, new.updated_at);
  else
    update "product_modified" m set updated_at = new.updated_at where m.store_id = new.store_id and m.id = new.id;
  end if;
  return null;
end $$;
create trigger modified_insert after insert on product for each row execute function note_modified_product();
create trigger modified_update after update on product for each row
  when (new.updated_at is distinct from old.updated_at) execute function note_modified_product();

-- What a buyer can choose of a product, such as its size.
create table product_option (
  store_id   uuid not null,
  id         uuid not null default new_id(),
  product_id uuid not null,
  name       text not null,
  position   integer not null,
  primary key (store_id, id),
  unique (store_id, product_id, id),
  foreign key (store_id, product_id) references product on delete cascade
);
select store_table('product_option');
select capture_changes('product_option', 'product', part => 'options', whole => 'product_id');

-- One of the values of an option, such as L.
create table option_value (
  store_id   uuid not null,
  id         uuid not null default new_id(),
  product_id uuid not null,
  option_id  uuid not null,
  value      text not null,
  position   integer not null,
  primary key (store_id, id),
  unique (store_id, product_id, option_id, id),
  foreign key (store_id, product_id, option_id) references product_option (store_id, product_id, id) on delete cascade
);
select store_table('option_value');
select capture_changes('option_value', 'product', part => 'options.values', whole => 'product_id');

-- What is sold: a product with one value of each of its options.
create table variant (
  store_id      uuid not null,
  id            uuid not null default new_id(),
  product_id    uuid not null,
  title         text not null default '',
  price         numeric(14, 3) not null default 0 check (price >= 0),
  compare_price numeric(14, 3) not null default 0 check (compare_price >= 0),
  sku           text,
  quantity      integer not null default 0,
  position      integer not null default 0,
  -- A digest of the option values: two variants of one product can never be the same choice.
  -- Empty for the one variant of a simple product.
  choice        text collate "C" not null default '',
  created_at    timestamptz(3) not null default now(),
  updated_at    timestamptz(3) not null default now(),
  -- Sum of the changes of quantity that lines of orders or rows of stock_change tell (stock.sql).
  stock_noted   bigint not null default 0,
  primary key (store_id, id),
  unique (store_id, product_id, id),
  -- Checked when the statement ends: one update may swap the choices of two variants.
  unique (store_id, product_id, choice) deferrable,
  foreign key (store_id, product_id) references product on delete cascade
);
select store_table('variant');
create index variant_product on variant (store_id, product_id, position, id);
-- Products are found by the exact sku of any of their variants.
create index variant_sku on variant (store_id, sku, product_id) where sku is not null;
select capture_changes('variant', 'product', part => 'variants', whole => 'product_id',
  states => '{price,compare_price,quantity}', hidden => '{choice,stock_noted}', steady => true);

-- Locked first and looked at after: two orders that take the last units of two variants at the same time would otherwise
-- each still see the other's.
create function keep_stock_of(store uuid, products uuid[]) returns void language plpgsql as $$
begin
  perform 1 from product p where p.store_id = store and p.id = any(products) order by p.id for no key update;
  update product p set has_stock = not p.has_stock
  where p.store_id = store and p.id = any(products) and p.has_stock <> exists (
    select 1 from variant v where v.store_id = store and v.product_id = p.id and v.quantity > 0);
end $$;

-- Touches a product only when one of its variants runs out or comes back, so that orders do not queue for the product
-- they share. Most updates leave every variant with some stock, and need no look at each.
create function keep_has_stock() returns trigger language plpgsql as $$
declare
  owner record;
begin
  if tg_op = 'INSERT' then
    for owner in
      select c.store_id, array_agg(distinct c.product_id) as products from after_rows c where c.quantity > 0 group by 1 order by 1
    loop
      perform keep_stock_of(owner.store_id, owner.products);
    end loop;
  elsif tg_op = 'DELETE' then
    for owner in
      select c.store_id, array_agg(distinct c.product_id) as products from before_rows c where c.quantity > 0 group by 1 order by 1
    loop
      perform keep_stock_of(owner.store_id, owner.products);
    end loop;
  elsif exists (select 1 from after_rows a where a.quantity <= 0) or exists (select 1 from before_rows b where b.quantity <= 0) then
    for owner in
      select a.store_id, array_agg(distinct a.product_id) as products
      from after_rows a join before_rows b on b.store_id = a.store_id and b.id = a.id
      where (a.quantity > 0) <> (b.quantity > 0) group by 1 order by 1
    loop
      perform keep_stock_of(owner.store_id, owner.products);
    end loop;
  end if;
  return null;
end $$;
create trigger variant_added after insert on variant
  referencing new table as after_rows for each statement execute function keep_has_stock();
create trigger variant_changed after update on variant
  referencing old table as before_rows new table as after_rows for each statement execute function keep_has_stock();
create trigger variant_removed after delete on variant
  referencing old table as before_rows for each statement when (store_remains()) execute function keep_has_stock();

-- The value that a variant has of an option.
create table variant_value (
  store_id   uuid not null,
  product_id uuid not null,
  variant_id uuid not null,
  option_id  uuid not null,
  value_id   uuid not null,
  primary key (store_id, variant_id, option_id),
  foreign key (store_id, product_id, variant_id) references variant (store_id, product_id, id) on delete cascade,
  foreign key (store_id, product_id, option_id, value_id) references option_value (store_id, product_id, option_id, id)
    on delete cascade
);
select store_table('variant_value');
create index variant_value_value on variant_value (store_id, product_id, option_id, value_id);
select capture_changes('variant_value', 'product', part => 'variants.values', whole => 'product_id',
  operations => '{update}');

-- A line of a product's specification, such as "Material: cotton".
create table product_property (
  store_id   uuid not null,
  id         uuid not null default new_id(),
  product_id uuid not null,
  name       text not null,
  value      text not null,
  position   integer not null,
  primary key (store_id, id),
  foreign key (store_id, product_id) references product on delete cascade
);
select store_table('product_property');
create index product_property_product on product_property (store_id, product_id, position);
select capture_changes('product_property', 'product', part => 'properties', whole => 'product_id');

-- An offer on a product: several units for one price. Orders keep a copy of what they were sold as, so that a bundle may
-- change or go at any time.
create table bundle (
  store_id   uuid not null references store on delete cascade,
  id         uuid not null default new_id(),
  product_id uuid not null,
  name       text not null check (name <> ''),
  name_key   text collate "C" not null,
  status     text not null default 'active' check (status in ('active', 'inactive')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (store_id, id),
  foreign key (store_id, product_id) references product on delete cascade
);
select store_table('bundle');
create index bundle_product on bundle (store_id, product_id);
create index bundle_created on bundle (store_id, created_at, id);
select count_rows('bundle', $$array['', 'status=' || r.status]$$);
select capture_changes('bundle', states => '{status}');

-- One of the choices of a bundle: so many units at this price.
create table bundle_option (
  store_id  uuid not null,
  id        uuid not null default new_id(),
  bundle_id uuid not null,
  position  integer not null,
  name      text not null check (name <> ''),
  quantity  integer not null check (quantity > 0),
  price     numeric(14, 3) not null check (price >= 0),
  primary key (store_id, id),
  foreign key (store_id, bundle_id) references bundle on delete cascade
);
select store_table('bundle_option');
create index bundle_option_bundle on bundle_option (store_id, bundle_id, position);
select capture_changes('bundle_option', 'bundle', part => 'options', whole => 'bundle_id', states => '{quantity,price}');

-- What a buyer says of a product.
create table review (
  store_id       uuid not null references store on delete cascade,
  id             uuid not null default new_id(),
  product_id     uuid not null,
  content        text not null,
  status         text not null default 'pending' check (status in ('pending', 'hidden', 'published')),
  rating         smallint not null check (rating between 1 and 5),
  reviewer_name  text not null,
  reviewer_email text,
  created_at     timestamptz(3) not null default now(),
  updated_at     timestamptz(3) not null default now(),
  primary key (store_id, id),
  foreign key (store_id, product_id) references product on delete cascade
);
select store_table('review');
create index review_created on review (store_id, created_at, id);
create index review_updated on review (store_id, updated_at, id);
create index review_rating on review (store_id, rating, id);
create index review_status on review (store_id, status, created_at, id);
create index review_product on review (store_id, product_id, id);
create index review_product_created on review (store_id, product_id, created_at, id);
-- Finds the reviews of a person who is erased. slug_key() ignores case, whatever the locale of the server.
create index review_email on review (store_id, slug_key(reviewer_email)) where reviewer_email is not null;
select count_rows('review',
  $$array['', 'status=' || r.status, 'rating=' || r.rating, 'updated=' || utc_day(r.updated_at)]$$);
select capture_changes('review', states => '{status,rating}', renamed => '{"product_id": "product"}',
  operations => '{update,delete}', steady => true);
create trigger capture_insert after insert on review for each row execute function capture_created('review');
create trigger note_time_of_change before insert or update of updated_at on review
  for each row execute function note_time_of_change('created_at');
