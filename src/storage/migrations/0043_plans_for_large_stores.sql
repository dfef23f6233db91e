-- Plans are made once for all stores. PostgreSQL would make them for a store of average size and, among many small ones, read
-- all rows of a large store where an index finds the few that are needed. With one distinct store it expects each to be as
-- large as the largest. Citus knows the store of each statement, and takes no such option.
--
-- Empty tables are not analyzed: plans would be made for tables that stay empty.
do $$
declare
  stored record;
begin
  if exists (select 1 from pg_extension where extname = 'citus') then
    return;
  end if;
  for stored in
    select c.oid::regclass as name, c.reltuples > 0 as has_rows from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attname = 'store_id'
      and not a.attisdropped
  loop
    execute format('alter table %s alter column store_id set (n_distinct = 1)', stored.name);
    if stored.has_rows then
      execute format('analyze %s', stored.name);
    end if;
  end loop;
end $$;
