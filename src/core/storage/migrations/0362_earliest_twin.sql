-- The signals of an order look for a duplicate only if its number has another open order. As a part of their statement, the
-- search was made ready each time nevertheless, which was a third of what they cost. Its conditions are those of
-- resources/orders/signals.ts, where many orders and a distributed database have them in the statement.
create function earliest_twin(store uuid, of_order uuid, of_phone text, of_customer uuid, placed timestamptz)
returns uuid language plpgsql stable as $$
begin
  if of_phone is not null then
    return (
      select x.id from orders x
      where x.store_id = store and x.phone_e164 = of_phone and x.phone_e164 <> '?' and x.id <> of_order
        and x.created_at between placed - interval '48 hours' and placed + interval '48 hours'
        and order_outcome(x.status, x.is_cancelled, x.is_archived, x.delivery_statuses, x.return_statuses) = 'open'
        and exists (select 1 from order_line a join order_line b on b.store_id = store and b.product_id = a.product_id
          where a.store_id = store and a.order_id = of_order and b.order_id = x.id)
      order by x.created_at, x.id limit 1);
  end if;
  return (
    select x.id from orders x
    where x.store_id = store and x.customer_id = of_customer and x.phone_e164 is null and x.id <> of_order
      and x.created_at between placed - interval '48 hours' and placed + interval '48 hours'
      and order_outcome(x.status, x.is_cancelled, x.is_archived, x.delivery_statuses, x.return_statuses) = 'open'
      and exists (select 1 from order_line a join order_line b on b.store_id = store and b.product_id = a.product_id
        where a.store_id = store and a.order_id = of_order and b.order_id = x.id)
    order by x.created_at, x.id limit 1);
end $$;
