-- What apps call: one line for each call, for some days, and exact counts.

-- A call. Partitions are made by the service, are not written to the log of PostgreSQL, and are dropped whole: see
-- resources/calls/partitions.ts. A crash of PostgreSQL empties them.
create table call (
  id              uuid not null,
  at              timestamptz(3) not null,
  request_id      text not null,
  app_id          uuid,
  store_id        uuid,
  installation_id uuid,
  -- The person, for a call of the console.
  account_id      uuid,
  method          text,
  -- As registered, without ids. Null: no route, or refused before it was known.
  route           text,
  resource_id     uuid,
  status          smallint not null,
  ms              real,
  bytes_in        bigint,
  bytes_out       bigint,
  code            text,
  -- Names of the fields at fault, never their values.
  fields          text[],
  -- The permission that the caller lacks.
  permission      text,
  ignored         text[],
  idempotency_key text,
  is_replay       boolean not null default false,
  agent           text,
  -- Calls like this one that were counted and not kept, since the one before. Of code `call_log_full`: lines that were lost.
  skipped         integer not null default 0,
  -- Whether an assistant made it for the person.
  via             text
) partition by range (at);
create index call_age on call (at, id);
create index call_app on call (app_id, at, id);
create index call_app_failures on call (app_id, at, id) where status >= 400;
create index call_app_keys on call (app_id, at) where idempotency_key is not null;
create index call_installation on call (installation_id, at, id);
create index call_request on call (request_id);

-- How many calls of a kind an installation made in an hour. Lines may be sampled or lost; these counts are not.
create table call_tally (
  store_id        uuid,
  installation_id uuid,
  app_id          uuid,
  hour            timestamptz(3) not null,
  method          text not null,
  route           text not null,
  -- 2 for 2xx.
  status_class    smallint not null,
  calls           bigint not null,
  ms              double precision not null,
  -- How many took how long: see resources/calls/tallies.ts.
  buckets         bigint[] not null default '{}',
  unique nulls not distinct (store_id, installation_id, app_id, hour, method, route, status_class)
);
select store_table('call_tally');
create index call_tally_app on call_tally (app_id, hour);
create index call_tally_age on call_tally (hour);

-- How often an installation has used a permission on a day, and how often it lacked it.
create table permission_use (
  store_id        uuid not null,
  installation_id uuid not null,
  permission      text not null,
  day             date not null,
  used            bigint not null default 0,
  refused         bigint not null default 0,
  last_used_at    timestamptz(3),
  last_refused_at timestamptz(3),
  primary key (store_id, installation_id, permission, day)
);
select store_table('permission_use');
create index permission_use_age on permission_use (day);
