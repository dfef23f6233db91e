-- How apps that people install get their tokens.
--
-- A client without a secret runs on somebody's own computer, so its tokens may do what that person may, and no more: its grants
-- and codes name an account, and end with the row of connected_assistant. Those of an app with a secret name none.

-- What was granted to an app on a store. An access token of /oauth/token names its grant, and ends with it.
create table oauth_grant (
  id              uuid primary key default new_id(),
  app_id          uuid not null references app on delete cascade,
  installation_id uuid not null references installation on delete cascade,
  expires_at      timestamptz(3) not null,
  created_at      timestamptz(3) not null default now(),
  account_id      uuid references account on delete cascade,
  foreign key (installation_id, account_id) references connected_assistant (installation_id, account_id) on delete cascade
);
create index oauth_grant_app on oauth_grant (app_id);
create index oauth_grant_installation on oauth_grant (installation_id);
create index oauth_grant_age on oauth_grant (expires_at);
create index oauth_grant_account on oauth_grant (account_id) where account_id is not null;
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
  grant_id        uuid,
  account_id      uuid references account on delete cascade,
  foreign key (installation_id, account_id) references connected_assistant (installation_id, account_id) on delete cascade
);
create index oauth_code_app on oauth_code (app_id);
create index oauth_code_installation on oauth_code (installation_id);
create index oauth_code_age on oauth_code (expires_at);
create index oauth_code_account on oauth_code (account_id) where account_id is not null;

-- A refresh token. A used one is kept as long as its grant, for the same reason.
create table oauth_refresh (
  token_hash bytea primary key,
  grant_id   uuid not null references oauth_grant on delete cascade,
  used_at    timestamptz(3)
);
create index oauth_refresh_grant on oauth_refresh (grant_id);
