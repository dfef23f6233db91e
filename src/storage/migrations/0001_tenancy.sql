-- Trigram and btree operator classes let one index answer "in this store, text containing ...".
-- Both extensions are trusted: the owner of a database may create them.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- Time-ordered ids (UUID version 7) keep index inserts local; PostgreSQL 15 to 17 have no uuidv7().
create function new_id() returns uuid language sql volatile parallel safe as $$
  select (
    lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
    || '7' || substr(gen_random_uuid()::text, 16)
  )::uuid
$$;

create function iso(at timestamptz) returns text language sql stable parallel safe as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

create table setting (
  name  text primary key,
  value text not null
);

create table country (
  id         text primary key check (id ~ '^[A-Z]{2}$'),
  iso3       text not null unique check (iso3 ~ '^[A-Z]{3}$'),
  name       text not null,
  phone_code text not null,
  currency   text not null
);

create table store (
  id         uuid primary key default new_id(),
  name       text not null check (name <> ''),
  domain     text not null check (domain <> ''),
  currency   text not null check (currency ~ '^[A-Z]{3}$'),
  created_at timestamptz(3) not null default now()
);
create unique index store_domain on store (lower(domain));

create table app (
  id           uuid primary key default new_id(),
  name         text not null check (name <> ''),
  client_id    text not null unique,
  -- SHA-256 of a 256-bit random secret: nothing to guess, so nothing to slow down.
  secret_hash  bytea not null check (length(secret_hash) = 32),
  -- Carried by each token; raising it revokes every token issued before.
  generation   integer not null default 1,
  disabled_at  timestamptz(3),
  last_used_at timestamptz(3),
  created_at   timestamptz(3) not null default now()
);

create table installation (
  id          uuid primary key default new_id(),
  store_id    uuid not null references store on delete cascade,
  app_id      uuid not null references app on delete cascade,
  permissions text[] not null,
  created_at  timestamptz(3) not null default now(),
  unique (store_id, app_id)
);
create index installation_app on installation (app_id);

-- Every node keeps apps and installations in memory. The announcement is a trigger, so that no way of
-- changing them, psql included, can forget it.
create function announce_access_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('access_changed', tg_table_name || ':' || coalesce(new.id, old.id)::text);
  return null;
end $$;
create trigger app_changed after update of secret_hash, generation, disabled_at or delete on app
  for each row execute function announce_access_change();
create trigger installation_changed after update or delete on installation
  for each row execute function announce_access_change();

-- The answer to a write, stored in the transaction of that write: a retry after a lost reply finds it.
create table idempotency (
  installation_id uuid not null references installation on delete cascade,
  key             text not null,
  request_hash    bytea not null,
  status          smallint,
  body            text,
  created_at      timestamptz(3) not null default now(),
  primary key (installation_id, key)
);
create index idempotency_age on idempotency (created_at);

-- Counters of a minute; losing them in a crash is harmless, so they cost no WAL.
create unlogged table rate_window (
  key          text primary key,
  window_start timestamptz(3) not null,
  used         integer not null
);
create index rate_window_age on rate_window (window_start);
