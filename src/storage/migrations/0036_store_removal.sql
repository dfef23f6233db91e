-- A store is removed table by table, those that refer to others first (stores/remove-store.ts). Triggers on deleted rows
-- have nothing to do then: nobody is left to hear of the changes, and what they keep (counters, figures, texts, states) is
-- deleted as well. Row by row they took longer than all the rest.

-- Whether the rows that a statement changes belong to a store that remains.
create function store_remains() returns boolean language sql stable parallel safe as $$
  select current_setting('storefront.removing_store', true) is distinct from 'on'
$$;

do $$
declare
  made text;
begin
  for made in
    select pg_get_triggerdef(t.oid) from pg_trigger t join pg_proc p on p.oid = t.tgfoid join pg_class c on c.oid = t.tgrelid
    where not t.tgisinternal and t.tgtype & 8 = 8 and c.relnamespace = current_schema()::regnamespace
      -- Those who must know at once: nodes that keep installations and people in memory, and the feed.
      and p.proname not in ('announce_access_change', 'announce_account_change', 'forget_changes')
  loop
    made := replace(made, 'CREATE TRIGGER', 'CREATE OR REPLACE TRIGGER');
    execute case when made like '% WHEN (%' then replace(made, ' WHEN (', ' WHEN (store_remains() AND ')
      else replace(made, ' EXECUTE FUNCTION ', ' WHEN (store_remains()) EXECUTE FUNCTION ') end;
  end loop;

  -- The same for tables that are added later.
  for made in
    select regexp_replace(pg_get_functiondef(p.oid),
      '(trigger (?:capture|tally)_delete after delete on \S+ referencing old table as removed\s+for each statement) execute',
      '\1 when (store_remains()) execute')
    from pg_proc p where p.pronamespace = current_schema()::regnamespace and p.proname in ('capture_changes', 'count_rows')
  loop
    if made not like '%when (store_remains()) execute%' then raise 'The triggers of later tables would not be found.'; end if;
    execute made;
  end loop;
end $$;
