-- Sums of what products sold in whole months, quarters and years (UTC): a ranking over a year reads one row per product
-- instead of twelve. They have a table of their own because, among the sums of days and quarters of an hour, these rows
-- would be scattered over all pages.

create table product_sales (
  store_id      uuid not null references store on delete cascade,
  -- 1M, 3M or 1Y: the time from `at` on, in UTC.
  span          text collate "C" not null,
  at            timestamptz(3) not null,
  currency      text collate "C" not null,
  -- The product; '' for those that are gone.
  key           text collate "C" not null,
  ordered_units bigint,
  units         bigint,
  gross         numeric,
  primary key (store_id, span, at, currency, key)
);

-- The best sellers of a year come first, whatever they are ranked by.
create index product_sales_gross on product_sales (store_id, at, currency, coalesce(gross, 0) desc, key)
  where span = '1Y';
create index product_sales_units on product_sales (store_id, at, currency, coalesce(units, 0) desc, key)
  where span = '1Y';
create index product_sales_ordered_units on product_sales (store_id, at, currency, coalesce(ordered_units, 0) desc, key)
  where span = '1Y';

create or replace function span_start(span text, at timestamptz) returns timestamptz
language sql immutable parallel safe as $$
  select case span
    when '1Y' then date_trunc('year', at at time zone 'UTC') at time zone 'UTC'
    when '3M' then date_trunc('quarter', at at time zone 'UTC') at time zone 'UTC'
    when '1M' then date_trunc('month', at at time zone 'UTC') at time zone 'UTC'
    when '1d' then date_bin('1 day', at, '0001-01-01T00:00:00Z')
    when '6h' then date_bin('6 hours', at, '0001-01-01T00:00:00Z')
    when '1h' then date_bin('1 hour', at, '0001-01-01T00:00:00Z')
    else at end
$$;

-- In analytic_total.
create or replace function analytic_spans(kind text) returns text[] language sql immutable parallel safe as $$
  select case
    when kind in ('sales', 'deliveries') then '{15m,1h,6h,1d,1M}'
    when kind = 'product' then '{15m,1d}'
    else '{15m,1d,1M}' end::text[]
$$;

-- Nothing is merged meanwhile.
lock table analytic_total in share row exclusive mode;

insert into product_sales (store_id, span, at, currency, key, ordered_units, units, gross)
select t.store_id, s, span_start(s, t.at), t.currency, t.key, sum(t.ordered_units), sum(t.units), sum(t.gross)
from analytic_total t, unnest('{1M,3M,1Y}'::text[]) s
where t.kind = 'product' and t.span = '1M'
group by 1, 2, 3, 4, 5;

delete from analytic_total where kind = 'product' and span = '1M';

-- As in 0035, with the sums of products.
do $$
declare
  named text;
begin
  select string_agg(attname, ', ' order by attnum) into named
  from pg_attribute where attrelid = 'analytic_total'::regclass and attnum > 6 and not attisdropped;

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
        ),
        sold as (
          insert into product_sales as t (store_id, span, at, currency, key, ordered_units, units, gross)
          select c.store_id, s, span_start(s, c.at), c.currency, c.key, sum(c.times * (c.counts->>'ordered_units')::bigint),
            sum(c.times * (c.counts->>'units')::bigint), sum(c.times * (c.counts->>'gross')::numeric)
          from taken c join store on store.id = c.store_id, unnest('{1M,3M,1Y}'::text[]) s
          where c.kind = 'product'
          group by 1, 2, 3, 4, 5
          on conflict (store_id, span, at, currency, key) do update set
            ordered_units = nullif(coalesce(t.ordered_units, 0) + coalesce(excluded.ordered_units, 0), 0),
            units = nullif(coalesce(t.units, 0) + coalesce(excluded.units, 0), 0),
            gross = nullif(coalesce(t.gross, 0) + coalesce(excluded.gross, 0), 0)
        )
        select count(*)::integer from taken
      $t$
    $f$, named,
    string_agg(format('sum(c.times * (c.counts->>%1$L)::%2$s)', attname, format_type(atttypid, null)), ', ' order by attnum),
    string_agg(format('%1$I = nullif(coalesce(t.%1$I, 0) + coalesce(excluded.%1$I, 0), 0)', attname), ', ' order by attnum))
    from pg_attribute where attrelid = 'analytic_total'::regclass and attnum > 6 and not attisdropped);
end $$;
