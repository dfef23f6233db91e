-- People who use the console. An app is a program; an account is a person, of any number of stores.

-- A person.
create table account (
  id           uuid primary key default new_id(),
  email        text not null check (email <> ''),
  -- Emails are compared without case.
  email_key    text not null unique,
  name         text not null default '',
  -- PHC text of scrypt with its parameters; null until the person has followed a one-time link.
  password     text,
  is_operator  boolean not null default false,
  -- Null: what the browser prefers.
  language     text check (language in ('en', 'fr', 'ar')),
  theme        text check (theme in ('light', 'dark')),
  -- Carried by each console token; raising it revokes those issued before.
  generation   integer not null default 1,
  disabled_at  timestamptz(3),
  last_seen_at timestamptz(3),
  created_at   timestamptz(3) not null default now()
);

-- A person who works for a store.
create table membership (
  store_id    uuid not null references store on delete cascade,
  account_id  uuid not null references account on delete cascade,
  role        text not null check (role in ('owner', 'staff')),
  -- Of staff. Owners have every permission, also those that a later release adds.
  permissions text[] not null default '{}',
  created_at  timestamptz(3) not null default now(),
  primary key (store_id, account_id)
);
select store_table('membership');
create index membership_account on membership (account_id);

-- A developer of an app.
create table app_member (
  app_id     uuid not null references app on delete cascade,
  account_id uuid not null references account on delete cascade,
  created_at timestamptz(3) not null default now(),
  primary key (app_id, account_id)
);
create index app_member_account on app_member (account_id);

-- Every node keeps accounts with their memberships in memory.
create function announce_account_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('access_changed', tg_table_name);
  return null;
end $$;
create trigger account_changed after update of name, is_operator, generation, disabled_at or delete on account
  for each row execute function announce_account_change();
create trigger membership_changed after insert or update or delete on membership
  for each row execute function announce_account_change();
create trigger app_member_changed after insert or update or delete on app_member
  for each row execute function announce_account_change();

-- A browser in which a person is signed in.
create table session (
  id           uuid primary key default new_id(),
  -- SHA-256 of the 256 random bits in the cookie.
  secret_hash  bytea not null unique check (length(secret_hash) = 32),
  account_id   uuid not null references account on delete cascade,
  agent        text not null default '',
  created_at   timestamptz(3) not null default now(),
  -- Written once a minute at most.
  used_at      timestamptz(3) not null default now(),
  -- When the password was last given.
  confirmed_at timestamptz(3) not null default now()
);
create index session_account on session (account_id);
create index session_age on session (used_at);

-- A link that lets a person set a password.
create table one_time_link (
  id         uuid primary key default new_id(),
  kind       text not null check (kind in ('first', 'invite', 'reset')),
  -- SHA-256 of the code. The first code is derived from the service's secret and this salt instead, so that every node
  -- can print it while nothing readable is stored.
  code_hash  bytea unique check (length(code_hash) = 32),
  salt       text,
  account_id uuid references account on delete cascade,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  check (case when kind = 'first' then salt is not null else code_hash is not null and account_id is not null end)
);
create unique index one_time_link_first on one_time_link (kind) where kind = 'first';
create index one_time_link_account on one_time_link (account_id);

-- Who changed what about access. Written in the transaction of the change; no secrets.
create table audit_entry (
  id         uuid primary key default new_id(),
  at         timestamptz(3) not null default now(),
  -- Null: the command line.
  account_id uuid,
  actor      text not null,
  act        text not null,
  subject    text not null default '',
  store_id   uuid,
  app_id     uuid,
  before     jsonb,
  after      jsonb
);
select store_table('audit_entry');
create index audit_entry_at on audit_entry (at);

-- A list with its filters, saved by name.
create table saved_view (
  store_id   uuid not null references store on delete cascade,
  id         uuid not null default new_id(),
  account_id uuid not null references account on delete cascade,
  list       text not null,
  name       text not null,
  query      text not null,
  created_at timestamptz(3) not null default now(),
  primary key (store_id, id),
  unique (store_id, account_id, list, name)
);
select store_table('saved_view');
create index saved_view_account on saved_view (account_id);
