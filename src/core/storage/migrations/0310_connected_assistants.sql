-- An assistant that a person has connected to a store: a client without a secret, which may do what the person has ticked for
-- it, and what the person and the installation may still do. The installation is shared by all people of the store who
-- connected the same assistant; this row is one person's.
create table connected_assistant (
  id              uuid primary key default new_id(),
  installation_id uuid not null references installation on delete cascade,
  account_id      uuid not null references account on delete cascade,
  permissions     text[] not null,
  connected_at    timestamptz(3) not null default now(),
  last_used_at    timestamptz(3),
  -- Counted in the background, while calls are logged.
  calls           bigint not null default 0,
  unique (installation_id, account_id)
);
create index connected_assistant_account on connected_assistant (account_id);

-- Until now, what the installation may do was the limit for everybody.
insert into connected_assistant (installation_id, account_id, permissions, connected_at, last_used_at)
  select g.installation_id, g.account_id, i.permissions, min(g.since), max(g.since)
  from (
    select installation_id, account_id, created_at as since from oauth_grant
    union all select installation_id, account_id, expires_at from oauth_code
  ) g join installation i on i.id = g.installation_id
  where g.account_id is not null group by 1, 2, 3;

-- Its tokens end with it.
alter table oauth_grant add foreign key (installation_id, account_id)
  references connected_assistant (installation_id, account_id) on delete cascade;
alter table oauth_code add foreign key (installation_id, account_id)
  references connected_assistant (installation_id, account_id) on delete cascade;

-- Every node keeps in memory what a grant may do.
create trigger connected_assistant_changed after update of permissions on connected_assistant
  for each row execute function announce_account_change();
