-- A second factor of a person, besides the password: an authenticator app or a passkey, and codes for the day when both are
-- lost. Whether one is required is the row 'second_factor' of `setting`.

-- The authenticator app of a person. Its secret follows from the service's own secret and a salt, so nothing here gives a code.
create table authenticator (
  account_id    uuid primary key references account on delete cascade,
  -- Null until the first code was given.
  salt          text,
  -- Of a secret that was shown and not confirmed by a code yet.
  pending_salt  text,
  pending_until timestamptz(3),
  -- The time step of the last accepted code: neither this one nor an earlier one is accepted again.
  last_step     bigint not null default 0,
  created_at    timestamptz(3) not null default now()
);

-- A code that works once, for a person who has lost the other factors.
create table recovery_code (
  account_id uuid not null references account on delete cascade,
  -- SHA-256 of 80 random bits.
  code_hash  bytea not null check (length(code_hash) = 32),
  used_at    timestamptz(3),
  primary key (account_id, code_hash)
);

-- A passkey of a person.
create table passkey (
  id            uuid primary key default new_id(),
  account_id    uuid not null references account on delete cascade,
  -- Base64url, as browsers write it.
  credential_id text not null unique,
  -- SPKI in DER, and the COSE number of its signatures.
  public_key    bytea not null,
  algorithm     integer not null,
  -- Raised with each use by keys that count; a lower one betrays a copy.
  counter       bigint not null default 0,
  transports    text[] not null default '{}',
  name          text not null,
  created_at    timestamptz(3) not null default now(),
  used_at       timestamptz(3)
);
create index passkey_account on passkey (account_id);
