-- A line may be divided among several parcels. When a carrier reported that one of them came back, all of them counted as sent
-- back, because a return names lines only; and reporting it again returned the units of another. A return that a carrier has
-- reported names its parcel. Without a reference, which would need an index: deliveries go only with their order, as returns do.
alter table order_return add column parcel_id uuid;
select capture_changes('order_return', 'order', part => 'returns', whole => 'order_id', hidden => '{parcel_id}',
  operations => '{update,delete}');
