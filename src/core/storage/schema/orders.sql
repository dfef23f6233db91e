-- Orders: what was sold to whom, and who changed what. What is delivered, returned and refunded is in parcels.sql, how orders
-- are confirmed in order-desk.sql.

-- An order.
create table orders (
  store_id              uuid not null references store on delete cascade,
  id                    uuid not null default new_id(),
  ref                   text not null,
  status                text not null default 'pending' check (status in ('pending', 'paid', 'abandoned')),
  currency              text not null check (currency ~ '^[A-Z]{3}$'),
  customer_id           uuid,
  customer_first_name   text not null default '',
  customer_last_name    text not null default '',
  customer_email        text not null default '',
  customer_phone        text not null default '',
  customer_address      text not null default '',
  customer_city         text not null default '',
  customer_state        text not null default '',
  customer_postal_code  text not null default '',
  country_id            text references country,
  billing_first_name    text not null default '',
  billing_last_name     text not null default '',
  billing_email         text not null default '',
  billing_phone         text not null default '',
  billing_address       text not null default '',
  billing_city          text not null default '',
  billing_state         text not null default '',
  billing_postal_code   text not null default '',
  card_brand            text,
  card_last4            text,
  shipping_rate         numeric(14, 3) not null default 0,
  shipping_name         text,
  discount              numeric(14, 3) not null default 0,
  discount_code         text,
  tip                   numeric(14, 3) not null default 0,
  tip_type              text,
  tip_value             numeric(14, 3) not null default 0,
  bundle_name           text,
  bundle_option_name    text,
  bundle_price          numeric(14, 3),
  fee                   numeric(14, 3) not null default 0,
  subtotal              numeric(14, 3) not null default 0,
  total                 numeric(14, 3) not null default 0,
  quantity              integer not null default 0,
  is_archived           boolean not null default false,
  is_cancelled          boolean not null default false,
  cancelled_at          timestamptz(3),
  paid_at               timestamptz(3),
  -- `json`, not `jsonb`: what a caller sent comes back in the sequence it was sent in.
  meta_data             json not null default '{}' check (json_typeof(meta_data) = 'object'),
  payment_method_id     uuid,
  landing_page_id       uuid,
  source_link           text,
  -- Those of the order's deliveries, returns and refunds, each once; kept by triggers, for filters.
  delivery_statuses     text[] not null default '{}',
  return_statuses       text[] not null default '{}',
  refund_statuses       text[] not null default '{}',
  created_at            timestamptz(3) not null default now(),
  updated_at            timestamptz(3) not null default now(),
  -- The customer's phone number in E.164; null if it is none. '?' is not looked at yet: rows that psql has written, for
  -- example. Every start looks at them (resources/orders/read-phones.ts).
  phone_e164            text collate "C" default '?',
  -- Null: this order needs no confirmation.
  confirmation          text,
  confirmation_attempts integer not null default 0,
  confirmation_next_at  timestamptz(3),
  confirmation_by       text,
  confirmation_at       timestamptz(3),
  confirmation_note     text,
  -- Who has the order before them, so that nobody else calls the same person.
  claimed_by            uuid,
  claimed_until         timestamptz(3),
  primary key (store_id, id),
  unique (store_id, ref),
  foreign key (store_id, customer_id) references customer on delete set null (customer_id),
  foreign key (store_id, payment_method_id) references payment_method on delete set null (payment_method_id),
  foreign key (store_id, landing_page_id) references landing_page on delete set null (landing_page_id),
  check (is_cancelled = (cancelled_at is not null))
);
select store_table('orders');
-- Each sort of the list, the id last as in the sort itself, and each filter in the usual sequence, by date.
create unique index orders_created on orders (store_id, created_at, id);
create index orders_updated on orders (store_id, updated_at, id);
create index orders_total on orders (store_id, total, id);
create index orders_quantity on orders (store_id, quantity, id);
create index orders_status on orders (store_id, status, id);
create index orders_status_created on orders (store_id, status, created_at, id);
create index orders_cancelled on orders (store_id, is_cancelled, created_at, id);
create index orders_archived on orders (store_id, is_archived, created_at, id);

-- An order may have deliveries of several statuses, so these are sets. One index a status gives its orders by date; an
-- order is mostly in one of them, so that together they cost as much as one.
create index orders_unfulfilled on orders (store_id, created_at, id) where 'unfulfilled' = any(delivery_statuses);
create index orders_fulfilled on orders (store_id, created_at, id) where 'fulfilled' = any(delivery_statuses);
create index orders_shipped on orders (store_id, created_at, id) where 'shipped' = any(delivery_statuses);
create index orders_delivered on orders (store_id, created_at, id) where 'delivered' = any(delivery_statuses);
create index orders_delivery_cancelled on orders (store_id, created_at, id) where 'cancelled' = any(delivery_statuses);
create index orders_return_unfulfilled on orders (store_id, created_at, id) where 'unfulfilled' = any(return_statuses);
create index orders_return_fulfilled on orders (store_id, created_at, id) where 'fulfilled' = any(return_statuses);
create index orders_return_shipped on orders (store_id, created_at, id) where 'shipped' = any(return_statuses);
create index orders_return_delivered on orders (store_id, created_at, id) where 'delivered' = any(return_statuses);
create index orders_return_cancelled on orders (store_id, created_at, id) where 'cancelled' = any(return_statuses);
create index orders_refund_pending on orders (store_id, created_at, id) where 'pending' = any(refund_statuses);
create index orders_refunded on orders (store_id, created_at, id) where 'refunded' = any(refund_statuses);

-- For the order desk: earlier orders of a phone number, those whose number is not read yet, those to confirm.
create index orders_phone on orders (store_id, phone_e164, created_at, id) where phone_e164 <> '?';
create index orders_phone_unread on orders (store_id, id) where phone_e164 = '?';
create index orders_to_confirm on orders (store_id, created_at, id)
  where confirmation in ('waiting', 'no_answer', 'postponed') and not is_cancelled;
create index orders_confirmation on orders (store_id, confirmation, created_at, id) where confirmation is not null;
-- Orders that a carrier may owe for.
create index orders_delivered_unpaid on orders (store_id, id)
  where status = 'pending' and not is_cancelled and 'delivered' = any(delivery_statuses);

-- PostgreSQL brings no index for a foreign key; without these, here and below, deleting a parent scans.
create index orders_customer on orders (store_id, customer_id, created_at, id);
create index orders_landing_page on orders (store_id, landing_page_id, created_at, id);
create index orders_payment_method on orders (store_id, payment_method_id);

-- The states of an order, each as &name=value, with an & at the end. Orders have one counter for each combination, in all and
-- by day of creation, so that the total of any combination of filters by state is a sum.
create function order_states(status text, is_cancelled boolean, is_archived boolean, deliveries text[],
  returns text[], refunds text[]) returns text language sql stable as $$
  select '&status=' || status || '&is_cancelled=' || is_cancelled || '&is_archived=' || is_archived
    || coalesce('&delivery_status=' || nullif(array_to_string(deliveries, '&delivery_status='), ''), '')
    || coalesce('&return_status=' || nullif(array_to_string(returns, '&return_status='), ''), '')
    || coalesce('&refund_status=' || nullif(array_to_string(refunds, '&refund_status='), ''), '') || '&'
$$;
select count_rows('orders', $$array['',
  order_states(r.status, r.is_cancelled, r.is_archived, r.delivery_statuses, r.return_statuses, r.refund_statuses),
  'day=' || utc_day(r.created_at)
    || order_states(r.status, r.is_cancelled, r.is_archived, r.delivery_statuses, r.return_statuses, r.refund_statuses),
  'updated=' || utc_day(r.updated_at)]$$);
-- Its changes are captured by order_columns_changed() in texts.sql.
create trigger capture_insert after insert on orders for each row execute function capture_created('order');
-- An order keeps the time of its creation, which its search text has as well.
create trigger note_time_of_change before insert or update of updated_at on orders
  for each row execute function note_time_of_change();

-- What is sold with an order. Title, price, sku and options are copied, not joined: editing a product must never change a
-- past order. Lines are added with their order, delivery, return or refund, whose change is captured.
create table order_line (
  store_id        uuid not null,
  id              uuid not null default new_id(),
  order_id        uuid not null,
  position        integer not null,
  product_id      uuid,
  variant_id      uuid,
  quantity        integer not null check (quantity > 0),
  price           numeric(14, 3) not null check (price >= 0),
  sku             text,
  title           text not null,
  is_digital      boolean not null,
  options         json not null default '{}',
  -- Units this line took out of stock and has not given back by being cancelled or abandoned.
  stock_taken     integer not null default 0 check (stock_taken between 0 and quantity),
  -- Units that the line took when it was written. What happened to them later is in stock_change.
  stock_placed    integer not null default 0,
  -- When, by the clock of the database and under the lock of the variant: the history of the stock is in this sequence.
  stock_placed_at timestamptz,
  primary key (store_id, id),
  unique (store_id, order_id, id),
  foreign key (store_id, order_id) references orders on delete cascade,
  foreign key (store_id, product_id) references product on delete set null (product_id),
  foreign key (store_id, variant_id) references variant on delete set null (variant_id)
);
select store_table('order_line');
create index order_line_product on order_line (store_id, product_id, order_id);
create index order_line_variant on order_line (store_id, variant_id, stock_placed_at, id);
select capture_changes('order_line', 'order', part => 'variants', whole => 'order_id',
  hidden => '{stock_taken,stock_placed,stock_placed_at}', operations => '{update,delete}');

-- Who changed which state of an order, and when. The app may be gone later; its name stays.
create table order_event (
  store_id     uuid not null,
  id           uuid not null default new_id(),
  order_id     uuid not null,
  app_id       uuid references app on delete set null,
  app_name     text not null,
  subject      text not null,
  subject_id   uuid not null,
  from_state   text,
  to_state     text not null,
  -- The history is sorted by it. now() would be when the transaction began, which may have waited for another one.
  created_at   timestamptz(3) not null default clock_timestamp(),
  -- Who of the people made the change, where an app's name alone does not tell.
  account_id   uuid,
  account_name text,
  -- What somebody wrote about the order: an entry besides changes of states.
  note         text,
  -- Null: an app by itself, or a person in the console.
  via          text collate "C" check (via = 'assistant'),
  primary key (store_id, id),
  foreign key (store_id, order_id) references orders on delete cascade
);
select store_table('order_event');
create index order_event_order on order_event (store_id, order_id, created_at);
select capture_changes('order_event', 'order', part => 'history', whole => 'order_id', hidden => '{note,via}',
  operations => '{update,delete}');
