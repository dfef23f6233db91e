-- A role that was offered and not accepted yet. It belongs to whoever redeems the link of this invitation, after signing
-- in or creating an account, and to nobody before: the email is what the inviter typed, and nobody has proven it.
-- Accounts used to be created by the first invitation of an email, and further roles were granted to that account, so
-- the link of one store gave access to another.
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
  check ((role in ('owner', 'staff')) = (store_id is not null)),
  check ((role = 'developer') = (app_id is not null)),
  unique nulls not distinct (store_id, app_id, email_key)
);
alter table invitation alter column store_id set (n_distinct = 1);
create index invitation_inviter on invitation (invited_by);
create index invitation_app on invitation (app_id);

-- What was granted to accounts that nobody has proven becomes an invitation. Their links end: it is not known which of
-- several inviters has one. An owner or the command line makes a new link. Nothing is kept of disabled accounts.
insert into invitation (role, store_id, permissions, email, email_key, name, created_at)
  select m.role, m.store_id, m.permissions, a.email, a.email_key, a.name, m.created_at
  from membership m join account a on a.id = m.account_id where a.password is null and a.disabled_at is null;
insert into invitation (role, app_id, email, email_key, name, created_at)
  select 'developer', m.app_id, a.email, a.email_key, a.name, m.created_at
  from app_member m join account a on a.id = m.account_id where a.password is null and a.disabled_at is null;
insert into invitation (role, email, email_key, name, created_at)
  select 'operator', a.email, a.email_key, a.name, a.created_at
  from account a where a.is_operator and a.password is null and a.disabled_at is null;
delete from account where password is null;
alter table account alter column password set not null;

delete from one_time_link where kind = 'invite';
alter table one_time_link add column invitation_id uuid references invitation on delete cascade;
create unique index one_time_link_invitation on one_time_link (invitation_id);
alter table one_time_link drop constraint one_time_link_check;
alter table one_time_link add constraint one_time_link_check check (case kind
  when 'first' then salt is not null
  when 'invite' then code_hash is not null and invitation_id is not null
  else code_hash is not null and account_id is not null end);
