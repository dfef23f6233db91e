-- Imports of many lines. The input is a blob; a server process with the lease works on it, a batch of lines per
-- transaction. Each batch records its results and where the next one starts in that same transaction, so that a killed
-- process leaves no line done twice and none left out.

-- An import.
create table bulk_job (
  store_id        uuid not null references store on delete cascade,
  id              uuid not null,
  resource        text not null,
  mode            text not null check (mode in ('create', 'upsert', 'update')),
  match           text,
  dry_run         boolean not null,
  -- Who started it. The permissions of the installation are checked while it runs.
  app_id          uuid,
  app_name        text not null,
  installation_id uuid,
  status          text not null default 'receiving'
    check (status in ('receiving', 'waiting', 'running', 'done', 'cancelled', 'failed')),
  error           text,
  has_input       boolean not null default false,
  bytes           bigint not null default 0,
  lines           integer not null default 0,
  next_byte       bigint not null default 0,
  next_line       integer not null default 1,
  created         integer not null default 0,
  updated         integer not null default 0,
  failed          integer not null default 0,
  worked_ms       bigint not null default 0,
  leased_by       uuid,
  leased_until    timestamptz(3),
  -- Jobs of several stores take turns.
  turn_at         timestamptz(3) not null default now(),
  created_at      timestamptz(3) not null default now(),
  started_at      timestamptz(3),
  updated_at      timestamptz(3) not null default now(),
  finished_at     timestamptz(3),
  -- A job that a person starts in the console goes on with the permissions of that person.
  account_id      uuid,
  -- Leases that were never given back since the job last made progress: of a line that kills its process or keeps it busy for
  -- ever, which every process that takes the job up would try again.
  deaths          integer not null default 0,
  primary key (store_id, id),
  check ((finished_at is not null) = (status in ('done', 'cancelled', 'failed')))
);
select store_table('bulk_job');
create index bulk_job_open on bulk_job (turn_at) where finished_at is null;
create index bulk_job_finished on bulk_job (finished_at) where finished_at is not null;
create index bulk_job_created_at on bulk_job (store_id, created_at, id);

-- The results of one batch as NDJSON.
create table bulk_result (
  store_id   uuid not null,
  job_id     uuid not null,
  first_line integer not null,
  lines      text not null,
  primary key (store_id, job_id, first_line),
  foreign key (store_id, job_id) references bulk_job on delete cascade
);
select store_table('bulk_result');
