-- The operator sells hosting: plans with limits, and an invoice for each period. As long as there is no plan, nothing is
-- limited.

-- A plan that stores can subscribe to.
create table plan (
  id         uuid primary key default new_id(),
  name       text not null,
  price      numeric(15, 3) not null check (price >= 0),
  currency   text not null,
  period     text not null default 'month' check (period in ('month', 'year')),
  -- The limits that the plan has, by name: {"products": 5000}.
  limits     jsonb not null default '{}',
  -- Stores cannot switch to a plan that is no longer offered. Those that have it keep it.
  is_offered boolean not null default true,
  created_at timestamptz(3) not null default now()
);
create unique index plan_name on plan (lower(name));

-- The plan of a store and the period that has been invoiced.
create table subscription (
  store_id     uuid primary key references store on delete cascade,
  plan_id      uuid not null references plan,
  -- Periods are counted from here, so that those that begin on the 31st do not drift to the 28th.
  anchor       timestamptz(3) not null,
  periods      integer not null default 1,
  period_start timestamptz(3) not null,
  period_end   timestamptz(3) not null,
  -- Takes effect at the end of the period.
  next_plan_id uuid references plan,
  created_at   timestamptz(3) not null default now()
);
select store_table('subscription');
create index subscription_end on subscription (period_end);
create index subscription_plan on subscription (plan_id);
create index subscription_next_plan on subscription (next_plan_id);

-- How many orders a store whose plan limits them has placed in a month. Deleting an order does not give its place back.
create table order_use (
  store_id uuid not null references store on delete cascade,
  month    date not null,
  used     integer not null,
  primary key (store_id, month)
);
select store_table('order_use');

-- What a store owes or has paid to the operator. It stays when the store is removed: numbers have no gaps.
create table invoice (
  store_id     uuid not null,
  id           uuid not null default new_id(),
  number       bigint not null unique,
  store_name   text not null,
  seller       text not null,
  period_start timestamptz(3) not null,
  period_end   timestamptz(3) not null,
  -- [{"text": "Pro", "amount": 49}]
  lines        jsonb not null,
  currency     text not null,
  subtotal     numeric(15, 3) not null,
  tax_percent  numeric(5, 2) not null,
  tax          numeric(15, 3) not null,
  total        numeric(15, 3) not null,
  status       text not null default 'open' check (status in ('open', 'paid', 'void')),
  due_at       timestamptz(3) not null,
  paid_at      timestamptz(3),
  -- Names the payment in the operator's books.
  reference    text,
  created_at   timestamptz(3) not null default now(),
  primary key (store_id, id)
);
select store_table('invoice');

-- Nodes keep the limits of a store with its installations. The ids are those of installations, but any change clears all.
create function announce_plan_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('access_changed', tg_table_name);
  return null;
end $$;
create trigger plan_changed after update of limits on plan
  for each row execute function announce_plan_change();
create trigger subscription_changed after insert or update of plan_id or delete on subscription
  for each row execute function announce_plan_change();
