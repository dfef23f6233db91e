-- Which kinds of resources a file belongs to, beside it, so that the files of one kind are found in the sequence of the
-- list and counted without being looked at.
alter table file add column owner_kinds text[] not null default '{}';

create function kinds_of_owners(store uuid, file uuid) returns text[] language sql stable as $$
  select coalesce(array_agg(distinct case when l.product_id is not null then 'product'
      when l.variant_id is not null then 'variant' when l.landing_page_id is not null then 'landing_page'
      else 'review' end), '{}')
  from file_link l where l.store_id = store and l.file_id = file
$$;

update file set owner_kinds = kinds_of_owners(store_id, id)
where exists (select from file_link l where l.store_id = file.store_id and l.file_id = file.id);

create index file_of_product on file (store_id, created_at, id) where 'product' = any(owner_kinds);
create index file_of_variant on file (store_id, created_at, id) where 'variant' = any(owner_kinds);
create index file_of_landing_page on file (store_id, created_at, id) where 'landing_page' = any(owner_kinds);
create index file_of_review on file (store_id, created_at, id) where 'review' = any(owner_kinds);

-- Locked first and looked at after: of two links that are made at once, each would miss the other.
create function note_owners() returns trigger language plpgsql as $$
begin
  perform from file f where (f.store_id, f.id) in (select store_id, file_id from changed)
    order by f.store_id, f.id for no key update;
  update file f set owner_kinds = kinds_of_owners(f.store_id, f.id)
  where (f.store_id, f.id) in (select store_id, file_id from changed)
    and f.owner_kinds is distinct from kinds_of_owners(f.store_id, f.id);
  return null;
end $$;
create trigger link_added after insert on file_link referencing new table as changed
  for each statement execute function note_owners();
create trigger link_removed after delete on file_link referencing old table as changed
  for each statement execute function note_owners();
-- A link may pass from one file to another.
create trigger link_left after update on file_link referencing old table as changed
  for each statement execute function note_owners();
create trigger link_taken after update on file_link referencing new table as changed
  for each statement execute function note_owners();

-- More facets to tally: what has them is counted once here, and then with each change.
do $$
declare
  counted record;
begin
  for counted in select * from (values
    ('orders', $e$array['', 'status=' || r.status, 'is_cancelled=' || r.is_cancelled, 'is_archived=' || r.is_archived,
        'day=' || utc_day(r.created_at)]
      || array(select 'delivery_status=' || s from unnest(r.delivery_statuses) s)
      || array(select 'return_status=' || s from unnest(r.return_statuses) s)
      || array(select 'refund_status=' || s from unnest(r.refund_statuses) s)$e$,
      $e$array['updated=' || utc_day(r.updated_at)]$e$),
    ('review', $e$array['', 'status=' || r.status]$e$, $e$array['rating=' || r.rating]$e$),
    ('file', $e$array['', 'day=' || utc_day(r.created_at)]$e$,
      $e$array['mime_type=' || r.mime_type, 'mime_type=' || split_part(r.mime_type, '/', 1) || '/*']
      || array(select 'fileable_type=' || k from unnest(r.owner_kinds) k)$e$)
  ) tables (name, facets, new_facets) loop
    execute format($f$
      create or replace function tally_%1$s() returns trigger language plpgsql as $t$
      begin
        if tg_op = 'INSERT' then
          insert into tally select r.store_id, %1$L, f, count(*) from added r, unnest(%2$s || %3$s) f group by 1, 3;
        elsif tg_op = 'DELETE' then
          -- A store that is removed takes its rows along; then there is nothing left to count for.
          insert into tally select r.store_id, %1$L, f, -count(*) from removed r, unnest(%2$s || %3$s) f
          where exists (select from store s where s.id = r.store_id) group by 1, 3;
        else
          insert into tally select store_id, %1$L, f, sum(delta) from (
            select r.store_id, f, 1 as delta from added r, unnest(%2$s || %3$s) f
            union all select r.store_id, f, -1 from removed r, unnest(%2$s || %3$s) f
          ) changes group by 1, 3 having sum(delta) <> 0;
        end if;
        return null;
      end $t$;
      insert into tally select r.store_id, %1$L, f, count(*) from %1$I r, unnest(%3$s) f group by 1, 3;
    $f$, counted.name, counted.facets, counted.new_facets);
  end loop;
end $$;
