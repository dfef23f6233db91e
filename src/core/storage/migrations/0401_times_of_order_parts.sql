-- Deliveries, returns and refunds of an order are listed by time. now() is when a transaction began: one that waited for the
-- lock of the order came before those that it had waited for. Their statement begins when the order is locked.
alter table delivery
  alter column created_at set default statement_timestamp(),
  alter column updated_at set default statement_timestamp();
alter table order_return alter column created_at set default statement_timestamp();
alter table refund alter column created_at set default statement_timestamp();
