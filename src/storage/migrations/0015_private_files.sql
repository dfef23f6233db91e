-- Who may fetch the bytes of a file stands beside it, since every address of it that is shown or asked for depends on it.
alter table file
  -- Something public shows it: an image of a product, variant or landing page, a public video, a published review.
  add column is_public boolean not null default false,
  -- A buyer pays for it, or once did. Never false again: a file that was sold must not become public by being unlinked.
  add column was_sold boolean not null default false;

create function is_shown_publicly(store uuid, file uuid) returns boolean language sql stable as $$
  select exists (
    select from file_link l left join review r on r.store_id = l.store_id and r.id = l.review_id
    where l.store_id = store and l.file_id = file
      and (l.role in ('product_images', 'variant_image', 'landing_page_images', 'ugc_video')
        or l.role = 'review_images' and r.status = 'published'))
$$;

create function is_sold(store uuid, file uuid) returns boolean language sql stable as $$
  select exists (
    select from file_link l where l.store_id = store and l.file_id = file and l.role = 'digital_product')
$$;

-- Documents are never public: a role that shows something takes pictures and videos only.
create function is_public_type(mime_type text) returns boolean language sql immutable as $$
  select split_part(mime_type, '/', 1) in ('image', 'video')
$$;

update file set was_sold = is_sold(store_id, id),
  is_public = not is_sold(store_id, id) and is_public_type(mime_type) and is_shown_publicly(store_id, id)
where exists (select from file_link l where l.store_id = file.store_id and l.file_id = file.id);

-- Locked first and looked at after: of two changes that are made at once, each would miss the other.
create function note_links(stores uuid[], files uuid[]) returns void language plpgsql as $$
begin
  perform from file f where (f.store_id, f.id) in (select * from unnest(stores, files))
    order by f.store_id, f.id for no key update;
  update file f set owner_kinds = n.owner_kinds, was_sold = n.was_sold, is_public = n.is_public
  from (
    select s.store_id, s.id, kinds_of_owners(s.store_id, s.id) as owner_kinds, s.was_sold,
      not s.was_sold and is_public_type(s.mime_type) and is_shown_publicly(s.store_id, s.id) as is_public
    from (
      select l.store_id, l.id, l.mime_type, l.was_sold or is_sold(l.store_id, l.id) as was_sold
      from file l where (l.store_id, l.id) in (select * from unnest(stores, files))
    ) s
  ) n
  where f.store_id = n.store_id and f.id = n.id
    and (f.owner_kinds, f.was_sold, f.is_public) is distinct from (n.owner_kinds, n.was_sold, n.is_public);
end $$;

create or replace function note_owners() returns trigger language plpgsql as $$
begin
  -- A review whose status changes at this moment is waited for. The order is the one of that change: review, then file.
  if tg_op <> 'DELETE' then
    perform from review r where (r.store_id, r.id) in (select store_id, review_id from changed)
      order by r.store_id, r.id for share;
  end if;
  perform note_links(array_agg(store_id), array_agg(file_id)) from changed having count(*) > 0;
  return null;
end $$;

create function note_review_status() returns trigger language plpgsql as $$
begin
  perform note_links(array_agg(l.store_id), array_agg(l.file_id)) from file_link l
    where l.store_id = new.store_id and l.review_id = new.id having count(*) > 0;
  return null;
end $$;
create trigger review_status_changed after update of status on review
  for each row when (old.status is distinct from new.status) execute function note_review_status();

-- How many bytes a store keeps, counted as everything else is: each change adds its difference.
create function tally_blob() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into tally select r.store_id, 'blob', 'bytes', sum(r.size) from changed r group by 1;
  else
    insert into tally select r.store_id, 'blob', 'bytes', -sum(r.size) from changed r
    where exists (select from store s where s.id = r.store_id) group by 1;
  end if;
  return null;
end $$;
create trigger tally_insert after insert on blob referencing new table as changed
  for each statement execute function tally_blob();
create trigger tally_delete after delete on blob referencing old table as changed
  for each statement execute function tally_blob();
insert into tally select store_id, 'blob', 'bytes', sum(size) from blob group by 1;
