-- An update of no rows still runs the statement triggers of its table. Each new order ran those of orders twice, because its
-- deliveries had nothing to change in it. Now the statuses are compared first.

create or replace function note_deliveries() returns trigger language plpgsql as $$
declare
  part    record;
  now_has record;
begin
  for part in select distinct c.store_id, c.order_id from changed c loop
    select
      coalesce(array_agg(distinct d.status) filter (where not d.is_return), '{}') as deliveries,
      coalesce(array_agg(distinct d.status) filter (where d.is_return), '{}') as returns
    into now_has
    from delivery d where d.store_id = part.store_id and d.order_id = part.order_id;
    if exists (
      select 1 from orders o where o.store_id = part.store_id and o.id = part.order_id
        and (o.delivery_statuses, o.return_statuses) is distinct from (now_has.deliveries, now_has.returns)
    ) then
      update orders o set delivery_statuses = now_has.deliveries, return_statuses = now_has.returns
      where o.store_id = part.store_id and o.id = part.order_id;
    end if;
  end loop;
  return null;
end $$;
