-- Files, their bytes, and what they belong to.

-- Bytes, once per store and content. Files point here.
create table blob (
  store_id      uuid not null references store on delete cascade,
  sha256        bytea not null check (length(sha256) = 32),
  size          bigint not null check (size >= 0),
  mime_type     text not null,
  has_thumbnail boolean not null default false,
  created_at    timestamptz(3) not null default now(),
  primary key (store_id, sha256)
);
select store_table('blob');
-- How many bytes a store keeps, counted as everything else is: each change adds its difference.
create function tally_blob() returns trigger language plpgsql as $$
declare
  owner record;
begin
  for owner in select r.store_id, sum(r.size)::bigint as size from changed r group by 1 loop
    if tg_op = 'INSERT' then
      insert into "tally" (store_id, kind, facet, delta) values (owner.store_id, 'blob', 'bytes', owner.size);
    elsif exists (select 1 from "store" s where s.id = owner.store_id) then
      insert into "tally" (store_id, kind, facet, delta) values (owner.store_id, 'blob', 'bytes', -owner.size);
    end if;
  end loop;
  return null;
end $$;
create trigger tally_insert after insert on blob referencing new table as changed
  for each statement execute function tally_blob();
create trigger tally_delete after delete on blob referencing old table as changed
  for each statement when (store_remains()) execute function tally_blob();

-- Bytes whose fate is open: an upload whose row is not written yet, or a deletion whose bytes may still lie there.
-- The claim is committed before bytes are placed or a row is deleted, and goes once the matter is settled. So what a
-- crash leaves behind is found here, and neither the disk nor the table of files is ever searched for it.
create table blob_claim (
  store_id   uuid not null,
  id         uuid not null default new_id(),
  sha256     bytea not null,
  created_at timestamptz(3) not null default now(),
  primary key (store_id, id),
  -- Whoever wants to remove the bytes locks the blob first, and waits for whoever is claiming them.
  foreign key (store_id, sha256) references blob on delete cascade
);
select store_table('blob_claim');
create index blob_claim_blob on blob_claim (store_id, sha256);
create index blob_claim_age on blob_claim (created_at);

-- A file that was uploaded. What its links make of it stands beside it, so that lists are cut, counted and shown without a
-- look at the links.
create table file (
  store_id    uuid not null references store on delete cascade,
  id          uuid not null default new_id(),
  sha256      bytea not null,
  name        text not null,
  alt         text not null default '',
  size        bigint not null,
  -- Compared byte by byte, so that `image/*` is a range of the index.
  mime_type   text collate "C" not null,
  thumbnail   boolean not null default false,
  created_at  timestamptz(3) not null default now(),
  -- The kinds of resources it belongs to.
  owner_kinds text[] not null default '{}',
  -- Something public shows it: an image of a product, variant or landing page, a public video, a published review.
  is_public   boolean not null default false,
  -- A buyer pays for it, or once did. Never false again: a file that was sold must not become public by being unlinked.
  was_sold    boolean not null default false,
  updated_at  timestamptz(3) not null default now(),
  primary key (store_id, id),
  foreign key (store_id, sha256) references blob
);
select store_table('file');
create index file_blob on file (store_id, sha256);
create index file_created on file (store_id, created_at, id);
create index file_updated on file (store_id, updated_at, id);
create index file_type on file (store_id, mime_type, created_at, id);
-- Serves `image/*` in the sequence of the list; the whole type is there so that counting needs no row.
create index file_kind on file (store_id, split_part(mime_type, '/', 1), created_at, id) include (mime_type);
create index file_of_product on file (store_id, created_at, id) where 'product' = any(owner_kinds);
create index file_of_variant on file (store_id, created_at, id) where 'variant' = any(owner_kinds);
create index file_of_landing_page on file (store_id, created_at, id) where 'landing_page' = any(owner_kinds);
create index file_of_review on file (store_id, created_at, id) where 'review' = any(owner_kinds);
select count_rows('file', $$array['', 'day=' || utc_day(r.created_at), 'mime_type=' || r.mime_type,
    'mime_type=' || split_part(r.mime_type, '/', 1) || '/*', 'updated=' || utc_day(r.updated_at)]
  || facets('fileable_type=', r.owner_kinds)$$);
select capture_changes('file', hidden => '{sha256,owner_kinds,is_public,was_sold}', operations => '{update,delete}');
create trigger capture_insert after insert on file for each row execute function capture_created('file');
create trigger note_time_of_change before insert or update of updated_at on file
  for each row execute function note_time_of_change('created_at');

-- A place where a file is used. One column for each kind of owner instead of a type and a bare id, so that each link is a
-- real reference: it goes with the file or with its owner, and can point into no other store.
create table file_link (
  store_id        uuid not null,
  id              uuid not null default new_id(),
  file_id         uuid not null,
  role            text not null check (role in
    ('product_images', 'variant_image', 'digital_product', 'landing_page_images', 'review_images', 'ugc_video')),
  position        integer not null default 0,
  product_id      uuid,
  variant_id      uuid,
  landing_page_id uuid,
  review_id       uuid,
  primary key (store_id, id),
  foreign key (store_id, file_id) references file on delete cascade,
  foreign key (store_id, product_id) references product on delete cascade,
  foreign key (store_id, variant_id) references variant on delete cascade,
  foreign key (store_id, landing_page_id) references landing_page on delete cascade,
  foreign key (store_id, review_id) references review on delete cascade,
  check (num_nonnulls(product_id, variant_id, landing_page_id, review_id) = 1)
);
select store_table('file_link');
create index file_link_file on file_link (store_id, file_id);
create unique index file_link_product on file_link (store_id, product_id, role, file_id) where product_id is not null;
create unique index file_link_variant on file_link (store_id, variant_id, role) where variant_id is not null;
create unique index file_link_landing_page on file_link (store_id, landing_page_id, role, file_id)
  where landing_page_id is not null;
create unique index file_link_review on file_link (store_id, review_id, role, file_id) where review_id is not null;

create function capture_file_link() returns trigger language plpgsql as $$
declare
  owner     record;
  kinds     text[];
  resources uuid[];
  fields    text[];
begin
  for owner in
    select l.store_id, array_agg(l.product_id) as products, array_agg(l.variant_id) as variants,
      array_agg(l.landing_page_id) as landing_pages, array_agg(l.review_id) as reviews, array_agg(l.role) as roles
    from changed l group by l.store_id
  loop
    if not exists (select 1 from "store" s where s.id = owner.store_id) then continue; end if;
    select array_agg(c.kind), array_agg(c.id), array_agg(c.field) into kinds, resources, fields from (
      select distinct
        case when l.landing_page_id is not null then 'landing_page' when l.review_id is not null then 'review'
          else 'product' end as kind,
        coalesce(l.product_id, v.product_id, l.landing_page_id, l.review_id) as id,
        case l.role when 'variant_image' then 'variants.image' when 'digital_product' then 'variants.file'
          when 'ugc_video' then 'ugc_videos' else 'images' end as field
      from unnest(owner.products, owner.variants, owner.landing_pages, owner.reviews, owner.roles)
          l (product_id, variant_id, landing_page_id, review_id, role)
        left join "variant" v on v.store_id = owner.store_id and v.id = l.variant_id
    ) c where c.id is not null;
    insert into "change" (store_id, kind, resource_id, op, changed)
    select owner.store_id, x.kind, x.id, 'u'::"char", array[x.field] from unnest(kinds, resources, fields) x (kind, id, field);
  end loop;
  return null;
end $$;
create trigger capture_insert after insert on file_link referencing new table as changed
  for each statement execute function capture_file_link();
create trigger capture_delete after delete on file_link referencing old table as changed
  for each statement when (store_remains()) execute function capture_file_link();
create trigger capture_update after update on file_link referencing new table as changed
  for each statement execute function capture_file_link();

-- Documents are never public: a role that shows something takes pictures and videos only.
create function is_public_type(mime_type text) returns boolean language sql immutable as $$
  select split_part(mime_type, '/', 1) in ('image', 'video')
$$;

-- Locked first and looked at after: of two changes that are made at once, each would miss the other. updated_at stays: a link
-- is a change of what the file is linked to.
create function note_links(store uuid, files uuid[]) returns void language plpgsql as $$
begin
  perform 1 from file f where f.store_id = store and f.id = any(files) order by f.id for no key update;
  update file f set owner_kinds = n.owner_kinds, was_sold = n.was_sold, is_public = n.is_public
  from (
    select s.id, s.owner_kinds, s.was_sold, not s.was_sold and is_public_type(s.mime_type) and s.shown as is_public
    from (
      select g.id, g.mime_type,
        coalesce(array_agg(distinct case when l.product_id is not null then 'product'
          when l.variant_id is not null then 'variant' when l.landing_page_id is not null then 'landing_page'
          else 'review' end) filter (where l.file_id is not null), '{}') as owner_kinds,
        g.was_sold or coalesce(bool_or(l.role = 'digital_product'), false) as was_sold,
        coalesce(bool_or(l.role in ('product_images', 'variant_image', 'landing_page_images', 'ugc_video')
          or l.role = 'review_images' and r.status = 'published'), false) as shown
      from file g left join file_link l on l.store_id = store and l.file_id = g.id
        left join review r on r.store_id = store and r.id = l.review_id
      where g.store_id = store and g.id = any(files)
      group by g.id, g.mime_type, g.was_sold
    ) s
  ) n
  where f.store_id = store and f.id = n.id
    and (f.owner_kinds, f.was_sold, f.is_public) is distinct from (n.owner_kinds, n.was_sold, n.is_public);
end $$;

create function note_owners() returns trigger language plpgsql as $$
declare
  owner record;
begin
  for owner in
    select c.store_id, array_agg(distinct c.file_id) as files,
      array_agg(distinct c.review_id) filter (where c.review_id is not null) as reviews
    from changed c group by c.store_id order by c.store_id
  loop
    -- A review whose status changes at this moment is waited for. The order is the one of that change: review, then file.
    if tg_op <> 'DELETE' and owner.reviews is not null then
      perform 1 from "review" r where r.store_id = owner.store_id and r.id = any(owner.reviews) order by r.id for share;
    end if;
    perform note_links(owner.store_id, owner.files);
  end loop;
  return null;
end $$;
create trigger link_added after insert on file_link referencing new table as changed
  for each statement execute function note_owners();
create trigger link_removed after delete on file_link referencing old table as changed
  for each statement when (store_remains()) execute function note_owners();
-- A link may pass from one file to another.
create trigger link_left after update on file_link referencing old table as changed
  for each statement execute function note_owners();
create trigger link_taken after update on file_link referencing new table as changed
  for each statement execute function note_owners();

create function note_review_status() returns trigger language plpgsql as $$
declare
  files uuid[];
begin
  select array_agg(l.file_id) into files from "file_link" l where l.store_id = new.store_id and l.review_id = new.id;
  if files is not null then perform note_links(new.store_id, files); end if;
  return null;
end $$;
create trigger review_status_changed after update of status on review
  for each row when (old.status is distinct from new.status) execute function note_review_status();
