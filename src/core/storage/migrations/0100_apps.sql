-- Apps that people install. What an app says of itself is its manifest: read from an address, and read again every day,
-- or given once as a file.
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

-- A client without a secret, known by the address of its metadata document.
alter table app add column is_public boolean not null default false;
-- Counts what happened to the app's installations. A change raises it under the lock of the app's row, so that whoever
-- has read up to a number has missed nothing before it. A time could not promise that.
alter table app add column changes bigint not null default 0;
alter table installation add column change bigint not null default 0, add column last_used_at timestamptz(3);
create index installation_change on installation (app_id, change, id);

-- When an installation was used last is no change of access.
drop trigger installation_changed on installation;
create trigger installation_changed after update of permissions, store_id, app_id or delete on installation
  for each row execute function announce_access_change();

-- Kept for a while, so that an app that was not told of it finds out.
create table removed_installation (
  id         uuid primary key,
  app_id     uuid not null references app on delete cascade,
  store_id   uuid not null,
  change     bigint not null,
  created_at timestamptz(3) not null,
  removed_at timestamptz(3) not null default now()
);
create index removed_installation_change on removed_installation (app_id, change, id);
create index removed_installation_age on removed_installation (removed_at);

-- What is to be posted to an app about its installations. Outlives the installation: the last message says that it is gone.
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
create index lifecycle_post_due on lifecycle_post (due_at) where done_at is null;
create index lifecycle_post_done on lifecycle_post (done_at) where done_at is not null;

-- One announcement wakes the nodes that post.
create trigger lifecycle_post_added after insert on lifecycle_post
  for each statement execute function announce_account_change();

-- An access token of /oauth/token names its grant, and ends with it.
create table oauth_grant (
  id              uuid primary key default new_id(),
  app_id          uuid not null references app on delete cascade,
  installation_id uuid not null references installation on delete cascade,
  expires_at      timestamptz(3) not null,
  created_at      timestamptz(3) not null default now()
);
create index oauth_grant_app on oauth_grant (app_id);
create index oauth_grant_installation on oauth_grant (installation_id);
create index oauth_grant_age on oauth_grant (expires_at);
create trigger oauth_grant_ended after delete on oauth_grant
  for each row when (old.expires_at > now()) execute function announce_account_change();

-- An authorization code. A used one is kept for a while: whoever uses it again has stolen it, or was stolen from.
create table oauth_code (
  code_hash       bytea primary key,
  app_id          uuid not null references app on delete cascade,
  installation_id uuid not null references installation on delete cascade,
  redirect_uri    text not null,
  challenge       text not null,
  expires_at      timestamptz(3) not null,
  used_at         timestamptz(3),
  grant_id        uuid
);
create index oauth_code_app on oauth_code (app_id);
create index oauth_code_installation on oauth_code (installation_id);
create index oauth_code_age on oauth_code (expires_at);

create table oauth_refresh (
  token_hash bytea primary key,
  grant_id   uuid not null references oauth_grant on delete cascade,
  used_at    timestamptz(3)
);
create index oauth_refresh_grant on oauth_refresh (grant_id);

select store_table('removed_installation');
select store_table('lifecycle_post');
