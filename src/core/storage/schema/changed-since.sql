-- What makes lists by `updated_at` complete.
--
-- A list by `updated_at` must not show a change while an earlier one may still become visible: whoever continues at the
-- latest time would never see the earlier one. A time is taken during a transaction, and visible when it is committed. So
-- each transaction that sets such a time holds a lock whose key says when it began, from before it takes the time until
-- its rows are visible. Whoever looks at these locks first and reads rows after knows from when on changes may be missing.

-- The upper half of a key. 32 groups of stores: a long transaction concerns few other stores, and one that writes all
-- stores holds few locks.
create function change_lock_group(store uuid) returns integer language sql immutable parallel safe as $$
  select 7303100 + (hashtext(store::text) & 31)
$$;
-- The lower half is a time in milliseconds, without the bits that do not fit.
create function change_lock_time(moment timestamptz) returns bigint language sql immutable parallel safe as $$
  select floor(extract(epoch from moment) * 1000)::bigint & 4294967295
$$;

-- Sets updated_at. A time of this transaction becomes the time of this moment, after the lock is held. Other times, such as
-- those of imported rows, stay. Cut and not rounded: a time is never ahead of the clock.
--
-- Its triggers are named to run after keep_updated_at. They run for every update that sets the time, even to the one that the
-- row has: a statement that waited for the row may have begun in the millisecond of the other change.
create function note_time_of_change() returns trigger language plpgsql as $$
declare
  given timestamptz := new.updated_at;
begin
  if given < date_trunc('milliseconds', now()) or given > clock_timestamp() + interval '1 millisecond' then
    return new;
  end if;
  perform pg_advisory_xact_lock_shared((change_lock_group(new.store_id)::bigint << 32) | change_lock_time(now()));
  new.updated_at := date_trunc('milliseconds', clock_timestamp());
  -- A new row has changed when it was created.
  if tg_op = 'INSERT' and tg_argv[0] = 'created_at' and new.created_at = given then
    new.created_at := new.updated_at;
  end if;
  return new;
end $$;

-- Changes of the store before this time are visible to every statement that begins after the call; later ones may not be.
-- Times are cut to milliseconds, so the one in which the call begins is waited for: what was committed before is included.
create function changes_complete_until(store uuid) returns timestamptz language plpgsql as $$
declare
  moment timestamptz;
  age    bigint;
begin
  perform pg_sleep(0.001);
  -- Before the locks: whoever has none yet takes a later time.
  moment := date_trunc('milliseconds', clock_timestamp());
  -- The difference of two times without their upper bits; a transaction may have begun after `moment`.
  select max((change_lock_time(moment) - l.objid::bigint + 6442450944) % 4294967296 - 2147483648) into age
  from pg_locks l
  where l.locktype = 'advisory' and l.mode = 'ShareLock' and l.objsubid = 1
    and l.classid = change_lock_group(store)::oid
    and l.database = (select d.oid from pg_database d where d.datname = current_database());
  return moment - greatest(coalesce(age, 0), 0) * interval '1 millisecond';
end $$;
