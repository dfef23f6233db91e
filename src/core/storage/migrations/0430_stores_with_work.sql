-- Processes ask here, every second or two, which stores have work. Otherwise each would ask every shard of a distributed
-- database for webhooks with pending events, for webhooks that are paused, and for bulk jobs.
--
-- For webhooks and jobs, `due_at` says when somebody is to look at the store; a store whose webhooks have nothing to do is due at
-- infinity, until it changes. For paused webhooks, it says when the last one was paused or resumed. The row of no store says when
-- one process is to look at all stores, for work that nobody has noted.
create table store_work (
  kind     text not null,
  store_id uuid not null,
  due_at   timestamptz(3) not null,
  primary key (store_id, kind)
);
select store_table('store_work');
create index store_work_due on store_work (kind, due_at);

insert into store_work (kind, store_id, due_at)
select 'all ' || kind, '00000000-0000-0000-0000-000000000000', now() from unnest('{webhooks,paused,jobs}'::text[]) kind;

insert into store_work (kind, store_id, due_at)
select 'webhooks', w.store_id, now() from (select distinct store_id from webhook where state = 'on') w;
insert into store_work (kind, store_id, due_at)
select 'paused', w.store_id, now() from (
  select distinct store_id from webhook where state = 'paused' and reason <> 'requested') w;
insert into store_work (kind, store_id, due_at)
select 'jobs', j.store_id, now() from (select distinct store_id from bulk_job where finished_at is null) j;

-- For RETURNING, because triggers run after it. With a column as an argument, it is not computed before the statement runs. A
-- distributed database takes only immutable functions there.
create or replace function attribute_change(id uuid, app text, account text, via text, trace text) returns text
language plpgsql immutable as $$
begin
  perform set_config('storefront.account', coalesce(account, ''), true), set_config('storefront.via', coalesce(via, ''), true),
    set_config('storefront.trace', coalesce(trace, ''), true);
  return set_config('storefront.app', coalesce(app, ''), true);
end $$;

-- Differences are added up store by store, by a statement of resources/analytics/merge-changes.ts.
drop function if exists merge_analytic_changes(integer);
drop function if exists merge_analytic_changes_of(uuid, integer);
