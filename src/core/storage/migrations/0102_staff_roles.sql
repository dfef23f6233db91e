-- Permissions of staff under a name. Stores used to repeat the same list for each packer or agent, and could not change it
-- for all of them at once.
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

-- Whoever has a role has no permissions of their own, so that there is one place that says what they may do.
alter table membership add column role_id uuid;
alter table membership add check (role_id is null or (role = 'staff' and permissions = '{}'));
alter table membership add foreign key (store_id, role_id) references staff_role (store_id, id);
create index membership_role on membership (store_id, role_id) where role_id is not null;
alter table invitation add column role_id uuid;
alter table invitation add check (role_id is null or (role = 'staff' and permissions = '{}'));
alter table invitation add foreign key (store_id, role_id) references staff_role (store_id, id);
create index invitation_role on invitation (store_id, role_id) where role_id is not null;

create trigger staff_role_changed after update or delete on staff_role
  for each row execute function announce_account_change();
