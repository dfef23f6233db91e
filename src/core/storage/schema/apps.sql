-- Apps, where they are installed, and what they are told of it. How they get tokens is in oauth.sql.

-- A program that calls the API.
create table app (
  id               uuid primary key default new_id(),
  name             text not null check (name <> ''),
  client_id        text not null unique,
  -- SHA-256 of a 256-bit random secret: nothing to guess, so nothing to slow down.
  secret_hash      bytea not null check (length(secret_hash) = 32),
  -- Carried by each token; raising it revokes every token issued before.
  generation       integer not null default 1,
  disabled_at      timestamptz(3),
  last_used_at     timestamptz(3),
  created_at       timestamptz(3) not null default now(),
  -- A rotated secret may work beside the new one for a while, so that whoever uses it has time to change.
  old_secret_hash  bytea check (length(old_secret_hash) = 32),
  old_secret_until timestamptz(3),
  -- The console calls the public API as an app that is part of the service: installed on every store, without a secret
  -- that anybody knows. Its tokens name an account, and the account's permissions count.
  built_in         boolean not null default false,
  -- A client without a secret, known by the address of its metadata document.
  is_public        boolean not null default false,
  -- Counts what happened to the app's installations. A change raises it under the lock of the app's row, so that whoever
  -- has read up to a number has missed nothing before it. A time could not promise that.
  changes          bigint not null default 0,
  constraint app_old_secret check ((old_secret_hash is null) = (old_secret_until is null))
);
create unique index app_built_in on app (built_in) where built_in;
insert into app (name, client_id, secret_hash, built_in)
  values ('Console', 'app_console', sha256(gen_random_uuid()::text::bytea || gen_random_uuid()::text::bytea), true);

-- An app on a store, with what it may do there.
create table installation (
  id           uuid primary key default new_id(),
  store_id     uuid not null references store on delete cascade,
  app_id       uuid not null references app on delete cascade,
  permissions  text[] not null,
  created_at   timestamptz(3) not null default now(),
  -- The number of its last change: see app.changes.
  change       bigint not null default 0,
  last_used_at timestamptz(3),
  unique (store_id, app_id)
);
select store_table('installation');
create index installation_app on installation (app_id);
create index installation_change on installation (app_id, change, id);

create function install_built_in_app() returns trigger language plpgsql as $$
begin
  insert into "installation" (store_id, app_id, permissions)
    select new.id, a.id, '{}' from "app" a where a.built_in on conflict do nothing;
  return null;
end $$;
create trigger store_console after insert on store for each row execute function install_built_in_app();

-- Every node keeps apps and installations in memory. The announcement is a trigger, so that no way of changing them, psql
-- included, can forget it.
create function announce_access_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('access_changed', tg_table_name || ':' || coalesce(new.id, old.id)::text);
  return null;
end $$;
create trigger app_changed
  after update of secret_hash, old_secret_hash, old_secret_until, generation, disabled_at or delete on app
  for each row execute function announce_access_change();
-- When an installation was used last is no change of access.
create trigger installation_changed after update of permissions, store_id, app_id or delete on installation
  for each row execute function announce_access_change();

-- The same without the id of a row, for accounts, roles, grants and connected assistants: every node forgets all of them.
create function announce_account_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('access_changed', tg_table_name);
  return null;
end $$;

-- The reply to a write, stored in the transaction of that write: a retry after a lost reply finds it.
create table idempotency (
  installation_id uuid not null references installation on delete cascade,
  key             text not null,
  request_hash    bytea not null,
  status          smallint,
  body            text,
  created_at      timestamptz(3) not null default now(),
  -- A reply that is too large to keep is rendered again for a retry: from this resource.
  resource_id     uuid,
  etag            text,
  store_id        uuid not null,
  primary key (store_id, installation_id, key)
);
select store_table('idempotency');
create index idempotency_age on idempotency (created_at);

-- What an app says of itself: read from an address, and read again every day, or given once as a file.
create table app_manifest (
  app_id               uuid primary key references app on delete cascade,
  -- Where it is read again. Null: it was given as a file.
  source_url           text,
  manifest             jsonb not null,
  -- The folded name: an app cannot take the name of another one in other letters.
  name_key             text not null unique,
  -- Drawn again by us, so that no browser asks a stranger's server for it.
  icon                 bytea,
  listing              text not null default 'unlisted' check (listing in ('listed', 'unlisted')),
  -- Part of the secret that signs what is posted to the app; raising it makes a new one.
  lifecycle_generation integer not null default 1,
  checked_at           timestamptz(3) not null default now(),
  -- Why the last reading failed.
  fault                text
);
create index app_manifest_age on app_manifest (checked_at) where source_url is not null;

-- An installation that is gone. Kept for a while, so that an app that was not told of it finds out.
create table removed_installation (
  id         uuid primary key,
  app_id     uuid not null references app on delete cascade,
  store_id   uuid not null,
  change     bigint not null,
  created_at timestamptz(3) not null,
  removed_at timestamptz(3) not null default now()
);
select store_table('removed_installation');
create index removed_installation_change on removed_installation (app_id, change, id);
create index removed_installation_age on removed_installation (removed_at);

-- A message to an app about one of its installations. Outlives the installation: the last message says that it is gone.
create table lifecycle_post (
  app_id       uuid not null references app on delete cascade,
  change       bigint not null,
  store_id     uuid not null,
  install_id   uuid not null,
  type         text not null,
  permissions  text[] not null,
  at           timestamptz(3) not null default now(),
  attempts     smallint not null default 0,
  first_at     timestamptz(3),
  due_at       timestamptz(3) not null default now(),
  leased_until timestamptz(3),
  done_at      timestamptz(3),
  status       smallint,
  error        text,
  primary key (store_id, app_id, change)
);
select store_table('lifecycle_post');
create index lifecycle_post_due on lifecycle_post (due_at) where done_at is null;
create index lifecycle_post_done on lifecycle_post (done_at) where done_at is not null;
-- One announcement wakes the nodes that post.
create trigger lifecycle_post_added after insert on lifecycle_post
  for each statement execute function announce_account_change();

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
select store_table('permission_request');
create index permission_request_installation on permission_request (installation_id);
