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
