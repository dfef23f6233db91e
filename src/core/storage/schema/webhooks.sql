-- Webhooks are cursors over the feed of their store, not queues. One process at a time holds the lease of a webhook and
-- delivers for it.

-- An address that an installation wants to hear of events at. `position` and `n` name the last event that was dealt with.
create table webhook (
  store_id        uuid not null references store on delete cascade,
  id              uuid not null default new_id(),
  installation_id uuid not null references installation on delete cascade,
  url             text not null,
  types           text[] not null,
  changed         text[],
  ignore_self     boolean not null default false,
  payload         text not null default 'full' check (payload in ('full', 'thin')),
  lanes           smallint not null default 4 check (lanes between 1 and 16),
  -- The secret is derived from the key of the service, the id and this number; key_mark tells which key it was.
  generation      integer not null default 1,
  key_mark        text not null,
  -- Until then the secret of the generation before signs as well.
  previous_until  timestamptz(3),
  state           text not null default 'on' check (state in ('on', 'paused')),
  reason          text check (reason in ('requested', 'operator', 'failing', 'gone', 'expired', 'key_changed', 'restored')),
  paused_at       timestamptz(3),
  position        bigint not null,
  n               bigint not null,
  -- Failures in a row, and since when nothing has gone through.
  failures        integer not null default 0,
  failing_since   timestamptz(3),
  warned_at       timestamptz(3),
  -- Nothing new is read until something that waits has gone through.
  stalled         boolean not null default false,
  -- When something that waits is to be tried.
  due_at          timestamptz(3),
  lease           uuid,
  leased_until    timestamptz(3),
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  -- Deliveries know their app without a look at the installation.
  app_id          uuid not null,
  primary key (store_id, id),
  check ((state = 'paused') = (reason is not null and paused_at is not null))
);
select store_table('webhook');
create index webhook_installation on webhook (installation_id);
create index webhook_on on webhook (store_id, id) where state = 'on';
create index webhook_paused on webhook (installation_id, id) where state = 'paused' and reason <> 'requested';

-- What became of an event at a webhook. Of those of one resource that wait, only the first has a due_at: the next gets
-- one when that is done.
create table webhook_delivery (
  store_id    uuid not null,
  webhook_id  uuid not null,
  position    bigint not null,
  kind        text not null,
  action      text not null,
  resource_id uuid not null,
  state       text not null check (state in ('waiting', 'delivered', 'failed')),
  replay      boolean not null default false,
  attempts    smallint not null default 0,
  first_at    timestamptz(3),
  due_at      timestamptz(3),
  done_at     timestamptz(3),
  -- Of the last attempt. Nothing that a receiver replied is stored beside its status.
  status      smallint,
  error       text,
  ms          integer,
  primary key (store_id, webhook_id, position),
  foreign key (store_id, webhook_id) references webhook on delete cascade,
  check ((state = 'waiting') = (done_at is null))
);
select store_table('webhook_delivery');
create index webhook_delivery_waiting on webhook_delivery (store_id, webhook_id, kind, resource_id, position)
  where state = 'waiting';
create index webhook_delivery_due on webhook_delivery (store_id, webhook_id, due_at)
  where state = 'waiting' and due_at is not null;
create index webhook_delivery_failed on webhook_delivery (store_id, webhook_id, position) where state = 'failed';
create index webhook_delivery_done on webhook_delivery (done_at) where done_at is not null;
