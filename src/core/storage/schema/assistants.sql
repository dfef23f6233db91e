-- Assistants that people connect to a store, and what these have planned.

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
create trigger connected_assistant_changed after update of permissions on connected_assistant
  for each row execute function announce_account_change();

-- What an assistant has planned and shown. Applying needs only the plan's id and its signature, which a model can repeat;
-- two hundred changes it could not. A row is deleted an hour after it has ended.
create table assistant_plan (
  store_id        uuid not null references store on delete cascade,
  id              uuid not null default new_id(),
  installation_id uuid not null,
  operation       text not null,
  -- JSON: what each request sends, and the version that it was shown with. Text, because the signature covers it.
  items           text not null,
  expires_at      timestamptz(3) not null,
  started_at      timestamptz(3),
  -- Of the one request that applies it. After a crash another one goes on when the lease has ended.
  lease           uuid,
  lease_until     timestamptz(3),
  -- Set when all items were tried: a sentence about the result.
  result          text,
  primary key (store_id, id)
);
select store_table('assistant_plan');
