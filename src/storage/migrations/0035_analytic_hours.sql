-- Sums of one hour, six hours, a day and a month of all sales and all deliveries too. A day of any time zone is then made
-- of about nine sums instead of 96, and a year of days is read from 3,000 rows instead of 35,000.
--
-- What has many keys (products, landing pages, places of delivery) keeps quarters of an hour, days and months: there most
-- hours have a single sale, so that sums of hours would be as many rows again.

-- The start, in UTC, of the month, day or part of a day in which a time lies.
create function span_start(span text, at timestamptz) returns timestamptz language sql immutable parallel safe as $$
  select case span
    when '1M' then date_trunc('month', at at time zone 'UTC') at time zone 'UTC'
    when '1d' then date_bin('1 day', at, '0001-01-01T00:00:00Z')
    when '6h' then date_bin('6 hours', at, '0001-01-01T00:00:00Z')
    when '1h' then date_bin('1 hour', at, '0001-01-01T00:00:00Z')
    else at end
$$;

create function analytic_spans(kind text) returns text[] language sql immutable parallel safe as $$
  select case when kind in ('sales', 'deliveries') then '{15m,1h,6h,1d,1M}' else '{15m,1d,1M}' end::text[]
$$;

-- Nothing is merged meanwhile.
lock table analytic_total in share row exclusive mode;

do $$
declare
  named text;
begin
  select string_agg(attname, ', ' order by attnum) into named
  from pg_attribute where attrelid = 'analytic_total'::regclass and attnum > 6;

  execute (
    select format($f$
      insert into analytic_total (store_id, kind, key, currency, span, at, %1$s)
      select t.store_id, t.kind, t.key, t.currency, s, span_start(s, t.at), %2$s
      from analytic_total t, unnest('{1h,6h,1d,1M}'::text[]) s
      where t.span = '15m' and t.kind in ('sales', 'deliveries')
      group by 1, 2, 3, 4, 5, 6
    $f$, named, string_agg(format('sum(t.%I)', attname), ', ' order by attnum))
    from pg_attribute where attrelid = 'analytic_total'::regclass and attnum > 6);

  -- As in 0025, with the spans of each kind.
  execute (
    select format($f$
      create or replace function merge_analytic_changes(most integer) returns integer language sql as $t$
        with taken as (
          delete from analytic_change where ctid = any (array(select ctid from analytic_change limit most)) returning *
        ),
        merged as (
          insert into analytic_total as t (store_id, kind, key, currency, span, at, %1$s)
          select c.store_id, c.kind, c.key, c.currency, s, span_start(s, c.at), %2$s
          from taken c join store on store.id = c.store_id, unnest(analytic_spans(c.kind)) s
          group by 1, 2, 3, 4, 5, 6
          on conflict (store_id, kind, key, span, at, currency) do update set %3$s
        )
        select count(*)::integer from taken
      $t$
    $f$, named,
    string_agg(format('sum(c.times * (c.counts->>%1$L)::%2$s)', attname, format_type(atttypid, null)), ', ' order by attnum),
    string_agg(format('%1$I = nullif(coalesce(t.%1$I, 0) + coalesce(excluded.%1$I, 0), 0)', attname), ', ' order by attnum))
    from pg_attribute where attrelid = 'analytic_total'::regclass and attnum > 6);
end $$;
