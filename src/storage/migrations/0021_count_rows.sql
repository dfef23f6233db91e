-- Exact totals for any table: `select count_rows('discount', $$array['', 'status=' || r.status]$$)` keeps the tallies of
-- a new table, as 0009 does for those that were there. `facets` gives the facets of a row r; '' stands for all rows. What
-- the table holds already is counted once.
create function count_rows(counted regclass, facets text) returns void language plpgsql as $$
declare
  kind text := (select relname from pg_class where oid = counted);
begin
  execute format($f$
    create or replace function %4$I() returns trigger language plpgsql as $t$
    begin
      if tg_op = 'INSERT' then
        insert into tally select r.store_id, %1$L, f, count(*) from added r, unnest(%3$s) f group by 1, 3;
      elsif tg_op = 'DELETE' then
        -- A store that is removed takes its rows along; then there is nothing left to count for.
        insert into tally select r.store_id, %1$L, f, -count(*) from removed r, unnest(%3$s) f
        where exists (select from store s where s.id = r.store_id) group by 1, 3;
      else
        insert into tally select store_id, %1$L, f, sum(delta) from (
          select r.store_id, f, 1 as delta from added r, unnest(%3$s) f
          union all select r.store_id, f, -1 from removed r, unnest(%3$s) f
        ) changes group by 1, 3 having sum(delta) <> 0;
      end if;
      return null;
    end $t$;
    create or replace trigger tally_insert after insert on %2$s referencing new table as added
      for each statement execute function %4$I();
    create or replace trigger tally_delete after delete on %2$s referencing old table as removed
      for each statement execute function %4$I();
    create or replace trigger tally_update after update on %2$s referencing new table as added old table as removed
      for each statement execute function %4$I();
    insert into tally select r.store_id, %1$L, f, count(*) from %2$s r, unnest(%3$s) f group by 1, 3;
  $f$, kind, counted, facets, 'tally_' || kind);
end $$;
