-- What a carrier has collected at the door belongs to the store. Which parcels it has not been paid for was in spreadsheets.

-- The cash of a parcel that the carrier has paid to the store.
alter table delivery add column cash_received numeric(14, 3);
alter table delivery add column cash_received_at timestamptz(3);
alter table delivery add column cash_reference text;

-- Deliveries that a carrier has. A new order's have none, so these indexes cost it nothing.
create index delivery_parcels on delivery (store_id, updated_at, id) where carrier_id is not null;
create index delivery_cash_received on delivery (store_id, cash_received_at, id) where cash_received_at is not null;
-- Orders that a carrier may owe for.
create index orders_delivered_unpaid on orders (store_id, id)
  where status = 'pending' and not is_cancelled and 'delivered' = any(delivery_statuses);

-- Not part of the order as JSON. The change of the order's status to paid is an event.
select capture_changes('delivery', 'order', part => 'deliveries', whole => 'order_id', states => '{status}',
  hidden => '{cash_received,cash_received_at,cash_reference}', operations => '{update,delete}');
select drop_text_on_update('delivery', 'drop_text_of_delivery',
  unshown => '{updated_at,cash_received,cash_received_at,cash_reference}');
