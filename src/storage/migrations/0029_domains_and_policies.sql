-- A store's own domain is one of its domains, the primary one. So host names are unique across all stores, whether they
-- are given to a store or added later.
alter table domain
  add column is_primary boolean not null default false,
  add column updated_at timestamptz(3) not null default now();
insert into domain (store_id, host, is_primary) select s.id, s.domain, true from store s on conflict do nothing;
update domain d set is_primary = true from store s
where s.id = d.store_id and lower(s.domain) = lower(d.host) and not d.is_primary;
create unique index domain_primary on domain (store_id) where is_primary;
create index domain_created on domain (store_id, created_at, id);
select count_rows('domain', $$array['']$$);

create table policy (
  store_id     uuid not null references store on delete cascade,
  id           uuid not null default new_id(),
  type         text not null check (type in ('refund', 'privacy', 'terms', 'shipping', 'custom')),
  title        text not null check (title <> ''),
  slug         text not null check (slug <> ''),
  content      text not null default '',
  is_published boolean not null default false,
  created_at   timestamptz(3) not null default now(),
  updated_at   timestamptz(3) not null default now(),
  primary key (store_id, id)
);
create unique index policy_slug on policy (store_id, slug_key(slug));
-- A store has one policy of each type, and any number of its own.
create unique index policy_type on policy (store_id, type) where type <> 'custom';
create index policy_created on policy (store_id, created_at, id);
create index policy_updated on policy (store_id, updated_at, id);
create index policy_by_type on policy (store_id, type, created_at, id);
create index policy_by_state on policy (store_id, is_published, created_at, id);
select count_rows('policy', $$array['', 'type=' || r.type, 'is_published=' || r.is_published]$$);
