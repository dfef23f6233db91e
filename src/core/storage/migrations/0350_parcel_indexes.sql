-- The summary of parcels looked up the returns of each parcel, and the items of each that a carrier owes for. These indexes have
-- what it counts and sums, so that it reads no row of a delivery.
drop index delivery_parcels;
create index delivery_parcels on delivery (store_id, updated_at, id) include (carrier_id, status)
  where carrier_id is not null and not is_return;
drop index delivery_cash_received;
create index delivery_cash_received on delivery (store_id, cash_received_at, id) include (carrier_id, order_id, cash_received)
  where cash_received_at is not null;
