-- In schema/: new databases have this already.
--
-- An event keeps the trace of its changes, as the migration before records it.
create or replace function number_changes(store uuid) returns integer language plpgsql as $$
declare
  stand  feed;
  drawn  bigint;
  raises boolean;
  moment timestamptz(3);
  taken  integer;
  added  integer;
begin
  -- Read before this transaction gets its id: whoever has drawn one of these has a lower id.
  if pg_current_xact_id_if_assigned() is null then
    select s.last_value - (not s.is_called)::int into drawn from change_n s;
  end if;
  if not exists (
    select from change c where c.store_id = store
      and c.n > coalesce((select f.floor_n from feed f where f.store_id = store), 0))
  then
    return 0;
  end if;
  insert into feed (store_id) values (store) on conflict do nothing;
  -- One numbers, the others wait for it.
  select * into stand from feed f where f.store_id = store for no key update;
  select e.at into moment from event e where e.store_id = store and e.position = stand.last;
  -- All that ran when the next floor was noted have ended: what they changed is visible to the statement below.
  raises := pg_snapshot_xmin(pg_current_snapshot()) >= stand.next_xid;
  with gone as (
    delete from change c where c.store_id = store and c.n > stand.floor_n and c.n <= (
      select max(o.n) from (
        select i.n from change i where i.store_id = store and i.n > stand.floor_n order by i.n limit 5000) o)
    returning c.*
  ), touched as (
    select g.kind, g.resource_id, min(g.n) as n, max(g.at) as at, bool_or(g.op = 'c') as made, bool_or(g.op = 'd') as lost,
      max(g.action) as action, joined(g.changed) as changed, merged(g.previous order by g.n desc) as previous,
      (array_agg(g.app_id order by g.n))[1] as app_id, (array_agg(g.account_id order by g.n))[1] as account_id,
      (array_agg(g.via order by g.n))[1] as via, min(g.trace) as trace,
      (array_agg(g.installation_id))[1] as installation_id
    from gone g group by g.xact, g.kind, g.resource_id, g.action
  ), numbered as (
    insert into event (store_id, position, n, kind, action, resource_id, changed, previous, app_id, account_id, via,
      trace, installation_id, at)
    select store, stand.last + row_number() over (order by t.n), t.n, t.kind,
      coalesce(t.action, case when t.lost then 'deleted' when t.made then 'created' else 'updated' end), t.resource_id,
      case when t.made or t.lost then '{}' when cardinality(t.changed) < 2 then t.changed
        else array(select distinct f from unnest(t.changed) f order by f) end,
      case when t.made or t.lost then '{}' else t.previous end,
      t.app_id, t.account_id, t.via, t.trace, t.installation_id, greatest(moment, max(t.at) over (order by t.n))
    from touched t where not (t.made and t.lost)
    returning 1
  )
  select (select count(*) from gone), (select count(*) from numbered) into taken, added;
  update feed f set last = stand.last + added,
    floor_n = case when raises and taken < 5000 then stand.next_n else stand.floor_n end,
    next_n = case when raises and drawn is not null then drawn else stand.next_n end,
    next_xid = case when raises and drawn is not null then pg_current_xact_id() else stand.next_xid end
  where f.store_id = store;
  return taken;
end $$;
