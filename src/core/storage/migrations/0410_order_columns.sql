-- A migration that added a column to orders had to repeat what all other columns are: which changes are captured, and which
-- columns the text of an order shows. This is the only place for both now: such a migration adds the column, and then calls
--   select order_columns_changed();
-- A column that is no state or number and that every caller may see needs nothing else. For any other one, the migration
-- replaces the function, with the name of the column in one of these lists.
create function order_columns_changed() returns void language sql as $$
  select capture_changes('orders', 'order',
    states => '{status,currency,customer_id,shipping_rate,discount,tip,tip_value,bundle_price,fee,subtotal,total,quantity,'
      'is_archived,is_cancelled,cancelled_at,paid_at,payment_method_id,landing_page_id,confirmation,confirmation_attempts}',
    hidden => '{delivery_statuses,refund_statuses,phone_e164,claimed_by,claimed_until}',
    renamed => '{"country_id": "customer_country", "payment_method_id": "payment_method", "landing_page_id": "landing_page",
      "return_statuses": "returns.delivery.status", "confirmation": "confirmation.state",
      "confirmation_attempts": "confirmation.attempts", "confirmation_next_at": "confirmation.next_at",
      "confirmation_by": "confirmation.by", "confirmation_at": "confirmation.at", "confirmation_note": "confirmation.note"}',
    operations => '{update,delete}');
  select drop_text_on_update('orders', 'drop_order_text',
    unshown => '{delivery_statuses,return_statuses,refund_statuses,phone_e164,claimed_by,claimed_until}');
  -- The next start builds the texts, with the new column.
  delete from order_text;
  delete from setting where name = 'kept_texts';
$$;
