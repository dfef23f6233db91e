-- What the developers of an app ask a store for, because calls were refused for want of it. An installation has one request:
-- a later one takes its place. Declined, it stays for a while, so that a store is not asked again at once.
create table permission_request (
  store_id        uuid not null,
  installation_id uuid not null references installation on delete cascade,
  permissions     text[] not null check (cardinality(permissions) > 0),
  asked_by        text not null,
  asked_at        timestamptz(3) not null default now(),
  declined_at     timestamptz(3),
  primary key (store_id, installation_id)
);
create index permission_request_installation on permission_request (installation_id);
select store_table('permission_request');
