-- People who use the console. An app is a program; an account is a person, of any number of stores.

-- A person.
create table account (
  id           uuid primary key default new_id(),
  email        text not null check (email <> ''),
  -- Emails are compared without case.
  email_key    text not null unique,
  name         text not null default '',
  -- PHC text of scrypt with its parameters.
  password     text not null,
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
create trigger account_changed after update of name, is_operator, generation, disabled_at or delete on account
  for each row execute function announce_account_change();

-- Permissions of staff under a name, so that a store can change them for all its packers or agents at once.
create table staff_role (
  store_id    uuid not null references store on delete cascade,
  id          uuid not null default new_id(),
  name        text not null check (name <> ''),
  permissions text[] not null check (cardinality(permissions) > 0),
  -- Of the last change, so that two people who edit it do not overwrite each other.
  version     integer not null default 1,
  created_at  timestamptz(3) not null default now(),
  primary key (store_id, id)
);
select store_table('staff_role');
create unique index staff_role_name on staff_role (store_id, lower(name));
create trigger staff_role_changed after update or delete on staff_role
  for each row execute function announce_account_change();

-- A person who works for a store.
create table membership (
  store_id    uuid not null references store on delete cascade,
  account_id  uuid not null references account on delete cascade,
  role        text not null check (role in ('owner', 'staff')),
  -- Of staff. Owners have every permission, also those that a later release adds.
  permissions text[] not null default '{}',
  created_at  timestamptz(3) not null default now(),
  role_id     uuid,
  primary key (store_id, account_id),
  foreign key (store_id, role_id) references staff_role (store_id, id),
  -- Whoever has a role has no permissions of their own, so that there is one place that says what they may do.
  check (role_id is null or (role = 'staff' and permissions = '{}'))
);
select store_table('membership');
create index membership_account on membership (account_id);
create index membership_role on membership (store_id, role_id) where role_id is not null;
create trigger membership_changed after insert or update or delete on membership
  for each row execute function announce_account_change();

-- A developer of an app.
create table app_member (
  app_id     uuid not null references app on delete cascade,
  account_id uuid not null references account on delete cascade,
  created_at timestamptz(3) not null default now(),
  primary key (app_id, account_id)
);
create index app_member_account on app_member (account_id);
create trigger app_member_changed after insert or update or delete on app_member
  for each row execute function announce_account_change();

-- A role that was offered and not accepted yet. It belongs to whoever redeems the link of this invitation, after signing
-- in or creating an account, and to nobody before: the email is what the inviter typed, and nobody has proven it.
create table invitation (
  id          uuid primary key default new_id(),
  role        text not null check (role in ('operator', 'owner', 'staff', 'developer')),
  -- Without a reference: in a distributed database this table is on the coordinator and stores are everywhere.
  store_id    uuid,
  app_id      uuid references app on delete cascade,
  permissions text[] not null default '{}',
  email       text not null check (email <> ''),
  email_key   text not null,
  name        text not null default '',
  -- Null: the command line. The link works only while the inviter may still grant the role.
  invited_by  uuid references account on delete cascade,
  created_at  timestamptz(3) not null default now(),
  role_id     uuid,
  foreign key (store_id, role_id) references staff_role (store_id, id),
  check ((role in ('owner', 'staff')) = (store_id is not null)),
  check ((role = 'developer') = (app_id is not null)),
  -- As of memberships.
  check (role_id is null or (role = 'staff' and permissions = '{}')),
  unique nulls not distinct (store_id, app_id, email_key)
);
select store_table('invitation');
create index invitation_inviter on invitation (invited_by);
create index invitation_app on invitation (app_id);
create index invitation_role on invitation (store_id, role_id) where role_id is not null;

-- A link that works once: it creates the first operator, accepts an invitation, or sets a new password.
create table one_time_link (
  id            uuid primary key default new_id(),
  kind          text not null check (kind in ('first', 'invite', 'reset')),
  -- SHA-256 of the code. The first code is derived from the service's secret and this salt instead, so that every node
  -- can print it while nothing readable is stored.
  code_hash     bytea unique check (length(code_hash) = 32),
  salt          text,
  account_id    uuid references account on delete cascade,
  created_at    timestamptz(3) not null default now(),
  expires_at    timestamptz(3) not null,
  invitation_id uuid references invitation on delete cascade,
  check (case kind
    when 'first' then salt is not null
    when 'invite' then code_hash is not null and invitation_id is not null
    else code_hash is not null and account_id is not null end)
);
create unique index one_time_link_first on one_time_link (kind) where kind = 'first';
create index one_time_link_account on one_time_link (account_id);
create unique index one_time_link_invitation on one_time_link (invitation_id);

-- A browser in which a person is signed in.
create table session (
  id               uuid primary key default new_id(),
  -- SHA-256 of the 256 random bits in the cookie.
  secret_hash      bytea not null unique check (length(secret_hash) = 32),
  account_id       uuid not null references account on delete cascade,
  agent            text not null default '',
  created_at       timestamptz(3) not null default now(),
  -- Written once a minute at most.
  used_at          timestamptz(3) not null default now(),
  -- When the password was last given.
  confirmed_at     timestamptz(3) not null default now(),
  -- When it has given a second factor. Before that, a session of somebody who has one may do nothing else.
  second_factor_at timestamptz(3),
  -- What a passkey has to sign next: used once.
  challenge        text,
  challenge_until  timestamptz(3)
);
create index session_account on session (account_id);
create index session_age on session (used_at);

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
-- The log is read by page, and by the person, the store or the kind of act.
create index audit_entry_account on audit_entry (account_id, at);
create index audit_entry_store on audit_entry (store_id, at);
create index audit_entry_act on audit_entry (act, at);
