-- In schema/: new databases have this already.
--
-- Orders are counted by all their states together, and so for each day. Counters of single states could not tell how many
-- orders have two of them: such a total was counted row by row, and took longer the larger the store. One counter for each
-- combination answers any of them, and takes fewer rows than one for each state.

create or replace function order_states(status text, is_cancelled boolean, is_archived boolean, deliveries text[],
  returns text[], refunds text[]) returns text language sql stable as $$
  select '&status=' || status || '&is_cancelled=' || is_cancelled || '&is_archived=' || is_archived
    || coalesce('&delivery_status=' || nullif(array_to_string(deliveries, '&delivery_status='), ''), '')
    || coalesce('&return_status=' || nullif(array_to_string(returns, '&return_status='), ''), '')
    || coalesce('&refund_status=' || nullif(array_to_string(refunds, '&refund_status='), ''), '') || '&'
$$;
-- Nobody writes until this is done.
lock table orders in share row exclusive mode;
delete from tally where kind = 'orders';
select count_rows('orders', $$array['',
  order_states(r.status, r.is_cancelled, r.is_archived, r.delivery_statuses, r.return_statuses, r.refund_statuses),
  'day=' || utc_day(r.created_at)
    || order_states(r.status, r.is_cancelled, r.is_archived, r.delivery_statuses, r.return_statuses, r.refund_statuses),
  'updated=' || utc_day(r.updated_at)]$$);
