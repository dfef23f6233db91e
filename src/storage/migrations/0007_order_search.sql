-- What search looks through, folded by the service (orders/search.ts). A table of its own: an order changes often,
-- these words hardly ever, and each new version of their row would enter the trigram index again.
create table order_search (
  store_id uuid not null,
  order_id uuid not null,
  text     text not null,
  primary key (store_id, order_id),
  foreign key (store_id, order_id) references orders on delete cascade
);
-- More samples than usual: how common a word is decides between this index and a walk by date.
alter table order_search alter column text set statistics 1000;
create index order_search_text on order_search using gin (store_id, text gin_trgm_ops);

-- Each sort of the list, the id last as in the sort itself, and each filter in the usual sequence, by date.
create index orders_created on orders (store_id, created_at, id);
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

-- Sets of statuses follow their deliveries and refunds whoever changes those, psql included. Whoever does so must
-- have locked the order, or two changes at once each miss the other.
create function note_deliveries() returns trigger language plpgsql as $$
begin
  update orders o set delivery_statuses = now_has.deliveries, return_statuses = now_has.returns
  from (select distinct store_id, order_id from changed) c
  cross join lateral (
    select
      coalesce(array_agg(distinct d.status) filter (where not d.is_return), '{}') as deliveries,
      coalesce(array_agg(distinct d.status) filter (where d.is_return), '{}') as returns
    from delivery d where d.store_id = c.store_id and d.order_id = c.order_id
  ) now_has
  where o.store_id = c.store_id and o.id = c.order_id
    and (o.delivery_statuses, o.return_statuses) is distinct from (now_has.deliveries, now_has.returns);
  return null;
end $$;
create trigger delivery_added after insert on delivery referencing new table as changed
  for each statement execute function note_deliveries();
create trigger delivery_changed after update on delivery referencing new table as changed
  for each statement execute function note_deliveries();
create trigger delivery_removed after delete on delivery referencing old table as changed
  for each statement execute function note_deliveries();

create function note_refunds() returns trigger language plpgsql as $$
begin
  update orders o set refund_statuses = now_has.refunds
  from (select distinct store_id, order_id from changed) c
  cross join lateral (
    select coalesce(array_agg(distinct r.status), '{}') as refunds
    from refund r where r.store_id = c.store_id and r.order_id = c.order_id
  ) now_has
  where o.store_id = c.store_id and o.id = c.order_id and o.refund_statuses is distinct from now_has.refunds;
  return null;
end $$;
create trigger refund_added after insert on refund referencing new table as changed
  for each statement execute function note_refunds();
create trigger refund_changed after update on refund referencing new table as changed
  for each statement execute function note_refunds();
create trigger refund_removed after delete on refund referencing old table as changed
  for each statement execute function note_refunds();

-- Percent-encodes every byte but those RFC 3986 calls unreserved, for a tracking number in the address of a carrier.
create function url_encode(plain text) returns text language sql immutable strict parallel safe as $$
  select coalesce(string_agg(
    case when byte between 48 and 57 or byte between 65 and 90 or byte between 97 and 122 or byte in (45, 46, 95, 126)
      then chr(byte) else '%' || upper(lpad(to_hex(byte), 2, '0')) end, '' order by place), '')
  from (
    select place, get_byte(convert_to(plain, 'UTF8'), place) as byte
    from generate_series(0, octet_length(plain) - 1) place
  ) bytes
$$;
