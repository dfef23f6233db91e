-- Which stores have work. Processes ask here, every second or two; otherwise each would ask every shard of a distributed
-- database for webhooks with pending events, for webhooks that are paused, and for bulk jobs.

-- Work of one kind for a store. For webhooks and jobs, `due_at` says when somebody is to look at the store; a store whose
-- webhooks have nothing to do is due at infinity, until it changes. For paused webhooks, it says when the last one was paused or
-- resumed. The row of no store says when one process is to look at all stores, for work that nobody has noted.
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
