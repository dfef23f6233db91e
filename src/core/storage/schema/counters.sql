-- Exact totals without counting. Every change of a counted row adds its difference as a row of its own, so that writers
-- never wait for each other, and a total is the sum of a few rows. Housekeeping adds them up from time to time.
--
-- No reference to the store: it would be looked up once more for every facet of a new row. The rows whose triggers write
-- counters refer to the store themselves; forget_changes() deletes the counters of a deleted store.

-- By how much a total of a store changed.
create table tally (
  store_id uuid not null,
  -- What is counted: the table's name.
  kind     text collate "C" not null,
  -- Which of them: '' is all, 'status=paid' those, 'day=2026-11-15' those created that day.
  facet    text collate "C" not null,
  delta    bigint not null
);
select store_table('tally');
create index tally_lookup on tally (store_id, kind, facet) include (delta);

-- The facets of a column with several values. Without a subquery, which is slower in PL/pgSQL.
create function facets(name text, many text[]) returns text[] language plpgsql immutable parallel safe as $$
begin
  if cardinality(many) = 0 then return '{}'; end if;
  return string_to_array(name || array_to_string(many, ',' || name), ',');
end $$;

-- Writes the functions and triggers that count the rows of a table; `facets` are those of a row r. Rows are added and
-- removed by the statement, which may write thousands, but nearly every one adds a single row: that is counted without
-- grouping. Updates are counted row by row, since most change no facet.
create function count_changes(counted regclass, facets text) returns void language plpgsql as $$
declare
  kind  text := (select relname from pg_class where oid = counted);
  -- Counts what a query gives: store, facet and how many more there are.
  count text := $f$
      for owner in
        select c.store_id, array_agg(c.facet) as facets, array_agg(c.delta) as deltas from (%s) c group by c.store_id
      loop
        -- A store that is removed takes its rows along; then there is nothing left to count for.
        if tg_op <> 'DELETE' or exists (select 1 from "store" s where s.id = owner.store_id) then
          insert into "tally" (store_id, kind, facet, delta)
          select owner.store_id, %L, x.facet, x.delta from unnest(owner.facets, owner.deltas) x (facet, delta);
        end if;
      end loop;$f$;
begin
  execute format($f$
    create or replace function %1$I() returns trigger language plpgsql as $t$
    declare
      owner record;
    begin
      if tg_op = 'DELETE' then%5$s
        return null;
      end if;
      select r.store_id, %3$s as facets into owner from added r;
      if not found then return null; end if;
      if not exists (select 1 from added offset 1) then
        insert into "tally" (store_id, kind, facet, delta) select owner.store_id, %2$L, f, 1 from unnest(owner.facets) f;
        return null;
      end if;%4$s
      return null;
    end $t$
  $f$, 'tally_' || kind, kind, facets,
  format(count, format('select r.store_id, f as facet, count(*) as delta from added r, unnest(%s) f group by 1, 2', facets), kind),
  format(count, format('select r.store_id, f as facet, -count(*) as delta from removed r, unnest(%s) f group by 1, 2', facets), kind));
  execute format($f$
    create or replace function %1$I() returns trigger language plpgsql as $t$
    declare
      r      record := new;
      before text[];
      after  text[] := %3$s;
    begin
      r := old;
      before := %3$s;
      if before = after then return null; end if;
      insert into "tally" (store_id, kind, facet, delta)
      select new.store_id, %2$L, c.facet, c.delta from (
        select f as facet, 1 as delta from unnest(after) f where f <> all(before)
        union all select f, -1 from unnest(before) f where f <> all(after)
      ) c;
      return null;
    end $t$
  $f$, 'tally_change_of_' || kind, kind, facets);
  -- One by one: Citus passes on single commands.
  execute format('create or replace trigger tally_insert after insert on %s referencing new table as added
    for each statement execute function %I()', counted, 'tally_' || kind);
  execute format('create or replace trigger tally_delete after delete on %s referencing old table as removed
    for each statement when (store_remains()) execute function %I()', counted, 'tally_' || kind);
  execute format('create or replace trigger tally_update after update on %s for each row execute function %I()',
    counted, 'tally_change_of_' || kind);
end $$;

-- Counts the rows of a table from now on, and those it has already:
--   select count_rows('discount', $$array['', 'status=' || r.status]$$);
create function count_rows(counted regclass, facets text) returns void language plpgsql as $$
begin
  perform count_changes(counted, facets);
  execute format('insert into tally select r.store_id, %L, f, count(*) from %s r, unnest(%s) f group by 1, 3',
    (select relname from pg_class where oid = counted), counted, facets);
end $$;
