-- The history of an order is sorted by time. now() is when a transaction began: one that waited for the lock of the order came
-- before the one that it had waited for.
alter table order_event alter column created_at set default clock_timestamp();
