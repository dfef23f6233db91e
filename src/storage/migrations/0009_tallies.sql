-- Exact totals without counting: every change adds its difference as a row of its own, so that writers never wait for
-- each other, and a total is the sum of a few rows. Housekeeping folds them together from time to time.
create table tally (
  store_id uuid not null references store on delete cascade,
  -- What is counted: the table's name.
  kind     text collate "C" not null,
  -- Which of them: '' is all, 'status=paid' those, 'day=2026-11-15' those created that day.
  facet    text collate "C" not null,
  delta    bigint not null
);
create index tally_lookup on tally (store_id, kind, facet) include (delta);

create function utc_day(at timestamptz) returns text language sql stable parallel safe as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD')
$$;

-- For each table, the facets of a row r. One trigger function each, since its statements are planned for that table.
do $$
declare
  counted record;
begin
  for counted in select * from (values
    ('orders', $e$array['', 'status=' || r.status, 'is_cancelled=' || r.is_cancelled, 'is_archived=' || r.is_archived,
        'day=' || utc_day(r.created_at)]
      || array(select 'delivery_status=' || s from unnest(r.delivery_statuses) s)
      || array(select 'return_status=' || s from unnest(r.return_statuses) s)
      || array(select 'refund_status=' || s from unnest(r.refund_statuses) s)$e$),
    ('product', $e$array_remove(array['', 'status=' || r.status, 'is_digital=' || r.is_digital,
      'out_of_stock=' || r.out_of_stock, 'category=' || r.category_id], null)$e$),
    ('customer', $e$array_remove(array['', 'country=' || r.country_id], null)$e$),
    ('review', $e$array['', 'status=' || r.status]$e$),
    ('landing_page', $e$array['', 'cod_type=' || r.cod_type]$e$),
    ('file', $e$array['', 'day=' || utc_day(r.created_at)]$e$)
  ) tables (name, facets) loop
    execute format($f$
      create function tally_%1$s() returns trigger language plpgsql as $t$
      begin
        if tg_op = 'INSERT' then
          insert into tally select r.store_id, %1$L, f, count(*) from added r, unnest(%2$s) f group by 1, 3;
        elsif tg_op = 'DELETE' then
          -- A store that is removed takes its rows along; then there is nothing left to count for.
          insert into tally select r.store_id, %1$L, f, -count(*) from removed r, unnest(%2$s) f
          where exists (select from store s where s.id = r.store_id) group by 1, 3;
        else
          insert into tally select store_id, %1$L, f, sum(delta) from (
            select r.store_id, f, 1 as delta from added r, unnest(%2$s) f
            union all select r.store_id, f, -1 from removed r, unnest(%2$s) f
          ) changes group by 1, 3 having sum(delta) <> 0;
        end if;
        return null;
      end $t$;
      create trigger tally_insert after insert on %1$I referencing new table as added
        for each statement execute function tally_%1$s();
      create trigger tally_delete after delete on %1$I referencing old table as removed
        for each statement execute function tally_%1$s();
      create trigger tally_update after update on %1$I referencing new table as added old table as removed
        for each statement execute function tally_%1$s();
      insert into tally select r.store_id, %1$L, f, count(*) from %1$I r, unnest(%2$s) f group by 1, 3;
    $f$, counted.name, counted.facets);
  end loop;
end $$;
