-- Fills an empty, migrated database. The table bench_shop says which stores there are and how large they are; all
-- else follows from the number of a row, so that two runs make the same data.

-- Of one expression each, so that PostgreSQL puts them in the place of their call. As ids of the service: the time first,
-- then what is random.
create function bench_id(kind text, shop bigint, n bigint) returns uuid language sql immutable parallel safe as $$
  select ('0' || to_hex(1700000000000 + n * 1000) || '7' || left(md5(kind), 3)
    || to_hex(hashint8extended(n, shop) & 4611686018427387903 | -9223372036854775808))::uuid
$$;

-- As new as their number is high; the newest of each kind is of the first of January.
create function bench_at(n bigint, last bigint) returns timestamptz language sql immutable parallel safe as $$
  select to_timestamp(1767225600 - (last - n) * 47)
$$;

create function bench_pick(choices text[], n bigint) returns text language sql immutable parallel safe as $$
  select choices[1 + n % cardinality(choices)]
$$;

-- Every word after the mark of its store; what stands in tags is not text.
create function bench_words(store uuid, said text) returns tsvector language sql immutable parallel safe as $$
  select array_to_tsvector(string_to_array(right(store::text, 8) || replace(
    btrim(regexp_replace(lower(said), '(<[^<>]*>|[^a-z0-9])+', ' ', 'g')), ' ', ' ' || right(store::text, 8)), ' '))
$$;

-- A letter for each of eleven digits, then a character for each three of them: as customers/search-text.ts writes a phone.
create function bench_phone(digits text) returns text language sql immutable parallel safe as $$
  select translate(digits, '0123456789', 'QRSTUVWXYZ') || ' '
    || chr(19968 + substr(digits, 1, 3)::int) || chr(19968 + substr(digits, 2, 3)::int)
    || chr(19968 + substr(digits, 3, 3)::int) || chr(19968 + substr(digits, 4, 3)::int)
    || chr(19968 + substr(digits, 5, 3)::int) || chr(19968 + substr(digits, 6, 3)::int)
    || chr(19968 + substr(digits, 7, 3)::int) || chr(19968 + substr(digits, 8, 3)::int)
    || chr(19968 + substr(digits, 9, 3)::int) || ' '
$$;

-- 48 first names and 500 last names: the commonest of a real store are about as common.
create table bench_person as
select p.*, lower(p.first || '.' || p.last) || p.person || '@'
  || bench_pick(array['mail','post','inbox','letters','home','work'], p.person / 5) || '.example' as email
from (select s.shop, s.id as store_id, n as person, bench_id('customer', s.shop, n) as id,
  bench_pick(array['Amira','Yassine','Leila','Karim','Sonia','Nadia','Omar','Ines','Walid','Salma','Anna','Paul','Hedi',
      'Rania','Mehdi','Olfa','Sami','Hela','Bilel','Dorra','Fares','Emna','Ghazi','Lobna','Jean','Marie','Luc','Claire',
      'Hugo','Zoe','Max','Lena','Tom','Eva','Jan','Petra','Marco','Giulia','Luca','Chiara','Jose','Carmen','Pablo','Lucia',
      'Ivan','Olga','Piotr','Ewa'], n) as first,
  bench_pick(array['Trab','Hadd','Mans','Gharb','Jaz','Ayar','Mart','Kell','Ross','Nov','Silv','Beld','Cher','Dur','Fek',
      'Gall','Hamd','Iss','Lah','Zouar'], n / 3)
    || bench_pick(array['elsi','ad','our','i','iri','ini','ens','er','ak','ova','oui','if','and','ih','one','aoui','ani',
      'ouf','ez','ier','emi','at','ud','ek','ul'], n / 60) as last,
  '+2162' || lpad((n * 7919 % 10000000)::text, 7, '0') as phone,
  bench_phone('2162' || lpad((n * 7919 % 10000000)::text, 7, '0')) as phone_text,
  n || ' ' || bench_pick(array['Olive Street','Harbour Road','Market Square','Rue de Carthage'], n) as address,
  bench_pick(array['Tunis','Sfax','Sousse','Bizerte','Paris','Lyon','Berlin'], n) as city,
  lpad((1000 + n % 9000)::text, 4, '0') as postal_code,
  bench_pick(array['TN','TN','TN','FR','DE'], n) as country_id
from bench_shop s, generate_series(1, s.customers) n) p;

-- beside: the goods.
insert into category (store_id, id, name, name_key, created_at)
select s.id, bench_id('category', s.shop, n), 'Category ' || n, 'category ' || n, bench_at(n, 20)
from bench_shop s, generate_series(1, 20) n;

-- beside
create table bench_product as
select s.shop, s.id as store_id, n, s.products as last, bench_id('product', s.shop, n) as id,
  bench_pick(array['Blue','Green','Red','White','Striped','Plain','Large'], n) || ' '
    || bench_pick(array['cotton','linen','ceramic','olive wood','leather','glass'], n / 7) || ' '
    || bench_pick(array['shirt','mug','bowl','bag','lamp','scarf','plate','apron','basket','rug'], n / 42) || ' ' || n as title,
  '<p>Made by hand in a small workshop near the sea, from good material, and sent within two days. Number ' || n
    || ' of a series that has been sold since 1998.</p><p>Wash at thirty degrees. Every piece differs a little.</p>'
    as description
from bench_shop s, generate_series(1, s.products) n;

-- beside
insert into product (store_id, id, slug, title, title_key, description, status, is_digital, category_id, category_key,
  has_stock, words, title_words, created_at, updated_at)
select store_id, id, replace(lower(title), ' ', '-'), title, lower(title), description,
  case when n % 20 = 0 then 'inactive' else 'active' end, n % 25 = 0,
  bench_id('category', shop, 1 + n % 20), 'category ' || (1 + n % 20), n % 10 <> 0,
  bench_words(store_id, title || ' ' || description), bench_words(store_id, title), bench_at(n, last), bench_at(n, last)
from bench_product;

-- beside
insert into product_option (store_id, id, product_id, name, position)
select store_id, bench_id('option', shop, n), id, 'Size', 1 from bench_product;

-- beside
insert into option_value (store_id, id, product_id, option_id, value, position)
select store_id, bench_id('value', shop, n * 3 + k), id, bench_id('option', shop, n), bench_pick('{S,M,L}', k), k
from bench_product, generate_series(0, 2) k;

-- beside
insert into variant (store_id, id, product_id, title, price, compare_price, sku, quantity, position, choice,
  created_at, updated_at)
select store_id, bench_id('variant', shop, n * 3 + k), id, bench_pick('{S,M,L}', k), 10 + n % 90 + k, 20 + n % 90,
  'SKU-' || n || '-' || k, case when n % 10 = 0 then 0 else 1000000 end, k, md5('choice ' || k), bench_at(n, last),
  bench_at(n, last)
from bench_product, generate_series(0, 2) k;

-- beside
insert into variant_value (store_id, product_id, variant_id, option_id, value_id)
select store_id, id, bench_id('variant', shop, n * 3 + k), bench_id('option', shop, n),
  bench_id('value', shop, n * 3 + k)
from bench_product, generate_series(0, 2) k;

-- beside
insert into product_property (store_id, id, product_id, name, value, position)
select store_id, bench_id('property', shop, n), id, 'Origin', 'Nabeul', 1 from bench_product;

-- beside
insert into blob (store_id, sha256, size, mime_type, has_thumbnail)
select store_id, sha256(convert_to('image ' || n || ' ' || k, 'UTF8')), 48000 + n, 'image/jpeg', true
from bench_product, generate_series(0, 1) k;
-- beside
insert into file (store_id, id, sha256, name, alt, size, mime_type, thumbnail, created_at, owner_kinds)
select store_id, bench_id('file', shop, n * 2 + k), sha256(convert_to('image ' || n || ' ' || k, 'UTF8')),
  'product-' || n || '-' || k || '.jpg', title, 48000 + n, 'image/jpeg', true, bench_at(n * 2 + k, last * 2), '{product}'
from bench_product, generate_series(0, 1) k;
-- beside
insert into file_link (store_id, id, file_id, role, position, product_id)
select store_id, bench_id('link', shop, n * 2 + k), bench_id('file', shop, n * 2 + k), 'product_images', k, id
from bench_product, generate_series(0, 1) k;

-- beside
insert into landing_page (store_id, id, title, slug, product_id, lang, published_at, created_at, updated_at)
select store_id, bench_id('page', shop, n), 'Offer ' || n, 'offer-' || n, id, 'en', bench_at(n, 50), bench_at(n, 50),
  bench_at(n, 50)
from bench_product where n <= 50;

-- beside
insert into payment_method (store_id, id, name, payment_types, connected)
select id, bench_id('payment', shop, 1), 'Cash on delivery', '{cod}', true from bench_shop;
-- beside
insert into shipping_carrier (store_id, id, name, code, tracking_url)
select id, bench_id('carrier', shop, 1), 'Aramex', 'aramex', 'https://www.aramex.com/track/{tracking_number}' from bench_shop;

create table bench_order as
select p.shop, p.store_id, n, s.orders as last, s.products, bench_id('order', p.shop, n) as id, p.id as customer_id,
  p.first, p.last as last_name, p.email, p.phone, p.phone_text, p.address, p.city, p.postal_code, p.country_id,
  upper(substr(md5('ref ' || p.shop || ' ' || n), 1, 10)) || n as ref,
  bench_pick('{paid,paid,paid,pending,abandoned}', n) as status, 1 + n % s.products as product,
  1 + (n + 17) % s.products as product2
from bench_shop s cross join generate_series(1, s.orders) n
join bench_person p on p.shop = s.shop and p.person = 1 + (n - 1) % s.customers;

insert into orders (store_id, id, ref, status, currency, customer_id, customer_first_name, customer_last_name,
  customer_email, customer_phone, customer_address, customer_city, customer_postal_code, country_id, billing_first_name,
  billing_last_name, billing_email, shipping_rate, shipping_name, subtotal, total, quantity, is_archived, is_cancelled,
  cancelled_at, paid_at, payment_method_id, landing_page_id, delivery_statuses, created_at, updated_at)
select store_id, id, ref, status, 'TND', customer_id, first, last_name, email, phone, address, city, postal_code,
  country_id, first, last_name, email, 7, 'Standard', sum, sum + 7, 3, n % 50 = 0, n % 40 = 0,
  case when n % 40 = 0 then at end, case when status = 'paid' then at end, bench_id('payment', shop, 1),
  case when product <= 50 and n % 4 = 0 then bench_id('page', shop, product) end,
  array[bench_pick('{delivered,delivered,shipped,unfulfilled}', n)], at, at
from bench_order, bench_at(n, last) at, cast(30 + product % 90 + product2 % 90 as numeric) sum;

-- beside: the lines of the orders.
insert into order_line (store_id, id, order_id, position, product_id, variant_id, quantity, price, sku, title,
  is_digital, options, stock_taken)
select store_id, bench_id('line', shop, n * 2 + k), id, k, bench_id('product', shop, pn),
  bench_id('variant', shop, pn * 3 + k), 1 + k, 10 + pn % 90 + k, 'SKU-' || pn || '-' || k, 'Goods number ' || pn, false,
  '{"Size": "M"}', 1 + k
from bench_order, generate_series(0, 1) k, lateral (select case k when 0 then product else product2 end as pn) g;

insert into delivery (store_id, id, order_id, status, tracking_number, carrier_id, created_at, updated_at)
select store_id, bench_id('delivery', shop, n), id, bench_pick('{delivered,delivered,shipped,unfulfilled}', n),
  case when n % 4 < 3 then 'TRK' || n end, bench_id('carrier', shop, 1), bench_at(n, last), bench_at(n, last)
from bench_order;

-- beside
insert into delivery_line (store_id, order_id, delivery_id, order_line_id, quantity)
select store_id, id, bench_id('delivery', shop, n), bench_id('line', shop, n * 2 + k), 1 + k
from bench_order, generate_series(0, 1) k;

insert into order_event (store_id, id, order_id, app_name, subject, subject_id, to_state, created_at)
select store_id, bench_id('event', shop, n), id, 'Bench', 'status', id, status, bench_at(n, last) from bench_order;

insert into order_search (store_id, order_id, created_at, text)
select store_id, id, bench_at(n, last),
  ' ' || lower(ref || E'\n' || first || ' ' || last_name || E'\n' || email || E'\n' || address || E'\n'
    || city || E'\n' || postal_code) || E'\n\t ' || phone_text
    || translate(replace(id::text, '-', ''), '0123456789abcdef', 'ABCDEFGHIJKLMNOP')
from bench_order;

insert into customer (store_id, id, name, name_key, email, email_key, phone, phone_digits, address, address_key,
  city, city_key, postal_code, postal_code_key, search, country_id, subscription_status, order_count, amount_spent,
  latest_order_id, created_at, updated_at)
select p.store_id, p.id, p.first || ' ' || p.last, lower(p.first || ' ' || p.last), p.email, p.email, p.phone,
  substr(p.phone, 2), p.address, lower(p.address), p.city, lower(p.city), p.postal_code, p.postal_code,
  lower(p.first || ' ' || p.last || E'\n' || p.email || E'\n' || p.address || E'\n' || p.city || E'\n' || p.postal_code)
    || E'\n\t ' || p.phone_text,
  p.country_id, bench_pick(array['subscribed','not_subscribed'], p.person),
  -- Order n belongs to the customer n, n - customers, and so on.
  (s.orders - p.person) / s.customers + (p.person <= s.orders)::int, coalesce(o.spent, 0),
  case when p.person <= s.orders then bench_id('order', p.shop, p.person + (s.orders - p.person) / s.customers * s.customers) end,
  bench_at(p.person, s.customers), bench_at(p.person, s.customers)
from bench_person p join bench_shop s on s.shop = p.shop
left join (select store_id, customer_id, sum(total) as spent from orders where status = 'paid' group by 1, 2) o
  on o.store_id = p.store_id and o.customer_id = p.id;

insert into review (store_id, id, product_id, content, status, rating, reviewer_name, created_at, updated_at)
select store_id, bench_id('review', shop, n * 2 + k), id,
  'Arrived in two days, well packed, and just as it looks in the pictures. I would buy it again.',
  bench_pick('{published,published,published,pending,hidden}', n * 2 + k), 1 + (n * 3 + k) % 5,
  bench_pick('{Amira B.,Karim H.,Sonia T.,Paul M.}', n + k), bench_at(n * 2 + k, last * 2), bench_at(n * 2 + k, last * 2)
from bench_product, generate_series(0, 1) k;

-- after all
drop table bench_order, bench_product, bench_person;
